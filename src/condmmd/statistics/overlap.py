"""The overlap estimator: centred, linear in the labels, and weighted to where both groups are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from condmmd.backend import AnyArray, Array, LabelBatch, map_rows, move_to
from condmmd.embedding import Embedding
from condmmd.regression.odds import overlap, total_overlap
from condmmd.regression.refitting import RefittedMoments
from condmmd.statistics.base import Need
from condmmd.statistics.comparison import Comparison, Ingredients, centred

__all__ = ["Overlap", "OverlapContrast"]


@dataclass(frozen=True)
class Overlap:
    """For tests, on residualised outcomes: the covariance of labels and outcomes along each direction of X.

    Rows count by ``e (1 - e)``, so that those that could be of one group only do not swamp the rest; the mean of D over
    null labels is zero (with a refit, what the penalty of the propensity shrinks), so that no difference can hide
    behind the error of a model; and an estimated propensity is refitted, to first order, for every null label vector
    as it was for the observed one. A label vector costs one product.

    Parameters
    ----------
    refit
        Whether to refit an estimated propensity; without, the test is conservative with many covariates.

    Examples
    --------
    >>> from condmmd import CMMD, Overlap
    >>> CMMD(estimator=Overlap()).needs >= {"propensity"}
    True
    """

    refit: bool = True
    name: ClassVar[str] = "overlap"
    lowest_level: ClassVar[int] = 0
    one_lambda: ClassVar[bool] = True

    @property
    def needs(self) -> frozenset[Need]:
        """The propensity, and whether it is refitted to every label vector."""
        return frozenset({"propensity", "refit"} if self.refit else {"propensity"})

    def compare(self, given: Ingredients) -> Comparison:
        """Features in the eigenbasis of their overlap-weighted covariance; the levels refer to that."""
        e, propensity = given.learned.law_of_labels("the overlap estimator")
        x, sigma = given.x.principal(map_rows(overlap, e))
        own = replace(given, x=replace(x, gram=None), sigma=move_to(sigma, x.phi), y=centred(given.y))
        reg = own.chosen_reg()
        shrinkage = 1.0 / (total_overlap(e) * (sigma + reg.lam_p))
        moments = RefittedMoments(e, propensity.fit if self.refit else None, own.x.phi, own.y.phi)
        return own.compare(OverlapContrast(moments, shrinkage), reg)


@dataclass(frozen=True, eq=False)
class OverlapContrast:
    """``D = (sum_i w_i phi_i phi_i^T + lam (sum w) I)^-1 sum_i tau_i phi_i psi_i^T`` with ``w = e (1 - e)``.

    ``tau`` are the labels less their propensity, refitted to them where there is a fit (`residual_labels`).

    Attributes
    ----------
    moments
        The sum behind it, for any labels.
    shrinkage
        The inverse of the matrix in front, which is diagonal in the coordinates of x.
    """

    moments: RefittedMoments
    shrinkage: Array
    power: ClassVar[int] = 0

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:  # noqa: ARG002 - it has their features
        M = self.moments(T)
        return M * move_to(self.shrinkage, M)[:, None]
