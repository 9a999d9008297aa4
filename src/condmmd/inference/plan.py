"""A test as a frozen value: what is compared, with which null, after learning what; and what comes of running it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from condmmd.backend import Rows, blas_threads_for, n_rows
from condmmd.data import Samples
from condmmd.data.warning_types import CondmmdWarning, SmallSampleWarning, warn_user
from condmmd.inference.asymptotic import Asymptotic
from condmmd.inference.nulls import NullLaw, Settings, null_of
from condmmd.inference.outcome import Outcome
from condmmd.labels import LabelPlan, LabelRules
from condmmd.nuisance import Learned, PooledRegression, Residuals, regress_pooled
from condmmd.nuisance.overlap import warn_overlap
from condmmd.nuisance.propensity import Classifier
from condmmd.nuisance.residuals import Fit, RegressorResiduals
from condmmd.statistics import Fitted, Statistic

__all__ = ["LabelBlind", "Plan", "Run", "Trained", "check_in_memory"]

# Operations for each row in the products that a fit makes.
PRODUCT = 8 * 200**2


@dataclass(frozen=True, eq=False)
class Trained:
    """Everything that a test fixes before it looks at null draws."""

    labels: LabelPlan
    learned: Learned
    pooled: PooledRegression | None
    fitted: Fitted
    null: NullLaw


@dataclass(frozen=True, eq=False)
class LabelBlind:
    """What is learned of the pooled rows before any label is looked at."""

    strata: npt.NDArray[np.int64] | None
    pooled: PooledRegression | None
    residuals: Fit


@dataclass(frozen=True, eq=False)
class Run:
    """A test that was run: what was fixed, and what came of it."""

    trained: Trained
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class Plan:
    """Statistic x null x what is learned x settings. The same plan on the same rows gives the same answer.

    Without a null it is the one that the labels call for (`null_of`).
    """

    statistic: Statistic
    rules: LabelRules
    residuals: Residuals
    null: NullLaw | None
    settings: Settings

    def run(self, samples: Samples, blind: LabelBlind | None = None) -> Run:
        """Fix everything on the pooled rows, then compare the observed labels with null draws."""
        trained = self.train(samples, blind)
        _warn_small(trained, self.settings.significance)
        return Run(trained, trained.null.run(trained.fitted, trained.labels, self.settings))

    def run_within(self, labels: LabelPlan, learned: Learned, rows: npt.NDArray[np.bool_], n_resamples: int) -> Run:
        """The same test on some rows, their labels drawn as in the whole test given how many of each group.

        What was learned of all rows stays as it is: a model of a part of them would know less.
        """
        part, index = labels.on_rows(rows, "strata"), np.flatnonzero(rows)
        part = replace(part, samples=replace(part.samples, y=labels.samples.y.part(index)))
        if part.kind == "bernoulli":
            part = replace(part, kind="fixed-size")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CondmmdWarning)
            warn_overlap(part.propensity, part.samples.x, part.samples.groups.t)  # raises if there is none
            with blas_threads_for(PRODUCT * len(index)):
                own = learned.on_rows(index, part.propensity, self._centre(part))
                null = null_of(self.null, part, self.statistic)
                trained = Trained(part, own, own.pooled, self.statistic.fit(part.samples, own), null)
            settings = replace(self.settings, n_resamples=n_resamples)
            return Run(trained, null.run(trained.fitted, part, settings))

    def train(self, samples: Samples, blind: LabelBlind | None = None) -> Trained:
        """Everything but the null draws; ``blind`` is what `learn` gave for these rows already, with other labels."""
        with blas_threads_for(PRODUCT * n_rows(samples.groups.t)):  # many small products, for which threads only wait
            return self._train(samples, self.learn(samples) if blind is None else blind)

    def learn(self, samples: Samples) -> LabelBlind:
        """What no label has a part in."""
        strata = self.rules.strata(samples)
        y = self.statistic.embed_outcomes(samples)
        estimates = strata is None and self.rules.model.needs_regressors
        pooled = regress_pooled(y.phi, samples) if estimates or self.residuals.needs_pooled else None
        return LabelBlind(strata, pooled, self.residuals.fit(y, samples, pooled))

    def _train(self, samples: Samples, blind: LabelBlind) -> Trained:
        labels = self.rules.make(samples, blind.pooled, blind.strata)
        if labels.trimmed:
            samples = labels.samples
            blind = self.learn(samples)
        null, centre, fit = null_of(self.null, labels, self.statistic), self._centre(labels), blind.residuals
        learned = Learned(fit.outcomes, labels.propensity, centre, blind.pooled, fit.how, fit.further, fit.anew)
        return Trained(labels, learned, blind.pooled, self.statistic.fit(samples, learned), null)

    def _centre(self, labels: LabelPlan) -> Rows | None:
        return labels.centre if "propensity" in self.statistic.needs else None


def _warn_small(trained: Trained, significance: float) -> None:
    ways = trained.null.log_ways(trained.labels)
    if ways < -np.log(significance):
        groups, count = trained.labels.samples.groups, round(float(np.exp(ways)))
        warn_user(
            f"{groups.n} + {groups.m} rows allow {count} different null draw(s) only, so no p-value can be below "
            f"{1 / count:.2g} and nothing can be significant at {significance:g}. More rows are needed.",
            SmallSampleWarning,
        )


def check_in_memory(
    samples: Samples,
    statistic: Statistic,
    rules: LabelRules,
    residuals: Residuals | None = None,
    null: NullLaw | None = None,
) -> None:
    """With rows in chunks (dask): refuse what needs all of them at once, before any work."""
    if not samples.chunked:
        return
    needed = {
        "blocks": rules.blocks is not None,
        "trim": rules.trim is not None,
        "null": isinstance(null, Asymptotic),
        "residualize (a regressor)": isinstance(residuals, RegressorResiduals),
        "propensity (a classifier)": isinstance(rules.model, Classifier),
        "statistic (its estimator has models other than ridge on all rows, refitted)": statistic.needs_memory,
    }
    names = [f"`{name}`" for name, is_needed in needed.items() if is_needed]
    if names:
        raise TypeError(
            f"{', '.join(names)}: this needs all rows in memory, and these are in chunks (dask). Leave it out, or pass "
            "arrays in memory."
        )
