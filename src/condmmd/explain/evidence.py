"""What a test looked at, in memory, for whoever asks where the difference is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    Array,
    Rows,
    cached_property,
    n_rows,
    pick_rows,
    place_rows,
    sample_rows,
    to_host,
)
from condmmd.data import Samples
from condmmd.embedding import Embedding
from condmmd.inference import NullLaw, Plan, SignDraws, Trained
from condmmd.labels import LabelPlan
from condmmd.nuisance import Learned, PooledRegression, Residuals
from condmmd.nuisance.residuals import NoResiduals, PooledRidge
from condmmd.statistics import ConditionalFit
from condmmd.statistics.outcome_scale import outcome_scale

__all__ = ["Evidence", "evidence_of"]

# Of rows in chunks, so many are brought into memory.
EVIDENCE_ROWS = 50_000


@dataclass(frozen=True, eq=False)
class Evidence:
    """The rows of a test in NumPy, with their features, their regression and the law of their labels.

    Attributes
    ----------
    plan
        The test.
    labels
        The law of the labels; it has the rows.
    x, y
        Features of the covariates, and of the outcomes as they were compared.
    pooled
        The pooled regression, where there was one.
    e
        The mean of each row's label under the null hypothesis.
    learned
        What the statistic was given: the outcomes as the models of the test leave them, in all their columns.
    null
        The null law of the test.
    """

    plan: Plan
    labels: LabelPlan
    x: Embedding
    y: Embedding
    pooled: PooledRegression | None
    e: Array
    learned: Learned
    null: NullLaw

    @property
    def samples(self) -> Samples:
        """The rows."""
        return self.labels.samples

    @property
    def t(self) -> Array:
        """Their labels."""
        return to_host(self.labels.samples.groups.t)

    @property
    def blocks(self) -> npt.NDArray[np.int64]:
        """The block of each row; without blocks each row is its own."""
        blocks = self.labels.blocks
        return np.arange(len(self.e)) if blocks is None else blocks.of_row

    @property
    def compared(self) -> Array:
        """Everything of the outcomes that was compared, less what X says of it: the outcomes themselves too."""
        return to_host(self.learned.outcomes.phi)

    @property
    def explained(self) -> float | None:
        """The share of the outcomes' features that X explains out of sample; None if they were not residualised."""
        how = self.learned.residualization
        return None if how is None else how.explained

    @property
    def outcome(self) -> Array | None:
        """The one numeric outcome, where that is all there is."""
        y = self.samples.y
        if self.samples.gram_y is not None or len(y.columns) != 1 or y.categorical:
            return None
        return to_host(y.values)[:, 0]

    @cached_property
    def outcome_residuals(self) -> Array | None:
        """What the models of the test leave of the one numeric outcome, in its units."""
        return None if self.outcome is None else self.residuals(self.outcome[:, None])[:, 0]

    @property
    def a(self) -> Array:
        """The residual labels."""
        return self.t - self.e

    def draws(self, count: int) -> Iterator[Array]:
        """Residual labels under the null hypothesis, some at a time: those of the test first."""
        for T in self.null.draws(self.labels, self.plan.settings.seed, count):
            yield np.asarray(to_host(T.held))

    def residuals(self, values: Array) -> Array:
        """Any columns that no label was looked at for, less what the models of the test say of them; N x q."""
        model = self.plan.residuals
        if not isinstance(model, NoResiduals | PooledRidge):
            return to_host(model.fit(replace(self.learned.outcomes, phi=values), self.samples, self.pooled)[0].phi)
        if self.pooled is None:
            return np.asarray(values - values.mean(axis=0))
        return np.stack([self.pooled.residuals(column) for column in values.T], axis=1)

    def further(self, values: Array) -> Array:
        """The same by the one smoother that the test has, whatever the columns: nothing is fitted anew for them."""
        if isinstance(self.plan.residuals, PooledRidge):  # what it leaves has each row's own part in it
            return self.residuals(values)
        return to_host(self.learned.further(values))

    @cached_property
    def signs(self) -> SignDraws:
        """Random signs of the rows."""
        return SignDraws.of(self.labels.multipliers, self.plan.settings)

    @property
    def sign_of_row(self) -> npt.NDArray[np.int64]:
        """Which sign is that of each row."""
        own = self.labels.multipliers
        found = np.arange(own.count) if own.of_class is None else own.of_class
        return found if own.kept is None else found[own.kept]

    @property
    def assumption(self) -> str:
        """What the null law rests on, where the propensity was estimated."""
        return self.null.assumption(self.labels) if self.labels.estimated else ""


