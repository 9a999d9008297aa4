"""The propensity e(x), the probability that a pooled row at x is from P: null labels need it when X moved."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.arrays import (
    Rows,
    as_float,
    column_span,
    is_device,
    is_lazy,
    kept,
    map_rows,
    matching,
    n_rows,
    namespace,
    pick_rows,
    sample_rows,
    sum_rows,
    to_host,
    total,
)
from condmmd.logistic import cross_validated_logistic
from condmmd.notices import OverlapWarning
from condmmd.nuisance import PooledRegression, Scores, one_hot
from condmmd.resampling import log_odds, tilt
from condmmd.samples import SAMPLE_ROWS, Array, Table, in_blocks
from condmmd.threads import cached_property

__all__ = [
    "Propensity",
    "PropensityLike",
    "check_propensity",
    "propensity_design",
    "read_propensity",
    "warn_overlap",
]

PropensityLike: TypeAlias = Literal["estimate"] | Callable[[Any], Any] | npt.ArrayLike | None
Source: TypeAlias = Literal["equal marginals", "strata", "known", "estimated"]

# Features of the pooled regression's kernel that the estimate takes, and what the logistic regression may penalise by.
MAX_FEATURES = 40
PENALTIES = 10.0 ** np.arange(-2.0, 3.1)
FOLDS = 5
FOLD_ROWS = 20_000
# Main effects and the directions in which outcomes depend on X are penalised this much (squared) less than the rest.
LESS_PENALISED = 3.0
# Where one sample's density is this share of both, or less, the other is almost alone. A warning, if that is so for
# more than this part of either sample.
EDGE = 0.005
MAX_ALONE = 0.1


@dataclass(frozen=True, eq=False)
class Propensity:
    """Probabilities at the rows (or blocks), where they are from, and what validity rests on."""

    e: Array
    source: Source
    model: str
    n: int

    @property
    def assumption(self) -> str:
        """What must hold for the p-value to be right."""
        return {
            "equal marginals": "X having the same distribution in both samples (asserted by propensity=None)",
            "strata": "nothing beyond independent rows: labels are shuffled among rows of equal X",
            "known": "the given propensity being the probability of P at x, up to a constant factor in the odds",
            "estimated": "the estimated propensity, or the pooled regression of Y on X, being near the true one, so it "
            "is approximate",
        }[self.source]

    @cached_property
    def at_prevalence(self) -> Rows:
        """The propensity with the odds scaled so that it sums to n: a given one may be for another prevalence."""
        return kept(tilt(map_rows(log_odds, self.e), self.n))

    @property
    def share(self) -> float:
        """The part of the rows that is P."""
        return self.n / n_rows(self.e)

    @cached_property
    def balanced(self) -> Rows:
        """The propensity that the same X would have if the two samples were of one size: p / (p + q) of densities."""
        return map_rows(partial(_balanced, share=self.share), self.at_prevalence)

    @cached_property
    def random_rows(self) -> float:
        """The sum of e (1 - e): the variance of the number of ones."""
        return float(sum_rows(_variances, self.at_prevalence))

    @property
    def effective_size(self) -> float:
        """Rows' worth of random labels: N if X has equal distributions, 0 if every label is determined by x."""
        return self.random_rows / (self.share * (1 - self.share))

    def summary(self) -> dict[str, Any]:
        """What the result tells of it."""
        low, high = column_span(self.e)
        middle = np.median(to_host(pick_rows(self.e, sample_rows(n_rows(self.e), SAMPLE_ROWS))))
        return {
            "source": self.source,
            "model": self.model,
            "min": float(low),
            "median": float(middle),
            "max": float(high),
            "effective_size": self.effective_size,
        }


def _balanced(e: Rows, share: float) -> Rows:
    odds = e / (1 - e) * (1 - share) / share
    return odds / (1 + odds)


def _variances(e: Rows) -> Array:
    return namespace(e).sum(e * (1 - e))


def check_propensity(propensity: Any) -> None:
    """Reject what cannot be a propensity, before any work."""
    if isinstance(propensity, str) and propensity != "estimate":
        raise ValueError(
            f"`propensity` must be 'estimate', None (X has the same distribution in both samples), a function of X, "
            f"probabilities, or a classifier; got '{propensity}'."
        )
    if isinstance(propensity, type):
        raise TypeError(f"`propensity` is a class; make a classifier of it, as in {propensity.__name__}().")


