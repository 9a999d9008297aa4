"""What a statistic is compared with: its values at null labels, or at random signs, or a law that stands for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from condmmd.backend import Array, LabelBatch, cached_property, observed_labels, to_host
from condmmd.data.checks import check_choice, check_resamples
from condmmd.inference.evaluate import UNIT, Settings, check_statistics, draw_batches, evaluate_null
from condmmd.inference.joining import join_columns, pvalue
from condmmd.inference.outcome import Outcome, level_results
from condmmd.labels import (
    LabelPlan,
    LabelRules,
    Multipliers,
    SchemeName,
    SignBatch,
    ways_to_flip,
)
from condmmd.statistics import Fitted, Statistic

__all__ = ["NullLaw", "Resampling", "Settings", "SignDraws", "Signs", "null_of", "outcome_of", "takes_all"]

# Of so few units every vector of signs is taken, where these are no more than the draws that were asked for.
FEW_UNITS, AT_ONCE = 20, 4096
# Draws behind intervals where the test has fewer than are enough for them.
DRAWS, ENOUGH = 999, 199
ASYMPTOTIC = (
    "the product of two errors being small, that of the estimated propensity and that of the pooled regression of Y on "
    "X, so it is asymptotic"
)


class NullLaw(Protocol):
    """A way from a fitted statistic to p-values."""

    @property
    def scheme(self) -> SchemeName:
        """How labels are drawn under the null hypothesis."""

    def check(self, statistic: Statistic, rules: LabelRules, settings: Settings) -> None:
        """Refuse what cannot give an answer, before any work."""

    def run(self, fitted: Fitted, labels: LabelPlan, settings: Settings) -> Outcome:
        """Compare the observed statistic with what null draws would give."""

    def draws(self, labels: LabelPlan, seed: int, count: int, at_once: int = UNIT) -> Iterator[LabelBatch]:
        """Residual labels of all rows under the null hypothesis, for whatever else is linear in them."""

    def log_ways(self, labels: LabelPlan) -> float:
        """The logarithm of the number of different draws."""

    def assumption(self, labels: LabelPlan) -> str:
        """What must hold for the p-value to be right."""


@dataclass(frozen=True)
class Resampling:
    """Null labels are drawn, and the statistic is evaluated at each of them: exact where the law of labels is known.

    So it is with a propensity that was given, with none needed (X of equal distribution), and within strata of equal X.
    Where the propensity was estimated, labels are drawn from the estimate as it is, and the p-value is approximate.

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
        """Rank the observed labels among null labels."""
        return outcome_of(fitted, self.statistics(fitted, labels, settings), labels.scheme().name)

    def statistics(self, fitted: Fitted, labels: LabelPlan, settings: Settings) -> Array:
        """Every column at the observed labels (first row) and at null labels."""
        t = labels.samples.groups.t
        return evaluate_null(fitted, observed_labels(t), labels.scheme(), t, settings.n_resamples, settings)

    def draws(self, labels: LabelPlan, seed: int, count: int, at_once: int = UNIT) -> Iterator[LabelBatch]:
        """Null labels less their means."""
        t = labels.samples.groups.t
        return draw_batches(labels.scheme(), count, seed, t, centre=labels.centre, at_once=at_once)

    def log_ways(self, labels: LabelPlan) -> float:
        """By the sizes of the groups."""
        return labels.log_labelings()

    def assumption(self, labels: LabelPlan) -> str:
        """That of the labels' law."""
        return labels.propensity.assumption