def evidence_of(plan: Plan, trained: Trained, at_most: int | None = None) -> Evidence:
    """Bring what was compared into memory: all rows, or some where they are in chunks or more than ``at_most``."""
    labels, pooled, fitted = trained.labels, trained.pooled, trained.fitted
    if not isinstance(fitted, ConditionalFit):
        raise TypeError("there are no covariates along which to look.")
    whole, count = labels.samples, n_rows(labels.samples.groups.t)
    limit = EVIDENCE_ROWS if whole.chunked else count
    rows = sample_rows(count, limit if at_most is None else min(limit, at_most))

    def here(array: Any) -> Any:
        return to_host(pick_rows(array, rows))

    groups = replace(whole.groups, t=here(whole.groups.t))
    samples = replace(whole, x=whole.x.at(here(whole.x.values)), y=whole.y.at(here(whole.y.values)), groups=groups)
    signs, e = None, here(labels.propensity.e)
    if labels.estimated:
        e = here(labels.centre)
        signs = labels.multipliers.here() if len(rows) == count else labels.multipliers.of_sample(rows)
    strata = None if labels.strata is None else np.unique(labels.strata[rows], return_inverse=True)[1]
    propensity = replace(labels.propensity, e=e, n=groups.n, fit=None)
    labels = replace(labels, samples=samples, propensity=propensity, strata=strata, signs=signs)
    x, y = replace(fitted.covariates, phi=here(fitted.covariates.phi), gram=None), fitted.outcomes
    if pooled is not None:
        shrink = to_host(pooled.shrink) * (count / len(rows))
        pooled = replace(pooled, fitted=here(pooled.fitted), features=here(pooled.features), shrink=shrink)
    outcomes, e = trained.learned.outcomes, to_host(labels.centre)
    outcomes = replace(outcomes, phi=here(outcomes.phi), gram=None)
    learned = replace(
        trained.learned, outcomes=outcomes, propensity=propensity, centre=e, pooled=pooled,
        further=_Here(trained.learned.further, whole.groups.t) if len(rows) == count
        else _Again(plan.residuals, outcomes, samples, pooled),
    )  # fmt: skip
    return Evidence(plan, labels, x, replace(y, phi=here(y.phi)), pooled, e, learned, trained.null)


@dataclass(frozen=True, eq=False)
class _Here:
    """The models of a test, wherever its rows are, for columns in NumPy."""

    model: Callable[[Rows], Rows]
    rows: Rows

    def __call__(self, values: Rows) -> Rows:
        return to_host(self.model(place_rows(to_host(values), self.rows)))


@dataclass(frozen=True, eq=False)
class _Again:
    """The models of a test fitted once more to some of its rows."""

    model: Residuals
    outcomes: Embedding
    samples: Samples
    pooled: PooledRegression | None

    def __call__(self, values: Rows) -> Rows:
        return to_host(self._fitted(values))

    @cached_property
    def _fitted(self) -> Callable[[Rows], Rows]:
        y, seen = self.samples.y, self.outcomes.phi
        if self.samples.gram_y is None:
            seen = to_host(y.once(outcome_scale)(y.values))
        return self.model.fit(replace(self.outcomes, phi=seen), self.samples, self.pooled).further