def read_propensity(propensity: Any, X: Any, x: Table, design: Rows, t: Rows) -> Propensity:
    """Probabilities at every row: constant, given, or estimated from X and the labels.

    Parameters
    ----------
    propensity
        As in `cmmd_test`.
    X
        The covariates as the user gave them, for a function of X.
    x
        The same as a table, for a classifier.
    design
        What the estimate regresses on, from `propensity_design`.
    t
        Labels.
    """
    n = round(float(total(t)))
    if propensity is None:
        return Propensity(map_rows(partial(_constant, value=n / n_rows(t)), t), "equal marginals", "constant", n)
    if isinstance(propensity, str):
        return _estimate(design, t)
    if hasattr(propensity, "predict_proba"):
        from sklearn.base import clone  # noqa: PLC0415 - a slow import that few runs need

        values = to_host(x.values)
        fitted = clone(propensity).fit(values, to_host(t).astype(int))
        return Propensity(_checked(fitted.predict_proba(values)[:, 1], t), "estimated", repr(propensity), n)
    if callable(propensity):
        name = getattr(propensity, "__name__", repr(propensity))
        return Propensity(_checked(propensity(X), t), "known", f"function {name}", n)
    return Propensity(_checked(propensity, t), "known", "given probabilities", n)


def _constant(t: Rows, value: float) -> Rows:
    return 0.0 * t + value


def _checked(values: Any, t: Rows) -> Rows:
    """Probabilities where the labels are."""
    e = _like(values, t)
    if n_rows(e) != n_rows(t):
        raise ValueError(f"`propensity` must give one probability a row, {n_rows(t)}; got {n_rows(e)}.")
    low, high = column_span(e)
    if not (np.isfinite(low) and np.isfinite(high)):
        bad = int(sum_rows(_count_not_finite, e))
        raise ValueError(f"`propensity` gave {bad} NaN or infinite probabilities of {n_rows(e)}.")
    if low <= 0 or high >= 1:
        outside = int(sum_rows(_count_outside, e))
        raise ValueError(
            f"`propensity` must lie strictly between 0 and 1; got {outside} value(s) outside, from {low:.4g} to "
            f"{high:.4g}. Drop the rows that could be of one group only."
        )
    return e


def _like(values: Any, t: Rows) -> Rows:
    if is_lazy(t):
        read = values if is_lazy(values) else np.asarray(values, dtype=np.float64).reshape(-1)
        if n_rows(read) != n_rows(t):
            return read
        return in_blocks(read.reshape(-1), t)
    if is_device(values):
        return namespace(values).reshape(as_float(values), (-1,))
    return matching(np.asarray(values, dtype=np.float64).reshape(-1), t)


def _count_not_finite(e: Rows) -> Array:
    xp = namespace(e)
    return xp.sum(xp.astype(~xp.isfinite(e), xp.int64))


def _count_outside(e: Rows) -> Array:
    xp = namespace(e)
    return xp.sum(xp.astype((e <= 0) | (e >= 1), xp.int64))


def propensity_design(x: Table, pooled: PooledRegression) -> Rows:
    """What the labels may depend on: main effects, squares, and the directions in which outcomes depend on X.

    Balance matters only where the outcomes depend on x, so the fitted outcomes themselves (prognostic scores) and the
    features of the kernel that fits them best are the columns to have.
    """
    numeric, prognostic = pooled.scores, pooled.prognostic()
    d = len(numeric.columns)
    moments = [to_host(part) / n_rows(x.values) for part in sum_rows(partial(_score_sums, numeric=numeric), x.values)]
    make = partial(_design, x=x.head(), numeric=numeric, standard=_standard(moments))
    width = (
        2 * d + prognostic.shape[1] + one_hot(x.sample[:1], x).shape[1] + min(MAX_FEATURES, pooled.features.shape[1])
    )
    return map_rows(make, x.values, prognostic, pooled.features, columns=width)


def _score_sums(values: Rows, numeric: Scores) -> tuple[Array, ...]:
    """Sums of the first four powers of the scores."""
    scores, xp = numeric(values), namespace(values)
    return tuple(xp.sum(scores**power, axis=0) for power in (1, 2, 3, 4))


