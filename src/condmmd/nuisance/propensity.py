"""The propensity e(x), the probability that a pooled row at x is from P: a test needs it when X moved.

A model of it has a ``fit`` that gives the probabilities at the rows. `propensity_model` reads what the user passed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    Array,
    Rows,
    cached_property,
    column_span,
    content_order,
    map_rows,
    n_rows,
    namespace,
    persist,
    pick_rows,
    rows_like,
    sample_rows,
    sum_rows,
    take,
    to_host,
    total,
)
from condmmd.data import SAMPLE_ROWS, Table
from condmmd.data.masks import unmasked
from condmmd.nuisance.folds import balanced_folds
from condmmd.nuisance.mixing import mixed_with_trees
from condmmd.regression.logistic import LogisticFit, cross_validated_logistic
from condmmd.regression.odds import balanced, log_odds, tilt, total_overlap

__all__ = [
    "Classifier", "EqualMarginals", "Known", "Logistic", "Propensity", "PropensityLike", "PropensityModel",
    "evaluated", "propensity_model",
]  # fmt: skip

PropensityLike: TypeAlias = Literal["estimate"] | Callable[[Any], Any] | npt.ArrayLike | None
Source: TypeAlias = Literal["equal marginals", "strata", "known", "estimated"]

ASSUMPTIONS: dict[Source, str] = {
    "equal marginals": "X having the same distribution in both samples (asserted by propensity=None)",
    "strata": "nothing beyond independent rows: labels are shuffled among rows of equal X",
    "known": "the given propensity being the probability of P at x, up to a constant factor in the odds",
    "estimated": "the estimated propensity being near the true one, so it is approximate",
}
# What the logistic regression may penalise by, and the folds and rows by which that is chosen.
PENALTIES = 10.0 ** np.arange(-3.0, 3.1)
FOLDS = 5
FOLD_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class Propensity:
    """Probabilities at the rows (or at blocks of rows), where they are from, and what validity rests on."""

    e: Rows
    source: Source
    model: str
    n: int
    fit: LogisticFit | None = None

    @property
    def assumption(self) -> str:
        """What must hold for the p-value to be right."""
        return ASSUMPTIONS[self.source]

    @cached_property
    def at_prevalence(self) -> Rows:
        """The propensity with the odds scaled so that it sums to n: a given one may be for another prevalence."""
        return persist(tilt(map_rows(log_odds, self.e), self.n))

    @property
    def share(self) -> float:
        """The part of the rows that is P."""
        return self.n / n_rows(self.e)

    @cached_property
    def balanced(self) -> Rows:
        """The propensity that the same X would have if the two samples were of one size: p / (p + q) of densities."""
        return map_rows(partial(balanced, share=self.share), self.at_prevalence)

    @cached_property
    def random_rows(self) -> float:
        """The sum of e (1 - e): the variance of the number of ones."""
        return total_overlap(self.at_prevalence)

    @property
    def effective_size(self) -> float:
        """Rows' worth of random labels: N if X has equal distributions, 0 if every label is determined by x."""
        return self.random_rows / (self.share * (1 - self.share))

    def on_rows(self, index: npt.NDArray[np.int64], n: int) -> Propensity:
        """At some of the rows, of which ``n`` are of P."""
        return replace(self, e=take(self.e, index), n=n, fit=None)

    def summary(self) -> dict[str, Any]:
        """What the result says of it."""
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


class PropensityModel(Protocol):
    """A way to the propensity.

    ``learns`` says whether it is estimated from the labels; ``needs_regressors``, whether it wants the columns that
    `propensity_regressors` makes.
    """

    @property
    def learns(self) -> bool: ...
    @property
    def needs_regressors(self) -> bool: ...
    def fit(self, x: Table, regressors: Rows | None, t: Rows) -> Propensity:
        """Probabilities at the rows, from the covariates, what may be regressed on, and the labels."""


@dataclass(frozen=True)
class EqualMarginals:
    """X has the same distribution in both samples, as the user asserts."""

    learns = False
    needs_regressors = False

    def fit(self, x: Table, regressors: Rows | None, t: Rows) -> Propensity:  # noqa: ARG002
        n = round(float(total(t)))
        return Propensity(map_rows(partial(_constant, value=n / n_rows(t)), t), "equal marginals", "constant", n)


def _constant(t: Rows, value: float) -> Rows:
    return 0.0 * t + value


@dataclass(frozen=True, eq=False)
class Known:
    """One probability a row, given."""

    values: Any
    description: str = "given probabilities"
    learns = False
    needs_regressors = False

    def fit(self, x: Table, regressors: Rows | None, t: Rows) -> Propensity:  # noqa: ARG002
        return Propensity(_checked(self.values, t), "known", self.description, round(float(total(t))))


