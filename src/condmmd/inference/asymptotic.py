"""The null law of a linear, centred statistic without draws: what random signs of many rows tend to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from condmmd.backend import Array, LabelBatch
from condmmd.data.checks import check_choice
from condmmd.data.warning_types import ApproximationWarning, warn_user
from condmmd.inference.chi_squares import upper_tail
from condmmd.inference.evaluate import UNIT, check_statistics
from condmmd.inference.joining import cauchy_combination, column_weights
from condmmd.inference.moment_laws import MomentLaw, laws_of, stacked_laws
from condmmd.inference.nulls import Settings, Signs
from condmmd.inference.outcome import Outcome, level_results
from condmmd.labels import LabelPlan, LabelRules, SchemeName
from condmmd.statistics import CMMD, Fitted, LinearFit, Overlap, Statistic

__all__ = ["Asymptotic"]

# Rows, all alike, that would give a sum as near to normal; below it small p-values are not to be relied upon.
FEW_ROWS = 8.0
# Columns that go together make the Cauchy combination too small by up to a tenth (0.054 for 0.05, measured).
DEARER = 1.1


@dataclass(frozen=True)
class Asymptotic:
    """No resampling: with many rows each column is a weighted sum of chi-squares, whose tails are known however small.

    For `Family` and for ``CMMD(estimator=Overlap())``. The moments that they are made of are sums over independent
    rows, with the covariance that random signs give them (`Signs`): so p-values of 1e-10 take no longer than others,
    where draws end at ``1 / (1 + n_resamples)``. Several columns are joined by the Cauchy combination of their
    p-values. It is approximate where few rows carry the sums, and then warns.

    Parameters
    ----------
    scheme
        As in `Resampling`: how the labels are drawn that it stands for.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import Asymptotic, Family, cmmd_test
    >>> rng = np.random.default_rng(0)
    >>> x, group = rng.normal(size=(300, 4)), np.repeat([1, 0], 150)
    >>> y = x[:, 0] + rng.normal(size=300) + group
    >>> cmmd_test(x, y, group, statistic=Family(), null=Asymptotic()).pvalue < 1e-8
    True
    """

    scheme: SchemeName = "auto"

    def __post_init__(self) -> None:
        check_choice(self.scheme, "scheme", ("auto", "permutation", "bernoulli", "fixed-size"))

    def check(self, statistic: Statistic, rules: LabelRules, settings: Settings) -> None:  # noqa: ARG002
        """It must be a statistic that is linear in the labels and centred, of rows with labels of their own."""
        linear = isinstance(statistic, CMMD) and isinstance(statistic.estimator, Overlap)
        if not linear:
            raise ValueError(
                f"null=Asymptotic() needs a statistic that is linear in the labels, Family() or "
                f"CMMD(estimator='overlap'); got {statistic!r}. Use null=Resampling() with any other."
            )
        if rules.blocks is not None:
            raise ValueError(
                "null=Asymptotic() is for rows with labels of their own, not for `blocks`; leave `null` out."
            )

    def run(self, fitted: Fitted, labels: LabelPlan, settings: Settings) -> Outcome:  # noqa: ARG002
        """Upper tails of the law of each column at the observed labels, and their combination."""
        if not isinstance(fitted, LinearFit):
            raise TypeError("null=Asymptotic() is for statistics that are linear in the labels.")
        observed = check_statistics(fitted(labels.multipliers.observed), fitted)[0]
        laws = _column_laws(fitted, labels)
        _warn_few(laws)
        single = _tails(observed, laws)
        smallest = int(np.argmin(single))
        several = len(single) > 1
        overall = _joined(single, fitted)
        scheme = _words(laws, several=several)
        return Outcome(
            float(observed[smallest]), overall, np.empty(0), level_results(fitted.columns, observed, single), 0, scheme
        )

    def draws(self, labels: LabelPlan, seed: int, count: int, at_once: int = UNIT) -> Iterator[LabelBatch]:
        """Random signs, whose limit it is."""
        return Signs().draws(labels, seed, count, at_once)

    def log_ways(self, labels: LabelPlan) -> float:
        """Those of the signs."""
        return Signs().log_ways(labels)

    def assumption(self, labels: LabelPlan) -> str:
        """That of the signs."""
        return Signs().assumption(labels)

    def judge(self, fitted: Fitted, labels: LabelPlan) -> Callable[[Array], float] | None:
        """The p-value of the test if its columns had other values than those observed."""
        if not isinstance(fitted, LinearFit):
            return None
        laws = _column_laws(fitted, labels)
        return lambda columns: _joined(_tails(columns, laws), fitted)


def _column_laws(fitted: LinearFit, labels: LabelPlan) -> list[MomentLaw]:
    return [law for products in fitted.products for law in laws_of(products, labels.noise)]


def _tails(columns: Array, laws: list[MomentLaw]) -> Array:
    """The p-value of each column by itself."""
    return upper_tail(columns, stacked_laws(laws))


def _joined(single: Array, fitted: LinearFit) -> float:
    if len(single) == 1:
        return float(single[0])
    return min(1.0, DEARER * float(cauchy_combination(single, column_weights(fitted))))


def _words(laws: list[MomentLaw], *, several: bool) -> str:
    how = "" if all(law.exact for law in laws) else ", whose smaller weights are known by their sums"
    joined = ", columns joined by the Cauchy combination" if several else ""
    return f"nothing drawn: sums of chi-squares that many rows lead to{how}{joined}"


def _warn_few(laws: list[MomentLaw]) -> None:
    rows = min((law.rows for law in laws if len(law.weights)), default=np.inf)
    if rows < FEW_ROWS:
        warn_user(
            f"null=Asymptotic(): a column rests on about {rows:.0f} rows, too few for the normal law of its sums; use "
            "null=Signs(), or more rows.",
            ApproximationWarning,
        )