def _standard(means: list[Array]) -> tuple[Array, ...]:
    """Mean and spread of the scores, and of their squares once they are standardised, from means of their powers."""
    first, second, third, fourth = means
    spread = np.sqrt(np.maximum(second - first**2, 0.0))
    spread = np.where(spread > 0, spread, 1.0)
    square = (second - first**2) / spread**2
    central = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
    of_square = np.sqrt(np.maximum(central / spread**4 - square**2, 0.0))
    return first, spread, square, np.where(of_square > 1e-8, of_square, 1.0)


def _design(
    values: Rows, prognostic: Rows, features: Rows, x: Table, numeric: Scores, standard: tuple[Array, ...]
) -> Rows:
    mean, spread, square, of_square = (matching(part, values) for part in standard)
    scores = (numeric(values) - mean) / spread
    parts = [
        LESS_PENALISED * scores,
        LESS_PENALISED * prognostic,
        (scores**2 - square) / of_square,
        one_hot(values, x),
        features[:, : min(MAX_FEATURES, features.shape[1])],
    ]
    return namespace(values).concat(parts, axis=1)


def _estimate(design: Rows, t: Rows) -> Propensity:
    """Penalised logistic regression."""
    rows = sample_rows(n_rows(t), FOLD_ROWS)
    folds = _folds(to_host(pick_rows(t, rows)))
    e, C = cross_validated_logistic(design, t, PENALTIES, rows, folds)
    told = f"logistic regression on {design.shape[1]} features of X, C = {C:g}"
    e = kept(map_rows(_finite_odds, e))
    return Propensity(e, "estimated", told, round(float(total(t))))


def _finite_odds(e: Rows) -> Rows:
    return namespace(e).clip(e, 1e-12, 1 - 1e-12)


def _folds(t: Array) -> npt.NDArray[np.int64]:
    """Shuffled folds, the same every time, both groups spread evenly over them."""
    n_folds = int(max(2, min(FOLDS, t.sum(), len(t) - t.sum())))
    order = np.random.default_rng(0).permutation(len(t))
    order = order[np.argsort(t[order], kind="stable")]
    folds = np.empty(len(t), dtype=np.int64)
    folds[order] = np.arange(len(t)) % n_folds
    return folds


def warn_overlap(propensity: Propensity, x: Table, t: Array, stacklevel: int) -> None:
    """Warn where one sample is almost alone; raise where no label is random."""
    n = propensity.n
    if propensity.random_rows < 1:
        raise ValueError(
            f"`propensity`: no overlap. As it stands every row could be of one group only ({n} rows of P, "
            f"{n_rows(t) - n} of Q), so Y given X is never seen in both. Compare groups whose X overlap; or, "
            "if X is known to have the same distribution in both, use propensity=None."
        )
    counts = to_host(sum_rows(_alone, propensity.balanced, t))
    crowded = counts[:, 1] > MAX_ALONE * np.array([n, n_rows(t) - n])
    regions = []
    if crowded.any():
        some = sample_rows(n_rows(t), SAMPLE_ROWS)
        balanced = to_host(pick_rows(propensity.balanced, some))
        regions = [
            f"almost only {name} in {int(count)} of {n_rows(t)} rows, with {_ranges(x, alone)}"
            for name, alone, count, too_many in (
                ("P", balanced > 1 - EDGE, counts[0, 0], crowded[0]), ("Q", balanced < EDGE, counts[1, 0], crowded[1])
            )
            if too_many and alone.any()
        ]  # fmt: skip
    if regions:
        warnings.warn(
            f"the two samples overlap little in X: {'; '.join(regions)}. Nothing can be said about Y given X there; "
            "trim=0.05 leaves such rows out.",
            OverlapWarning,
            stacklevel=stacklevel,
        )


def _alone(balanced: Rows, t: Rows) -> Array:
    """Rows where almost only P, or only Q, is found: of both groups, and of that group."""
    xp = namespace(balanced)
    only_p, only_q = as_float(balanced > 1 - EDGE), as_float(balanced < EDGE)
    counts = [xp.sum(only_p), xp.sum(only_p * t), xp.sum(only_q), xp.sum(only_q * (1 - t))]
    return xp.reshape(xp.stack(counts), (2, 2))


def _ranges(x: Table, rows: npt.NDArray[np.bool_]) -> str:
    told = []
    for j, column in enumerate(x.columns[:3]):
        values = x.sample[rows, j]
        if column.categories is None:
            told.append(f"{column.name} from {values.min():.3g} to {values.max():.3g}")
        else:
            told.append(f"{column.name} in {sorted({column.categories[int(code)] for code in values})[:4]}")
    return ", ".join(told)