@dataclass(frozen=True, eq=False)
class Classifier:
    """A scikit-learn classifier, fitted to the labels."""

    model: Any
    learns = True
    needs_regressors = False

    def fit(self, x: Table, regressors: Rows | None, t: Rows) -> Propensity:  # noqa: ARG002
        from sklearn.base import clone  # noqa: PLC0415 - a slow import that few runs need

        values, labels = to_host(x.values), to_host(t).astype(int)
        if not len(values[0]):
            raise TypeError("`propensity`: a classifier needs the columns of X, not a Gram matrix; give probabilities.")
        fitted = clone(self.model).fit(values, labels)
        probabilities = _checked(fitted.predict_proba(values)[:, 1], t)
        return Propensity(probabilities, "estimated", repr(self.model), int(labels.sum()))


@dataclass(frozen=True)
class Logistic:
    """Penalised logistic regression on main effects, squares, and what the outcomes depend on; with trees, if many."""

    learns = True
    needs_regressors = True

    def fit(self, x: Table, regressors: Rows | None, t: Rows) -> Propensity:
        if regressors is None:
            raise ValueError("the logistic regression has nothing to regress on.")
        rows = sample_rows(n_rows(t), FOLD_ROWS)
        order = content_order(to_host(pick_rows(x.values, rows)))
        folds = balanced_folds(to_host(pick_rows(t, rows)), FOLDS, order)
        fit = cross_validated_logistic(regressors, t, PENALTIES, rows, folds)
        description = f"logistic regression on {regressors.shape[1]} features of X, C = {fit.C:g}"
        n = round(float(total(t)))
        e, own, trees = mixed_with_trees(x, t, map_rows(_finite_odds, fit.e))
        if trees:
            e = tilt(map_rows(log_odds, e), n)
            fit = replace(fit, share=own)
            description += f", and trees ({trees / (own + trees):.0%})"
        return Propensity(persist(e), "estimated", description, n, fit)


def _finite_odds(e: Rows) -> Rows:
    clipped: Rows = namespace(e).clip(e, 1e-12, 1 - 1e-12)
    return clipped


@dataclass(frozen=True, eq=False)
class OfX:
    """A function of X as the user gave it, which is evaluated when X was found to be good."""

    function: Callable[[Any], Any]
    learns = False
    needs_regressors = False

    def fit(self, x: Table, regressors: Rows | None, t: Rows) -> Propensity:  # noqa: ARG002
        raise TypeError("a function of X must be evaluated first.")


def evaluated(model: PropensityModel, X: Any) -> PropensityModel:
    """The same model, with a function of X in its values at ``X``."""
    if not isinstance(model, OfX):
        return model
    return Known(model.function(X), f"function {getattr(model.function, '__name__', repr(model.function))}")


def propensity_model(propensity: Any) -> PropensityModel:
    """Read the argument ``propensity``, before any work."""
    if propensity is None:
        return EqualMarginals()
    if isinstance(propensity, str):
        if propensity == "estimate":
            return Logistic()
        raise ValueError(
            f"`propensity` must be 'estimate', None (X has the same distribution in both samples), a function of X, "
            f"probabilities, or a classifier; got '{propensity}'."
        )
    if isinstance(propensity, type):
        raise TypeError(f"`propensity` is a class; make a classifier of it, as in {propensity.__name__}().")
    if hasattr(propensity, "predict_proba"):
        return Classifier(propensity)
    if callable(propensity):
        return OfX(propensity)
    own = unmasked(propensity, "propensity")
    return Known(np.array(own) if isinstance(own, np.ndarray) else own)


def _checked(values: Any, t: Rows) -> Rows:
    """Probabilities where the labels are."""
    e: Rows = rows_like(unmasked(values, "propensity"), t)
    if n_rows(e) != n_rows(t):
        raise ValueError(f"`propensity` must give one probability a row, {n_rows(t)}; got {n_rows(e)}.")
    low, high = column_span(e)
    if not (np.isfinite(low) and np.isfinite(high)):
        bad = int(sum_rows(_count_not_finite, e))
        raise ValueError(f"`propensity` gave {bad} NaN or infinite probabilities of {n_rows(e)}; all must be numbers.")
    if low <= 0 or high >= 1:
        outside = int(sum_rows(_count_outside, e))
        raise ValueError(
            f"`propensity` must lie strictly between 0 and 1; got {outside} value(s) outside, from {low:.4g} to "
            f"{high:.4g}. Drop the rows that could be of one group only."
        )
    return e


def _count_not_finite(e: Rows) -> Array:
    xp = namespace(e)
    count: Array = xp.sum(xp.astype(~xp.isfinite(e), xp.int64))
    return count


def _count_outside(e: Any) -> Array:
    xp = namespace(e)
    count: Array = xp.sum(xp.astype((e <= 0) | (e >= 1), xp.int64))
    return count
