"""The propensity e(x), the probability that a pooled row at x is from P: null labels need it when X moved."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.logistic import cross_validated_logistic
from condmmd.notices import OverlapWarning
from condmmd.nuisance import PooledRegression, normal_scores, one_hot
from condmmd.resampling import tilt
from condmmd.samples import Array, Table

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
    def at_prevalence(self) -> Array:
        """The propensity with the odds scaled so that it sums to n: a given one may be for another prevalence."""
        return tilt(np.log(self.e) - np.log1p(-self.e), self.n)

    @property
    def balanced(self) -> Array:
        """The propensity that the same X would have if the two samples were of one size: p / (p + q) of densities."""
        share = self.n / len(self.e)
        odds = self.at_prevalence / (1 - self.at_prevalence) * (1 - share) / share
        return odds / (1 + odds)

    @property
    def effective_size(self) -> float:
        """Rows' worth of random labels: N if X has equal distributions, 0 if every label is determined by x."""
        share = self.n / len(self.e)
        return float(np.sum(self.at_prevalence * (1 - self.at_prevalence)) / (share * (1 - share)))

    def summary(self) -> dict[str, Any]:
        """What the result tells of it."""
        low, middle, high = np.quantile(self.e, [0.0, 0.5, 1.0])
        return {
            "source": self.source,
            "model": self.model,
            "min": float(low),
            "median": float(middle),
            "max": float(high),
            "effective_size": self.effective_size,
        }


def check_propensity(propensity: Any) -> None:
    """Reject what cannot be a propensity, before any work."""
    if isinstance(propensity, str) and propensity != "estimate":
        raise ValueError(
            f"`propensity` must be 'estimate', None (X has the same distribution in both samples), a function of X, "
            f"probabilities, or a classifier; got '{propensity}'."
        )
    if isinstance(propensity, type):
        raise TypeError(f"`propensity` is a class; make a classifier of it, as in {propensity.__name__}().")


def read_propensity(propensity: Any, X: Any, x: Table, design: Array, t: Array) -> Propensity:
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
    if propensity is None:
        return Propensity(np.full(len(t), t.mean()), "equal marginals", "constant", int(t.sum()))
    if isinstance(propensity, str):
        return _estimate(design, t)
    if hasattr(propensity, "predict_proba"):
        from sklearn.base import clone  # noqa: PLC0415 - a slow import that few runs need

        fitted = clone(propensity).fit(x.values, t.astype(int))
        return Propensity(
            _checked(fitted.predict_proba(x.values)[:, 1], t), "estimated", repr(propensity), int(t.sum())
        )
    if callable(propensity):
        name = getattr(propensity, "__name__", repr(propensity))
        return Propensity(_checked(propensity(X), t), "known", f"function {name}", int(t.sum()))
    return Propensity(_checked(propensity, t), "known", "given probabilities", int(t.sum()))


def _checked(values: Any, t: Array) -> Array:
    e = np.asarray(values, dtype=np.float64).reshape(-1)
    if len(e) != len(t):
        raise ValueError(f"`propensity` must give one probability a row, {len(t)}; got {len(e)}.")
    if not np.isfinite(e).all():
        raise ValueError(f"`propensity` gave {int((~np.isfinite(e)).sum())} NaN or infinite probabilities of {len(e)}.")
    if e.min() <= 0 or e.max() >= 1:
        outside = int(((e <= 0) | (e >= 1)).sum())
        raise ValueError(
            f"`propensity` must lie strictly between 0 and 1; got {outside} value(s) outside, from {e.min():.4g} to "
            f"{e.max():.4g}. Drop the rows that could be of one group only."
        )
    return e


def propensity_design(x: Table, pooled: PooledRegression) -> Array:
    """What the labels may depend on: main effects, squares, and the directions in which outcomes depend on X.

    Balance matters only where the outcomes depend on x, so the fitted outcomes themselves (prognostic scores) and the
    features of the kernel that fits them best are the columns to have.
    """
    scores = _standardised(normal_scores(x.values[:, list(x.numeric)]))
    parts = [
        LESS_PENALISED * scores,
        LESS_PENALISED * pooled.prognostic(),
        _standardised(scores**2),
        one_hot(x),
        pooled.features[:, :MAX_FEATURES],
    ]
    return np.column_stack(parts)


def _standardised(values: Array) -> Array:
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _estimate(design: Array, t: Array) -> Propensity:
    """Penalised logistic regression."""
    e, C = cross_validated_logistic(design, t, PENALTIES, _folds(t))
    e = np.clip(e, 1e-12, 1 - 1e-12)  # keeps the odds finite, no more
    told = f"logistic regression on {design.shape[1]} features of X, C = {C:g}"
    return Propensity(e, "estimated", told, int(t.sum()))


def _folds(t: Array) -> npt.NDArray[np.int64]:
    """Shuffled folds of some 20,000 rows at most, the same every time, both groups spread evenly over them."""
    n_folds = int(max(2, min(FOLDS, t.sum(), len(t) - t.sum())))
    order = np.random.default_rng(0).permutation(len(t))
    order = order[np.argsort(t[order], kind="stable")]
    folds = np.full(len(t), -1)
    used = order[:: -(-len(t) // FOLD_ROWS)]
    folds[used] = np.arange(len(used)) % n_folds
    return folds


def warn_overlap(propensity: Propensity, x: Table, t: Array, stacklevel: int) -> None:
    """Warn where one sample is almost alone; raise where no label is random."""
    if np.sum(propensity.at_prevalence * (1 - propensity.at_prevalence)) < 1:
        raise ValueError(
            f"`propensity`: no overlap. As it stands every row could be of one group only ({int(t.sum())} rows of P, "
            f"{int(len(t) - t.sum())} of Q), so Y given X is never seen in both. Compare groups whose X overlap; or, "
            "if X is known to have the same distribution in both, use propensity=None."
        )
    balanced = propensity.balanced
    regions = [
        f"almost only {name} in {int(alone.sum())} of {len(t)} rows, with {_ranges(x, alone)}"
        for name, alone, own in (("P", balanced > 1 - EDGE, t == 1), ("Q", balanced < EDGE, t == 0))
        if alone[own].mean() > MAX_ALONE
    ]
    if regions:
        warnings.warn(
            f"the two samples overlap little in X: {'; '.join(regions)}. Nothing can be said about Y given X there; "
            "trim=0.05 leaves such rows out.",
            OverlapWarning,
            stacklevel=stacklevel,
        )


def _ranges(x: Table, rows: npt.NDArray[np.bool_]) -> str:
    told = []
    for j, column in enumerate(x.columns[:3]):
        values = x.values[rows, j]
        if column.categories is None:
            told.append(f"{column.name} from {values.min():.3g} to {values.max():.3g}")
        else:
            told.append(f"{column.name} in {sorted({column.categories[int(code)] for code in values})[:4]}")
    return ", ".join(told)
