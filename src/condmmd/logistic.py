"""Ridge-penalised logistic regression for a batch of penalties and folds at once, on the moments of `moments`.

Scikit-learn's cross-validation of the same regression takes ten times as long at a thousand rows (it fits one problem
at a time and checks its input at each), which was most of the time of a test. It is the reference in the tests.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from condmmd.moments import second_moments
from condmmd.samples import Array

__all__ = ["cross_validated_logistic", "fit_logistic"]

ITERATIONS = 30
HALVINGS = 8
CONVERGED = 1e-6
# Rows' worth of random labels that an estimate should leave: the sum of e (1 - e).
MIN_RANDOM = 1.0


def cross_validated_logistic(
    Z: Array, t: Array, inverse_penalties: Array, folds: npt.NDArray[np.int64]
) -> tuple[Array, float]:
    """Probabilities at every row with the smallest penalty that is as good as the best, and its inverse (C).

    As good: a held-out log-loss within one standard error of the smallest. Too large a penalty leaves labels that
    depend on x more than the estimate says, and so false alarms; too small a one costs power only. Only where that
    would leave no label random (a few rows can always be told apart) is the next larger one taken that is as good.

    Parameters
    ----------
    Z
        Features, N x k.
    t
        Labels, 0 or 1.
    inverse_penalties
        Candidates for C: the penalty is ``|beta|^2 / (2 C)``, the intercept free.
    folds
        The fold of each row; -1 for rows that take no part in the choice of the penalty.
    """
    if Z.shape[1] > len(Z):  # the same problem in the span of the rows: a ridge penalty does not see a rotation
        U, s, _ = np.linalg.svd(Z, full_matrices=False)
        Z = U * s
    some = np.flatnonzero(folds >= 0)
    as_good = _as_good(Z[some], t[some], inverse_penalties, folds[some])
    for chosen in as_good[::-1]:
        beta = fit_logistic(Z, t, np.array([chosen]), np.ones((1, len(t))))[0]
        e = expit(beta[0] + Z @ beta[1:])
        if np.sum(e * (1 - e)) >= MIN_RANDOM:
            break
    return e, float(chosen)


def _as_good(Z: Array, t: Array, inverse_penalties: Array, folds: npt.NDArray[np.int64]) -> Array:
    """The candidates that are as good as the best."""
    n_folds = int(folds.max()) + 1
    which = np.repeat(np.arange(n_folds), len(inverse_penalties))
    train = (folds[None, :] != which[:, None]).astype(np.float64)
    eta = _design(Z) @ fit_logistic(Z, t, np.tile(inverse_penalties, n_folds), train).T
    held_out = (_loss(eta.T, t) * (1 - train)).reshape(n_folds, len(inverse_penalties), -1).sum(axis=0)
    mean = held_out.mean(axis=1)
    best = int(np.argmin(mean))
    error = (held_out - held_out[best]).std(axis=1) / len(t) ** 0.5
    return inverse_penalties[mean <= mean[best] + error]


def fit_logistic(Z: Array, t: Array, C: Array, weights: Array) -> Array:
    """Coefficients (intercept first) for every C, with a vector of row weights for each: shape (len(C), 1 + k).

    Newton's method, each step halved until the penalised likelihood does not get worse.
    """
    X = _design(Z)
    ridge = np.zeros((len(C), X.shape[1]))
    ridge[:, 1:] = 1 / C[:, None]
    share = np.clip((weights @ t) / weights.sum(axis=1), 1e-6, 1 - 1e-6)
    beta = np.zeros((len(C), X.shape[1]))
    beta[:, 0] = np.log(share / (1 - share))
    objective = _objective(beta, X, t, weights, ridge)
    diagonal = np.arange(X.shape[1])
    for _ in range(ITERATIONS):
        p = expit(beta @ X.T)
        gradient = (weights * (p - t)) @ X + ridge * beta
        hessian = second_moments(weights * np.maximum(p * (1 - p), 1e-12), X)
        hessian[:, diagonal, diagonal] += ridge
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        size = np.ones(len(C))
        for _ in range(HALVINGS):
            trial = _objective(beta - size[:, None] * step, X, t, weights, ridge)
            worse = ~(trial <= objective + 1e-12)
            if not worse.any():
                break
            size[worse] /= 2
        beta = beta - size[:, None] * step
        objective = trial
        if np.abs(step).max() < CONVERGED:
            break
    return beta


def _design(Z: Array) -> Array:
    return np.column_stack([np.ones(len(Z)), Z])


def _loss(eta: Array, t: Array) -> Array:
    return np.log1p(np.exp(-np.abs(eta))) + np.maximum(eta, 0.0) - t * eta


def _objective(beta: Array, X: Array, t: Array, weights: Array, ridge: Array) -> Array:
    return np.einsum("bi,bi->b", weights, _loss(beta @ X.T, t)) + 0.5 * np.einsum("bk,bk->b", ridge, beta**2)
