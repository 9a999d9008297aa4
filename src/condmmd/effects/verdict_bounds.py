"""How small the evidence of a test can get, in all its columns at once, when the odds may be off by a factor.

A column that is linear in the labels is the squared length of a vector M of moments. Other odds give null labels
another mean, so M one of d, and it is the length of ``M - d`` that speaks against the null. Along the direction u of M
as observed no odds within the factor give ``<u, d>`` more than b, so ``|M - d| >= |M| - b`` whatever they are. Null
labels also vary by at most a known ratio more along u. So ``(|M| - b)^2 / ratio``, ranked among null labels as they
were drawn, is a floor for the evidence of the column, and the floors of all columns are joined as the test joins them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from condmmd.backend import Array, to_host
from condmmd.explain import Evidence
from condmmd.inference import Asymptotic, Resampling, Trained
from condmmd.inference.evaluate import evaluate_labels
from condmmd.inference.joining import join_columns, pvalue
from condmmd.labels import LabelPlan
from condmmd.regression.logistic import LogisticFit
from condmmd.regression.odds import overlap
from condmmd.statistics import CMMD, LinearFit, Overlap
from condmmd.statistics.linear import LinearForm

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
        The mean of each label over null labels.
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
    form = fitted.linear
    sizes, pulls = _directions(form, evidence)
    pulls, e = _of_labels(pulls, evidence, form.fit)
    return VerdictBounds(sizes, pulls, e, judge)


def _judge(evidence: Evidence, trained: Trained) -> Callable[[Array], float] | None:
    plan, fitted, labels = evidence.plan, trained.fitted, trained.labels
    if isinstance(plan.null, Asymptotic):
        return plan.null.judge(fitted, labels)
    if not isinstance(plan.null, Resampling):
        return None
    settings = plan.settings
    statistics = evaluate_labels(
        fitted, labels.scheme(), labels.samples.groups.t, n_resamples=settings.n_resamples, seed=settings.seed,
        compute=settings.compute,
    )  # fmt: skip

    def judge(columns: Array) -> float:
        values = np.concatenate([columns[None, :], statistics[1:]])
        joined = join_columns(fitted, values)
        return pvalue(float(joined[0]), joined[1:], unit=None if values.shape[1] == 1 else 1.0)

    return judge


def _directions(form: LinearForm, evidence: Evidence) -> tuple[Array, Array]:
    """The length of the moments of each column, and what each row's residual label adds along their direction."""
    tau = evidence.t - evidence.e if form.fit is None else evidence.residual_labels(evidence.t[None, :])[0]
    sizes, pulls = [], []
    for products in form.products:
        phi, psi = to_host(products.phi), to_host(products.psi)
        M = (phi * tau[:, None]).T @ psi
        for weights in products.weights:
            size = float(weights @ np.sum(M**2, axis=1)) ** 0.5
            toward = weights[:, None] * M / (size or 1.0)
            sizes.append(size)
            pulls.append(np.sum((phi @ toward) * psi, axis=1))
    return np.array(sizes), np.stack(pulls, axis=1)


def _of_labels(pulls: Array, evidence: Evidence, fit: LogisticFit | None) -> tuple[Array, Array]:
    """What each label that is drawn adds, of a row or of a block, and its mean.

    Less what changes nothing: a refit of the propensity, or the sizes of the groups, undo a part of any change.
    """
    labels, e = evidence.labels, evidence.e
    if fit is not None:
        pulls = pulls - _refit(pulls, e, fit)
    if labels.blocks is not None:
        of_row = labels.blocks.of_row
        pulls = np.stack([np.bincount(of_row, weights=column) for column in pulls.T], axis=1)
        e = e[np.unique(of_row, return_index=True)[1]]
    if fit is None and labels.kind != "bernoulli":
        pulls = pulls - _mean_within(pulls, e, labels)
    return pulls, e


def _refit(pulls: Array, e: Array, fit: LogisticFit) -> Array:
    Z = np.column_stack([np.ones(len(e)), to_host(fit.Z)])
    weighted = Z if fit.weight is None else to_host(fit.weight)[:, None] * Z
    w = to_host(overlap(e))[:, None]
    hessian = weighted.T @ (w * Z) + fit.held[0]
    return np.asarray(weighted @ np.linalg.solve(hessian, (w * Z).T @ pulls))


def _mean_within(pulls: Array, e: Array, labels: LabelPlan) -> Array:
    """The mean over all labels, or over those of each stratum, weighted by how random they are."""
    w = to_host(overlap(e))
    groups = np.zeros(len(e), dtype=np.int64) if labels.strata is None else labels.strata
    total = np.maximum(np.bincount(groups, weights=w), 1e-300)
    sums = np.stack([np.bincount(groups, weights=w * column) for column in pulls.T], axis=1)
    return np.asarray((sums / total[:, None])[groups])
