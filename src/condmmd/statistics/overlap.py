"""The overlap estimator: centred, linear in the labels, and weighted to where both groups are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from condmmd.backend import AnyArray, Array, LabelBatch, Rows, map_rows, move_to
from condmmd.embedding import Embedding
from condmmd.regression.odds import overlap, total_overlap
from condmmd.statistics.base import Need
from condmmd.statistics.comparison import Comparison, Ingredients, centred
from condmmd.statistics.products import Products

__all__ = ["Overlap", "OverlapContrast"]


@dataclass(frozen=True)
class Overlap:
    """For tests, on residualised outcomes: the covariance of labels and outcomes along each direction of X.

    Rows count by ``e (1 - e)``, so that those that could be of one group only do not swamp the rest; and the mean of D
    over null labels is zero, so that no difference can hide behind the error of a model. It is linear in the labels: a
    draw of its null law costs one product.

    Examples
    --------
    >>> from condmmd import CMMD, Overlap
    >>> CMMD(estimator=Overlap()).needs >= {"propensity"}
    True
    """

    name: ClassVar[str] = "overlap"
    needs: ClassVar[frozenset[Need]] = frozenset({"propensity", "residual labels"})
    lowest_level: ClassVar[int] = 0
    one_lambda: ClassVar[bool] = True

    def compare(self, given: Ingredients) -> Comparison:
        """Features in the eigenbasis of their overlap-weighted covariance; the levels refer to that."""
        e, _ = given.learned.law_of_labels("the overlap estimator")
        x, sigma = given.x.principal(map_rows(overlap, e))
        own = replace(given, x=replace(x, gram=None), sigma=move_to(sigma, x.phi), y=centred(given.y))
        reg = own.chosen_reg()
        shrinkage = 1.0 / (total_overlap(e) * (sigma + reg.lam_p))
        return own.compare(OverlapContrast(e, Products(own.x.phi, own.y.phi, shrinkage[None, :] ** 2), shrinkage), reg)


@dataclass(frozen=True, eq=False)
class OverlapContrast:
    """``D = (sum_i w_i phi_i phi_i^T + lam (sum w) I)^-1 sum_i a_i phi_i psi_i^T`` with ``w = e (1 - e)``.

    Attributes
    ----------
    centre
        The mean of each row's label; ``a`` are labels less these.
    products
        Those of the rows.
    shrinkage
        The inverse of the matrix in front, which is diagonal in the coordinates of x.
    """

    centre: Rows
    products: Products
    shrinkage: Array
    power: ClassVar[int] = 0

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:  # noqa: ARG002 - it has their features
        M = self.products.moments(T)
        return M * move_to(self.shrinkage, M)[:, None]