@dataclass(frozen=True)
class Signs:
    """Random signs on the products of the rows: the multiplier (wild) bootstrap.

    Under the null hypothesis ``(t_i - e_i) phi_i rho_i`` has mean zero, with rho_i what X leaves of the outcomes, so
    that it could as well have had the other sign. Where the propensity was fitted, the draws have the covariance that
    its fit leaves of the residuals ``t - e`` (MacKinnon and White, 1985; Wu, 1986; Davidson and Flachaire, 2008). It is
    asymptotic: the product of the errors of the two regressions, of the labels and of the outcomes on X, must be small
    (Shah and Peters, 2020; Chernozhukov, Chetverikov and Kato, 2013). The unit of a sign is a row, or a block of rows.

    It is what tests take by default where the propensity is estimated, and for pairs, models and forecasts.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import Signs, cmmd_test
    >>> rng = np.random.default_rng(0)
    >>> x, group = rng.normal(size=200), np.repeat([1, 0], 100)
    >>> y = x + rng.normal(size=200)
    >>> cmmd_test(x, y, group, rng=1) == cmmd_test(x, y, group, rng=1, null=Signs())
    False
    >>> cmmd_test(x, y, group, rng=1).pvalue == cmmd_test(x, y, group, rng=1, null=Signs()).pvalue
    True
    """

    scheme: ClassVar[SchemeName] = "auto"

    def check(self, statistic: Statistic, rules: LabelRules, settings: Settings) -> None:  # noqa: ARG002
        """The statistic must be one of residual labels, and there must be enough draws for the significance."""
        if "residual labels" not in statistic.needs:
            raise ValueError(
                f"null=Signs() needs a statistic of labels less their propensity, such as Family() or "
                f"CMMD(estimator='overlap'); got {statistic!r}. Use null=Resampling() with any other."
            )
        check_resamples(settings.n_resamples, settings.significance)

    def run(self, fitted: Fitted, labels: LabelPlan, settings: Settings) -> Outcome:
        """Rank the observed residual labels among those of random signs."""
        return self.compare(fitted, labels.multipliers, settings)

    def compare(self, fitted: Fitted, multipliers: Multipliers, settings: Settings) -> Outcome:
        """The same with any multipliers; with all signs there are, where these are no more than were asked for."""
        name = multipliers.name
        if takes_all(multipliers, settings.n_resamples):
            name = name.replace("random signs", "every sign")
        else:
            check_resamples(settings.n_resamples, settings.significance)
        return outcome_of(fitted, _at_signs(fitted, multipliers, settings), name)

    def statistics(self, fitted: Fitted, labels: LabelPlan, settings: Settings) -> Array:
        """Every column at the observed residual labels (first row) and at those of random signs."""
        return _at_signs(fitted, labels.multipliers, settings)

    def draws(self, labels: LabelPlan, seed: int, count: int, at_once: int = UNIT) -> Iterator[LabelBatch]:
        """Those of the test, and more of them if more are wanted."""
        return draw_batches(labels.multipliers, count, seed, labels.multipliers.a, at_once=at_once)

    def log_ways(self, labels: LabelPlan) -> float:
        """A statistic is the same for all signs turned round."""
        return float((labels.multipliers.count - 1) * np.log(2))

    def assumption(self, labels: LabelPlan) -> str:
        """Of two regressions; where one of them is known there is no such product."""
        return ASYMPTOTIC if labels.estimated else labels.propensity.assumption


def _at_signs(fitted: Fitted, multipliers: Multipliers, settings: Settings) -> Array:
    if not takes_all(multipliers, settings.n_resamples):
        return evaluate_null(fitted, multipliers.observed, multipliers, multipliers.a, settings.n_resamples, settings)
    parts = [fitted(multipliers.observed), *(fitted(some) for some in multipliers.every().steps(AT_ONCE))]
    return check_statistics(np.concatenate(parts), fitted)


def takes_all(multipliers: Multipliers, n_resamples: int) -> bool:
    """Whether the units are so few that all signs are taken."""
    return multipliers.count <= FEW_UNITS and ways_to_flip(multipliers.count) - 1 <= n_resamples


def null_of(null: NullLaw | None, labels: LabelPlan, statistic: Statistic) -> NullLaw:
    """The one that was asked for; else random signs where the propensity was estimated, labels where it is known."""
    if null is not None:
        return null
    return Signs() if labels.estimated and "residual labels" in statistic.needs else Resampling()


def outcome_of(fitted: Fitted, statistics: Array, scheme: str) -> Outcome:
    """From every column at the observed vector (first row) and at null draws: joined, and each by itself.

    A column that is a sum of squares counts ties in units of itself, one that has either sign in those of the largest.
    """
    joined = join_columns(fitted, statistics)
    signed = [column.signed for column in fitted.columns]
    units = [float(np.abs(c).max()) if own else None for own, c in zip(signed, statistics.T, strict=True)]
    overall = pvalue(float(joined[0]), joined[1:], unit=units[0] if len(units) == 1 else 1.0)
    single = np.array([pvalue(c[0], c[1:], unit=unit) for c, unit in zip(statistics.T, units, strict=True)])
    by_level = level_results(fitted.columns, statistics[0], single)
    return Outcome(float(joined[0]), overall, joined[1:], by_level, len(statistics) - 1, scheme)


@dataclass(frozen=True, eq=False)
class SignDraws:
    """Random signs of the rows (or blocks) of a test: the ones that it draws itself, the first first."""

    multipliers: Multipliers
    seed: int
    count: int

    @classmethod
    def of(cls, multipliers: Multipliers, settings: Settings) -> SignDraws:
        """As many as the test has, if these are enough for an interval."""
        count = settings.n_resamples
        return cls(multipliers, settings.seed, count if count >= ENOUGH else DRAWS)

    @cached_property
    def signs(self) -> Array:
        """A vector a row: of units, or of classes of very many units."""
        if takes_all(self.multipliers, self.count):
            return to_host(self.multipliers.every().signs).astype(np.float64)
        batches = draw_batches(self.multipliers, self.count, self.seed, self.multipliers.a)
        return np.concatenate([to_host(T.signs) for T in batches if isinstance(T, SignBatch)]).astype(np.float64)

    def __call__(self, parts: Array) -> Array:
        """Sums of what units add to some numbers, (units, numbers), with every vector of signs: (draws, numbers)."""
        return np.asarray(self.signs @ self.multipliers.by_class(parts))
