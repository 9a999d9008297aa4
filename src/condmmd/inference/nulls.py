"""What a statistic is compared with: its values at null labels, or a law that stands for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from condmmd.data.checks import check_choice, check_resamples
from condmmd.inference.compute import Compute
from condmmd.inference.evaluate import evaluate_labels
from condmmd.inference.joining import join_columns, pvalue, pvalues
from condmmd.inference.outcome import Outcome, level_results
from condmmd.labels import LabelPlan, LabelRules, SchemeName
from condmmd.statistics import Fitted, Statistic

__all__ = ["NullLaw", "Resampling", "Settings"]


@dataclass(frozen=True)
class Settings:
    """How many null label vectors, from which seed, on which machine, for a decision at which significance."""

    n_resamples: int
    seed: int
    significance: float
    compute: Compute


class NullLaw(Protocol):
    """A way from a fitted statistic to p-values."""

    @property
    def scheme(self) -> SchemeName:
        """How labels are drawn under the null hypothesis."""

    def check(self, statistic: Statistic, rules: LabelRules, settings: Settings) -> None:
        """Refuse what cannot give an answer, before any work."""

    def run(self, fitted: Fitted, labels: LabelPlan, settings: Settings) -> Outcome:
        """Compare the statistic at the observed labels with what null labels would give."""


@dataclass(frozen=True)
class Resampling:
    """Null labels are drawn, and the statistic is evaluated at each of them.

    Parameters
    ----------
    scheme
        "permutation" (Algorithm 1), "bernoulli" (Algorithm 2; the propensity must be for the sample's prevalence), or
        "fixed-size", Bernoulli labels given the sizes of the groups. "auto": permutation if ``propensity`` is None,
        within strata if X takes few values, else fixed-size.

    Examples
    --------
    >>> from condmmd import Resampling
    >>> Resampling(scheme="bernoulli")
    Resampling(scheme='bernoulli')
    """

    scheme: SchemeName = "auto"

    def __post_init__(self) -> None:
        check_choice(self.scheme, "scheme", ("auto", "permutation", "bernoulli", "fixed-size"))

    def check(self, statistic: Statistic, rules: LabelRules, settings: Settings) -> None:  # noqa: ARG002
        """There must be enough label vectors for the significance."""
        check_resamples(settings.n_resamples, settings.significance)

    def run(self, fitted: Fitted, labels: LabelPlan, settings: Settings) -> Outcome:
        """Rank the observed labels among null labels; exact given the propensity."""
        scheme = labels.scheme()
        statistics = evaluate_labels(
            fitted, scheme, labels.samples.groups.t, n_resamples=settings.n_resamples, seed=settings.seed,
            compute=settings.compute,
        )  # fmt: skip
        one = statistics.shape[1] == 1
        joined = join_columns(fitted, statistics)
        statistic, null = float(joined[0]), joined[1:]
        overall = pvalue(statistic, null, unit=None if one else 1.0)
        by_level = level_results(fitted.columns, statistics[0], pvalues(statistics))
        return Outcome(statistic, overall, null, by_level, settings.n_resamples, scheme.name)
