"""How small the evidence of a test can get, in all its columns at once, when the odds may be off by a factor.

A column that is linear in the labels is the squared length of a vector M of moments. Other odds give null labels
another mean, so M one of d, and it is the length of ``M - d`` that speaks against the null. Along the direction u of M
as observed no odds within the factor give ``<u, d>`` more than b, so ``|M - d| >= |M| - b`` whatever they are. Null
labels also vary by at most a known ratio more along u. So ``(|M| - b)^2 / ratio``, ranked among the null draws of the
test, is a floor for the evidence of the column, and the floors of all columns are joined as the test joins them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from condmmd.backend import Array, to_host
from condmmd.explain import Evidence
from condmmd.inference import Asymptotic, Resampling, Signs, Trained
from condmmd.inference.joining import join_columns, pvalue
from condmmd.statistics import CMMD, LinearFit, Overlap, Products

__all__ = ["VerdictBounds", "verdict_bounds"]


@dataclass(frozen=True, eq=False)
class VerdictBounds:
    """Floors of the columns at any factor, and the p-value of the test at them.

    Attributes
    ----------
    sizes
        The length of the moments of each column, as observed.
    pulls
        What the label of a row, or of a block of rows, adds to each of them along its direction.
    e
        The mean of each label under the null hypothesis.
    judge
        The p-value of the test if its columns had these values.
    """

    sizes: Array
    pulls: Array
    e: Array
    judge: Callable[[Array], float]

    def floors(self, factor: float) -> Array:
        """The least that the columns can be, whatever odds within the factor are the right ones."""
        less, more = (_with_odds(self.e, change) for change in (1 / factor, factor))
        shift = (more - self.e) @ np.maximum(self.pulls, 0) + (self.e - less) @ np.maximum(-self.pulls, 0)
        widest = np.where((less < 0.5) & (more > 0.5), 0.25, np.maximum(less * (1 - less), more * (1 - more)))
        squares = self.pulls**2
        usual = (self.e * (1 - self.e)) @ squares
        ratio = np.where(usual > 0, (widest @ squares) / np.where(usual > 0, usual, 1.0), 1.0)
        return np.asarray(np.maximum(self.sizes - shift, 0.0) ** 2 / np.maximum(ratio, 1.0))

    def pvalue(self, factor: float) -> float:
        """At most so large, whatever odds within the factor are the right ones."""
        return self.judge(self.floors(factor))


def _with_odds(e: Array, factor: float) -> Array:
    return factor * e / (1 - e + factor * e)


def verdict_bounds(evidence: Evidence, trained: Trained) -> VerdictBounds | None:
    """None where the statistic is not linear in the labels, or its null law is one that has no columns."""
    statistic, fitted = evidence.plan.statistic, trained.fitted
    if not (isinstance(statistic, CMMD) and isinstance(statistic.estimator, Overlap) and isinstance(fitted, LinearFit)):
        return None
    judge = _judge(evidence, trained)
    if judge is None:
        return None
    sizes, pulls = _directions(fitted.products, evidence)
    pulls, e = _of_labels(pulls, evidence)
    return VerdictBounds(sizes, pulls, e, judge)


def _judge(evidence: Evidence, trained: Trained) -> Callable[[Array], float] | None:
    null, fitted, labels = trained.null, trained.fitted, trained.labels
    if isinstance(null, Asymptotic):
        return null.judge(fitted, labels)
    if not isinstance(null, Resampling | Signs):
        return None
    statistics = null.statistics(fitted, labels, evidence.plan.settings)

    def judge(columns: Array) -> float:
        values = np.concatenate([columns[None, :], statistics[1:]])
        joined = join_columns(fitted, values)
        return pvalue(float(joined[0]), joined[1:], unit=None if values.shape[1] == 1 else 1.0)

    return judge


def _directions(every: tuple[Products, ...], evidence: Evidence) -> tuple[Array, Array]:
    """The length of the moments of each column, and what each row's residual label adds along their direction."""
    sizes, pulls = [], []
    for products in every:
        phi, rho = to_host(products.phi), to_host(products.rho)
        M = (phi * evidence.a[:, None]).T @ rho
        for weights in products.weights:
            size = float(weights @ np.sum(M**2, axis=1)) ** 0.5
            toward = weights[:, None] * M / (size or 1.0)
            sizes.append(size)
            pulls.append(np.sum((phi @ toward) * rho, axis=1))
    return np.array(sizes), np.stack(pulls, axis=1)


def _of_labels(pulls: Array, evidence: Evidence) -> tuple[Array, Array]:
    """What the label of each row, or of a block, adds, and its mean.

    Less what changes nothing: a refit of the propensity, or the sizes of the groups, undo a part of any change.
    """
    own, e = evidence.labels.multipliers, evidence.e
    pulls = own.left(own.by_unit(pulls))
    if own.of_row is not None:
        e = e[np.unique(own.of_row, return_index=True)[1]]
    return pulls if own.kept is None else pulls[own.kept], e
