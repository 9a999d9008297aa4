"""Residualised outcomes: what is left of the outcomes' features when their pooled regression on X is taken away.

The common part of two conditional distributions cancels in their difference, so the population quantity is the same;
what goes away is the ridge bias that differs between the groups when their covariates do. No labels are involved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import sub as subtract
from typing import Any

import numpy as np

from condmmd.arrays import map_rows, matching, to_host
from condmmd.embedding import Embedding
from condmmd.nuisance import PooledRegression
from condmmd.samples import Array, Samples

__all__ = ["Residualization", "check_residualize", "residualize"]

FOLDS = 5


@dataclass(frozen=True)
class Residualization:
    """How the pooled regression was done, and the share of the outcomes' features that it explains out of sample."""

    model: str
    explained: float


def check_residualize(model: Any, *, gram: bool) -> None:
    """Reject what cannot regress, before any work."""
    if model is True or model is False:
        return
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
        raise TypeError(f"`residualize` must be True, False or a scikit-learn regressor; got {model!r}.")
    if gram:
        raise TypeError("`residualize`: a regressor needs the columns of X, not a Gram matrix; use True or False.")


def residualize(
    y: Embedding, samples: Samples, pooled: PooledRegression | None, model: Any
) -> tuple[Embedding, Residualization]:
    """Take the pooled regression on X away from the features of the outcomes.

    Parameters
    ----------
    y
        Features of the outcomes.
    samples
        The rows.
    pooled
        The pooled ridge regression, for ``model`` True.
    model
        True, or a scikit-learn regressor, which is cross-fitted.
    """
    if model is True:
        if pooled is None:
            raise ValueError("the pooled regression is missing.")
        residual = map_rows(subtract, y.phi, pooled.fitted, columns=y.rank)
        return replace(y, phi=residual), Residualization(pooled.model, pooled.explained)
    psi = to_host(y.phi)
    residual = psi - _cross_fit(model, to_host(samples.x.values), psi)
    total = float(np.mean(np.sum((psi - psi.mean(axis=0)) ** 2, axis=1))) or 1.0
    explained = 1.0 - float(np.mean(np.sum(residual**2, axis=1))) / total
    return replace(y, phi=matching(residual, y.phi)), Residualization(
        f"{model!r}, {FOLDS}-fold cross-fitted", explained
    )


def _cross_fit(model: Any, X: Array, psi: Array) -> Array:
    from sklearn.base import clone  # noqa: PLC0415 - a slow import that few runs need
    from sklearn.model_selection import KFold, cross_val_predict  # noqa: PLC0415

    folds = KFold(min(FOLDS, len(X)), shuffle=True, random_state=0)
    outcome = psi[:, 0] if psi.shape[1] == 1 else psi
    return np.asarray(cross_val_predict(clone(model), X, outcome, cv=folds), dtype=np.float64).reshape(psi.shape)
