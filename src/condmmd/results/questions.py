"""What a result can be asked beyond its p-value: what was compared, whether to trust it, where the difference is."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from condmmd.backend import cached_property
from condmmd.data import Samples
from condmmd.data.checks import check_choice
from condmmd.data.warning_types import CondmmdWarning
from condmmd.effects import Adjusted, Effects, PopulationName, StrataEffects, check_effect, estimate_effects
from condmmd.effects.detectable import Detectable, detect
from condmmd.effects.equivalence import Closeness, close_in_mean, close_in_size
from condmmd.effects.false_alarms import FalseAlarms, false_alarms
from condmmd.effects.sensitivity import FACTORS, Sensitivity, sensitivity_of
from condmmd.effects.sizes import Size, Sizes
from condmmd.explain import Diagnostics, Evidence, Strata, Where, evidence_of, locate, strata_tests
from condmmd.explain.diagnose import Leftovers, diagnose
from condmmd.inference import Plan, Resampling, Trained
from condmmd.labels import LabelRules
from condmmd.nuisance.propensity import EqualMarginals
from condmmd.nuisance.residuals import NoResiduals
from condmmd.results.mmd_test_result import MMDTestResult
from condmmd.results.tested import Tested
from condmmd.statistics import CMMD, ConditionalStatistic

__all__ = ["Questions"]

# Rows that `where` looks at, at most.
WHERE_ROWS = 20_000
# Rows behind `size`, at most: with so many its interval is a fraction of a per cent, and more take gigabytes.
SIZE_ROWS = 200_000
# Above so many rows an outlook is not given unasked, and so many effects are in it at most.
OUTLOOK_ROWS = 20_000
OUTLOOK_EFFECTS = 3


class Questions(Tested):
    """Questions to the plan and the rows of a test, which a result keeps; each is answered once."""

    trimmed: int
    n_obs: tuple[int, int]
    population: PopulationName | None
    _plan: Plan | None
    _samples: Samples | None
    _checksum: int
    _lost: str
    _checked: Diagnostics | None
    _effect: Effects | None

    def marginal(self) -> dict[str, MMDTestResult]:
        """Did X move, did Y? Two tests, "X" and "Y", on the rows of this one and with its kernels."""
        return dict(self._margins)

    @cached_property
    def _margins(self) -> dict[str, MMDTestResult]:
        plan, samples = self._kept()
        if not isinstance(plan.statistic, CMMD | ConditionalStatistic):
            raise TypeError(f"the statistic {plan.statistic.name} does not say how X and Y alone are compared.")
        rows = self._trained.labels.samples if self.trimmed else samples
        rules = LabelRules(EqualMarginals(), blocks=plan.rules.blocks)
        spaces = {"X": (rows.x, rows.gram_x), "Y": (rows.y, rows.gram_y)}
        found = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CondmmdWarning)  # of block sizes, which the test itself takes into account
            for (name, (table, gram)), statistic in zip(spaces.items(), plan.statistic.margins(), strict=True):
                own = Samples(table, table, rows.groups, gram_y=gram)
                run = replace(plan, statistic=statistic, rules=rules, residuals=NoResiduals(), null=Resampling()).run(
                    own
                )
                found[name] = MMDTestResult.of(run, own, plan.settings.seed)
        return found

    def _kept(self) -> tuple[Plan, Samples]:
        if self._plan is None or self._samples is None:
            reason = self._lost or "it was made by without_data()"
            raise ValueError(f"this result has no data to ask further: {reason}. Run the test again: {self.call}")
        if self._samples.checksum() != self._checksum:
            raise ValueError(
                "the arrays of this test were changed in place since it was run, so that nothing more can be asked of "
                "it. Run it again, or pass copies."
            )
        return self._plan, self._samples

    @cached_property
    def _trained(self) -> Trained:
        plan, samples = self._kept()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CondmmdWarning)  # which the test has given already
            return plan.train(samples)

    def _in_memory(self) -> tuple[Plan, Trained]:
        """For what draws labels and outcomes anew."""
        plan, samples = self._kept()
        if samples.chunked:
            raise TypeError("this needs all rows in memory, and these are in chunks (dask); test a sample of them.")
        return plan, self._trained

    @cached_property
    def evidence(self) -> Evidence:
        """What was compared, in memory: of a test of rows in chunks, some of them."""
        return evidence_of(self._kept()[0], self._trained)

    def diagnostics(self) -> Diagnostics:
        """What speaks against this result, in plain words, with what to do. Nothing is fitted; it takes a moment.

        Overlap; whether X still predicts what is left of the labels, of the outcomes, or of both in one place, which is
        what makes false alarms; enough rows; copies of rows; an outcome that X fixes.
        """
        return self._diagnostics

    @cached_property
    def _diagnostics(self) -> Diagnostics:
        return diagnose(self._leftovers) if self._checked is None else self._checked

    @cached_property
    def _leftovers(self) -> Leftovers:
        return Leftovers.of(self.evidence)

    @property
    def _checks(self) -> Diagnostics | None:
        """The diagnostics where they cost next to nothing."""
        return self._diagnostics if self._checked is not None or Leftovers.kept_of(self._samples) else None

    def effect(self, population: PopulationName | None = None, confidence: float = 0.95) -> Effects:
        """How large the difference is after adjusting for X, P less Q in the outcomes' units, with intervals.

        Means, shares of classes, ratios of rates and of spreads, and quantiles; by the models that the test has
        (augmented inverse propensities), blocks counted as one.

        Parameters
        ----------
        population
            Over whom it is averaged: "overlap", where both groups are (rows count by e (1 - e): no extrapolation, and
            the smallest error); "p" or "q", covariates as in that group; "all". None: that of the test, or "overlap".
        confidence
            Of the intervals.
        """
        own = self.population or "overlap"
        whom = own if population is None else population
        check_effect(whom, confidence)
        return self._own_effect if (whom, confidence) == (own, 0.95) else self._estimated(whom, confidence)

    def _estimated(self, population: PopulationName, confidence: float) -> Effects:
        self._kept()
        return estimate_effects(self._adjusted, self.n_obs, population, confidence)

    @cached_property
    def _own_effect(self) -> Effects:
        return self._estimated(self.population or "overlap", 0.95) if self._effect is None else self._effect

    @cached_property
    def _adjusted(self) -> Adjusted:
        return Adjusted.of(self.evidence)

    @property
    def _known_effect(self) -> Effects | None:
        """The effects where they cost next to nothing, or were asked for already."""
        known = self._effect is not None or "_own_effect" in self.__dict__
        return self._own_effect if known or Adjusted.kept_of(self._samples) else None

    @property
    def has_outcomes(self) -> bool:
        """Whether there is anything left to estimate effects from: the columns of Y."""
        return self._samples is not None and self._samples.gram_y is None

    def where(self, *, significance: float | None = None) -> Where:
        """Where the two differ: by how much over all rows, whether it is the same everywhere, and only then regions.

        Regions are over each covariate and over all at once, in one simultaneous band.

        Parameters
        ----------
        significance
            Of the band; None: that of the test.

        Returns
        -------
        Where
            It has weak control: if nothing differs anywhere, the chance of a mark is at most ``significance``.
        """
        if significance is None:
            return self._where
        return locate(self._looked_at, significance=significance)

    @cached_property
    def _where(self) -> Where:
        return locate(self._looked_at)

    @cached_property
    def _looked_at(self) -> Evidence:
        """What `where` looks at: of very many rows some, as windows and null draws over all take minutes."""
        return self._evidence_of_some(WHERE_ROWS)

    def _evidence_of_some(self, rows: int) -> Evidence:
        if sum(self.n_obs) <= rows or self._trained.labels.blocks is not None:
            return self.evidence
        return evidence_of(self._kept()[0], self._trained, rows)

    def by_stratum(self, column: Any, bins: int = 4, *, data: Any = None) -> Strata:
        """Repeat the test within each category of a column, or each of ``bins`` quantile bins; Holm over them.

        Unlike the marks of `where`, a small Holm p-value says that this stratum differs, whatever the others do. Each
        has its mean effects, with 95 % intervals that are not corrected for there being several. Strata of a covariate
        have the models of the whole table; of any other column models of their own, unless the propensity was given.

        Parameters
        ----------
        column
            The name of a covariate, or, with ``data``, of any column of the table; or one value for each row of the
            test. It must be settled before the outcome is, as a covariate must.
        bins
            Of a numeric column.
        data
            The table of the test, its rows in the same order.
        """
        effects = StrataEffects(self.evidence, self._adjusted) if self.has_outcomes else None
        return strata_tests(self.evidence, column, bins, data=data, effects=effects)

    def check(self, trials: int | None = None) -> FalseAlarms:
        """How often does this very test cry wolf, on tables like this one in which nothing differs?

        Covariates and outcomes are held, labels are drawn from the propensity, so that outcomes have no part in them;
        then all that is fitted to labels is fitted again, with 199 null draws. Rows that were trimmed stay away.

        Parameters
        ----------
        trials
            Tables; None: as many as fit in about ten seconds, at least 10 and at most 400. For a rate to rely on: 400.
        """
        return false_alarms(*self._in_memory(), trials)

    def detectable(
        self, power: float = 0.8, *, along: str | None = None, outcomes: Sequence[str] | None = None
    ) -> Detectable:
        """What would this test have shown on this table? The smallest shift, change of slope and ratio of spreads.

        Of classes the smallest shift of a share, of counts the smallest ratio of rates; for each outcome by itself.
        For statistics that are linear in the labels: `Family` and ``CMMD(estimator="overlap")``; with
        ``null=Asymptotic()`` drawn labels stand for the law of many rows.

        Parameters
        ----------
        power
            How often it would have rejected.
        along
            The covariate of the slope; None: the one of which most variation is left where the groups overlap.
        outcomes
            Names of some of the outcomes; None: all.
        """
        return detect(*self._in_memory(), power, along, outcomes)

    def sensitivity(self, gammas: Sequence[float] = FACTORS, *, significance: float | None = None) -> Sensitivity:
        """How far the odds of the groups may be off, by a covariate that was not measured, before the result falls.

        Bounds of the mean difference of each outcome (shares of classes), and of the p-value, if the odds of P are off
        by up to a factor at every row, whatever the outcome; and beside it how far the measured covariates move them.

        Parameters
        ----------
        gammas
            Factors at which bounds are wanted; the largest at which something holds are found in any case.
        significance
            Of the verdict, and of the intervals (0.05: 95 %); None: that of the test.
        """
        if tuple(gammas) == FACTORS and significance is None:
            return self._sensitivity
        return self._asked_sensitivity(gammas, significance)

    @cached_property
    def _sensitivity(self) -> Sensitivity:
        return self._asked_sensitivity(FACTORS, None)

    def _asked_sensitivity(self, gammas: Sequence[float], significance: float | None) -> Sensitivity:
        loudest = min(self.by_level, key=lambda column: column.pvalue)
        return sensitivity_of(self.evidence, self._trained, loudest.name, gammas, significance)

    def outlook(self) -> str:
        """What a p-value leaves open, in a sentence: how fragile a difference is, or what would have been seen.

        Empty where that cannot be said (see `sensitivity` and `detectable`), or would take long: above 20,000 rows.
        """
        if sum(self.n_obs) > OUTLOOK_ROWS:
            return ""
        try:
            if self.pvalue <= self.significance:
                told = self.sensitivity().sentence()
                return f"{told[0].upper()}{told[1:]}."
            seen = self.detectable()
        except TypeError:  # of statistics and rows that have no answer
            return ""
        words = "; ".join(effect.words for effect in seen.effects[:OUTLOOK_EFFECTS])
        return words and f"With a power of {seen.power:.0%} this table would have shown: {words}."

    def size(self, *, level: float = 1.0, confidence: float = 0.95) -> Size:
        """How large the difference is, with confidence intervals that hold where there is none, too.

        Parameters
        ----------
        level
            Of squared CMMD, at least 0. The share that the group explains has none.
        confidence
            The chance that an interval holds what it is for.

        Returns
        -------
        Size
            A share between 0 and 1, squared CMMD, and words. It rests on what the p-value rests on.
        """
        return self._sizes.size(level, confidence)

    @cached_property
    def _sizes(self) -> Sizes:
        return Sizes(self._evidence_of_some(SIZE_ROWS))

    def closer_than(self, delta: Any, what: str = "mean", *, confidence: float = 0.95) -> Closeness:
        """Is the relationship the same for all practical purposes? A p-value above 0.05 does not say so; this does.

        Parameters
        ----------
        delta
            The smallest difference that would matter: of means, in the outcome's units, one number, or one for each
            outcome (in a sequence, or by name); of the size, a share between 0 and 1.
        what
            "mean", or "size": the share that the group explains (see `size`).
        confidence
            One less the chance to claim it where the difference is ``delta``.

        Returns
        -------
        Closeness
            True in a condition if closeness is shown; with a p-value, the interval and a sentence.
        """
        check_choice(what, "what", ("mean", "size"))
        if what == "size":
            return close_in_size(self._sizes, delta, confidence, self.spaces)
        return close_in_mean(self.effect(), delta, confidence, self.spaces[0])
