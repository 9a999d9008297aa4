"""The orthogonal estimator: doubly robust with one label-blind outcome model, so linear in the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from condmmd.backend import AnyArray, LabelBatch, Rows, Weights
from condmmd.embedding import Embedding
from condmmd.regression.moments import cross_moments
from condmmd.regression.odds import overlap
from condmmd.statistics.base import Need
from condmmd.statistics.comparison import Comparison, Ingredients, pooled_shrinkage

__all__ = ["Orthogonal", "OrthogonalContrast"]


@dataclass(frozen=True)
class Orthogonal:
    """Linear in the labels, so fast; for a test, on residualised outcomes.

    Examples
    --------
    >>> from condmmd import CMMD, Orthogonal
    >>> CMMD(estimator=Orthogonal()).needs >= {"propensity"}
    True
    """

    name: ClassVar[str] = "orthogonal"
    needs: ClassVar[frozenset[Need]] = frozenset({"propensity", "residual labels"})
    lowest_level: ClassVar[int] = 0
    one_lambda: ClassVar[bool] = True

    def compare(self, given: Ingredients) -> Comparison:
        """Weights by the mean label, lambda from the pooled rows."""
        e, propensity = given.learned.law_of_labels("the orthogonal estimator")
        if propensity.source == "strata":  # where a stratum may be of one group only, and its share 0 or 1
            e = propensity.at_prevalence
        reg = given.chosen_reg()
        return given.compare(OrthogonalContrast(reg.lam_p, e), reg)


@dataclass(frozen=True, eq=False)
class OrthogonalContrast:
    """``(A(1) + lam N I)^-1 M(a / (e (1 - e)))``: ``a`` are the labels less their ``centre`` e, outcomes are residuals.

    A vector costs one product and no solve. ``x`` must be in the eigenbasis of C, where A(1) is diagonal.
    """

    reg: float
    centre: Rows
    power: ClassVar[int] = 0

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:
        return cross_moments(T.reweighted(_over_overlap, self.centre), x.phi, y.phi) * self.shrinkage(x)[:, None]

    def shrinkage(self, x: Embedding) -> Rows:
        """Diagonal of ``(A(1) + lam N I)^-1``."""
        return pooled_shrinkage(x, self.reg)


def _over_overlap(T: Weights, e: Rows) -> Weights:
    return T / overlap(e)
