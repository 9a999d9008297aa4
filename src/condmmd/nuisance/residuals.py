"""Residualised outcomes: what is left of the outcomes' features when their pooled regression on X is taken away.

The common part of two conditional distributions cancels in their difference, so the population quantity is the same;
what goes away is the ridge bias that differs between the groups when their covariates do. No labels are involved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import sub as subtract
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    Array,
    Rows,
    content_order,
    map_rows,
    move_to,
    n_rows,
    to_host,
)
from condmmd.backend import total as sum_of
from condmmd.data import Samples
from condmmd.embedding import Embedding
from condmmd.nuisance.folds import fold_parts, shuffled_folds
from condmmd.nuisance.outcome_models import fit_regressor, predict
from condmmd.nuisance.pooled import PooledRegression

__all__ = [
    "Fit", "NoResiduals", "PooledRidge", "RegressorResiduals", "Residualization", "Residuals", "less_mean",
    "residual_model",
]  # fmt: skip

FOLDS = 5


@dataclass(frozen=True)
class Residualization:
    """How the pooled regression was done, and the share of the outcomes' features that it explains out of sample."""

    model: str
    explained: float


class Fit(NamedTuple):
    """Features of the outcomes less what X says of them, how that was found, and the same for further columns.

    ``further`` takes columns with the same rows, which no label has had a part in; ``anew`` learns more of them, where
    there is a model that can (None: the same).
    """

    outcomes: Embedding
    how: Residualization | None
    further: Callable[[Rows], Rows]
    anew: Callable[[Rows], Rows] | None = None


@runtime_checkable
class Residuals(Protocol):
    """What is taken away from the outcomes before they are compared, perhaps by the pooled regression."""

    @property
    def needs_pooled(self) -> bool: ...
    @property
    def needs_columns(self) -> bool: ...
    def fit(self, y: Embedding, samples: Samples, pooled: PooledRegression | None) -> Fit:
        """The outcomes' features less what X says of them, and how that was found."""


@dataclass(frozen=True)
class NoResiduals:
    """Compare the outcomes as they are."""

    needs_pooled = False
    needs_columns = False

    def fit(self, y: Embedding, samples: Samples, pooled: PooledRegression | None) -> Fit:  # noqa: ARG002
        return Fit(y, None, less_mean)


@dataclass(frozen=True)
class PooledRidge:
    """Take away what a pooled ridge regression on a kernel of X says, whose kernel and lambda leave-one-out chooses.

    Smooth kernels know no edges: `Forests` does, and is what ``residualize=True`` takes wherever X has columns.

    Examples
    --------
    >>> from condmmd import PooledRidge
    >>> PooledRidge()
    PooledRidge()
    """

    needs_pooled = True
    needs_columns = False

    def fit(self, y: Embedding, samples: Samples, pooled: PooledRegression | None) -> Fit:  # noqa: ARG002
        if pooled is None:
            raise ValueError("the pooled regression is missing.")
        residual = map_rows(subtract, y.phi, pooled.fitted, columns=y.rank)
        return Fit(replace(y, phi=residual), Residualization(pooled.model, pooled.explained), pooled.less_fitted)


@dataclass(frozen=True, eq=False)
class RegressorResiduals:
    """Take a scikit-learn regressor of the features away, cross-fitted."""

    model: Any
    needs_pooled = False
    needs_columns = True

    def fit(self, y: Embedding, samples: Samples, pooled: PooledRegression | None) -> Fit:  # noqa: ARG002
        psi, X = to_host(y.phi), to_host(samples.x.values)
        folds = shuffled_folds(len(X), min(FOLDS, len(X)), content_order(X, psi[:, 0]))
        residual = self._residuals(psi, X, folds)
        total = float(np.mean(np.sum((psi - psi.mean(axis=0)) ** 2, axis=1))) or 1.0
        explained = 1.0 - float(np.mean(np.sum(residual**2, axis=1))) / total
        description = Residualization(f"{self.model!r}, {FOLDS}-fold cross-fitted", explained)
        further = partial(self._residuals_where_rows_are, X=X, folds=folds)
        return Fit(replace(y, phi=move_to(residual, y.phi)), description, further)

    def _residuals_where_rows_are(self, values: Rows, X: Array, folds: npt.NDArray[np.int64]) -> Rows:
        residual: Rows = move_to(self._residuals(to_host(values), X, folds), values)
        return residual

    def _residuals(self, psi: Array, X: Array, folds: npt.NDArray[np.int64]) -> Array:
        predicted = np.empty_like(psi)
        for rows, train in fold_parts(len(X), folds):
            fitted = fit_regressor(self.model, X[train], psi[train])
            predicted[rows] = predict(fitted, X[rows], psi.shape[1], "residualize")
        return psi - predicted


def less_mean(values: Rows) -> Rows:
    """Columns less their means."""
    mean = sum_of(values) / n_rows(values)
    return map_rows(partial(_less, mean=mean), values, columns=values.shape[1])


def _less(values: Rows, mean: AnyArray) -> Rows:
    return values - mean


def residual_model(residualize: Any, default: Residuals, *, gram: bool) -> Residuals:
    """Read the argument ``residualize``, before any work; True is ``default`` where X has columns."""
    if residualize is False:
        return NoResiduals()
    if residualize is True:
        return PooledRidge() if gram else default
    ours = isinstance(residualize, Residuals)
    if isinstance(residualize, type) or not (ours or (hasattr(residualize, "fit") and hasattr(residualize, "predict"))):
        raise TypeError(
            "`residualize` must be True, False, Forests(), PooledRidge() or a scikit-learn regressor; "
            f"got {residualize!r}."
        )
    model: Residuals = residualize if ours else RegressorResiduals(residualize)
    if gram and model.needs_columns:
        raise TypeError("`residualize`: a regressor needs the columns of X, not a Gram matrix; use True or False.")
    return model
