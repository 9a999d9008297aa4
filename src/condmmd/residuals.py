"""Residualised outcomes: what is left of the outcomes' features when their pooled regression on X is taken away.

The common part of two conditional distributions cancels in their difference, so the population quantity is the same;
what goes away is the ridge bias that differs between the groups when their covariates do. No labels are involved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from condmmd.embedding import Embedding, embed
from condmmd.kernels import Kernel, Precomputed, default_kernel, with_lengthscale
from condmmd.regularization import GRID, cross_validation_error
from condmmd.samples import Array, Table

__all__ = ["Residualization", "residualize"]

# Lengthscales that the pooled regression may take, in units of the median distance, and its largest number of features.
SCALES = (2.0, 1.0, 0.5, 0.25)
MAX_RANK = 200
TOL = 1e-6
FOLDS = 5


@dataclass(frozen=True)
class Residualization:
    """How the pooled regression was done, and the share of the outcomes' features that it explains out of sample."""

    model: str
    explained: float


def residualize(y: Embedding, x: Table, kernel_x: Kernel, model: Any) -> tuple[Embedding, Residualization]:
    """Take the pooled regression on X away from the features of the outcomes.

    Parameters
    ----------
    y
        Features of the outcomes.
    x
        The covariates.
    kernel_x
        The kernel of the comparison, used where the covariates are known through it alone (a Gram matrix).
    model
        True: ridge regression on features of a kernel whose lengthscale and lambda minimise the leave-one-out error.
        Otherwise a scikit-learn regressor, cross-fitted.
    """
    if model is not True and not (hasattr(model, "fit") and hasattr(model, "predict")):
        raise TypeError(f"`residualize` must be True, False or a scikit-learn regressor; got {model!r}.")
    if model is not True and isinstance(kernel_x, Precomputed):
        raise TypeError("`residualize`: a regressor needs the columns of X, not a Gram matrix; use True or False.")
    total = float(np.mean(np.sum((y.phi - y.phi.mean(axis=0)) ** 2, axis=1))) or 1.0
    if model is True:
        residual, error, told = _ridge(y.phi, x, kernel_x)
    else:
        residual = y.phi - _cross_fit(model, x.values, y.phi)
        error, told = float(np.mean(np.sum(residual**2, axis=1))), f"{model!r}, {FOLDS}-fold cross-fitted"
    return replace(y, phi=residual), Residualization(told, 1.0 - error / total)


def _ridge(psi: Array, x: Table, kernel_x: Kernel) -> tuple[Array, float, str]:
    base = kernel_x if isinstance(kernel_x, Precomputed) else default_kernel(x)
    candidates = [with_lengthscale(base, scale) for scale in SCALES] if x.numeric and base is not kernel_x else [base]
    best: tuple[float, float, Embedding, Array, Kernel] | None = None
    for kernel in candidates:
        embedding, sigma = embed(kernel, x.values, tol=TOL, max_rank=min(MAX_RANK, len(psi))).principal()
        grid = GRID * sigma.sum()
        errors = cross_validation_error(grid, embedding.phi, psi, sigma)[0]
        at = int(np.argmin(errors))
        if best is None or errors[at] < best[0]:
            best = float(errors[at]), float(grid[at]), embedding, sigma, kernel
    assert best is not None  # noqa: S101 - there is at least one candidate
    error, lam, embedding, sigma, kernel = best
    shrunk = (embedding.phi.T @ psi) / (len(psi) * (sigma + lam))[:, None]
    return psi - embedding.phi @ shrunk, error, f"pooled ridge, {kernel!r}, lambda {lam:.2g}"


def _cross_fit(model: Any, X: Array, psi: Array) -> Array:
    from sklearn.base import clone  # noqa: PLC0415 - a slow import that few runs need
    from sklearn.model_selection import KFold, cross_val_predict  # noqa: PLC0415

    folds = KFold(min(FOLDS, len(X)), shuffle=True, random_state=0)
    outcome = psi[:, 0] if psi.shape[1] == 1 else psi
    return np.asarray(cross_val_predict(clone(model), X, outcome, cv=folds), dtype=np.float64).reshape(psi.shape)
