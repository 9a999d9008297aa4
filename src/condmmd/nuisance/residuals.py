"""Residualised outcomes: what is left of the outcomes' features when their pooled regression on X is taken away.

The common part of two conditional distributions cancels in their difference, so the population quantity is the same;
what goes away is the ridge bias that differs between the groups when their covariates do. No labels are involved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import sub as subtract
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from condmmd.backend import Array, map_rows, move_to, to_host
from condmmd.data import Samples
from condmmd.embedding import Embedding
from condmmd.nuisance.folds import fold_parts, shuffled_folds
from condmmd.nuisance.outcome_models import fit_regressor, predict
from condmmd.nuisance.pooled import PooledRegression

__all__ = [
    "Fit", "NoResiduals", "PooledResiduals", "RegressorResiduals", "Residualization", "Residuals", "residual_model",
]  # fmt: skip

FOLDS = 5


@dataclass(frozen=True)
class Residualization:
    """How the pooled regression was done, and the share of the outcomes' features that it explains out of sample."""

    model: str
    explained: float


Fit: TypeAlias = tuple[Embedding, Residualization | None]


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
        return y, None


@dataclass(frozen=True)
class PooledResiduals:
    """Take the pooled ridge regression away."""

    needs_pooled = True
    needs_columns = False

    def fit(self, y: Embedding, samples: Samples, pooled: PooledRegression | None) -> Fit:  # noqa: ARG002
        if pooled is None:
            raise ValueError("the pooled regression is missing.")
        residual = map_rows(subtract, y.phi, pooled.fitted, columns=y.rank)
        return replace(y, phi=residual), Residualization(pooled.model, pooled.explained)


@dataclass(frozen=True, eq=False)
class RegressorResiduals:
    """Take a scikit-learn regressor of the features away, cross-fitted."""

    model: Any
    needs_pooled = False
    needs_columns = True

    def fit(self, y: Embedding, samples: Samples, pooled: PooledRegression | None) -> Fit:  # noqa: ARG002
        psi = to_host(y.phi)
        residual = psi - self._predictions(to_host(samples.x.values), psi)
        total = float(np.mean(np.sum((psi - psi.mean(axis=0)) ** 2, axis=1))) or 1.0
        explained = 1.0 - float(np.mean(np.sum(residual**2, axis=1))) / total
        description = Residualization(f"{self.model!r}, {FOLDS}-fold cross-fitted", explained)
        return replace(y, phi=move_to(residual, y.phi)), description

    def _predictions(self, X: Array, psi: Array) -> Array:
        predicted = np.empty_like(psi)
        for rows, train in fold_parts(len(X), shuffled_folds(len(X), min(FOLDS, len(X)))):
            predicted[rows] = predict(fit_regressor(self.model, X[train], psi[train]), X[rows], psi.shape[1])
        return predicted


def residual_model(residualize: Any, *, gram: bool) -> Residuals:
    """Read the argument ``residualize``, before any work."""
    if residualize is True or residualize is False:
        return PooledResiduals() if residualize else NoResiduals()
    ours = isinstance(residualize, Residuals)
    if isinstance(residualize, type) or not (ours or (hasattr(residualize, "fit") and hasattr(residualize, "predict"))):
        raise TypeError(
            f"`residualize` must be True, False, Forests() or a scikit-learn regressor; got {residualize!r}."
        )
    model: Residuals = residualize if ours else RegressorResiduals(residualize)
    if gram and model.needs_columns:
        raise TypeError("`residualize`: a regressor needs the columns of X, not a Gram matrix; use True or False.")
    return model
