"""Ridge-penalised logistic regression for a batch of penalties and folds at once, on the moments of `moments`.

Scikit-learn's cross-validation of the same regression takes ten times as long at a thousand rows (it fits one problem
at a time and checks its input at each), which was most of the time of a test. It is the reference in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    Array,
    LabelBatch,
    Rows,
    Weights,
    as_float,
    at_least,
    map_rows,
    move_to,
    n_rows,
    namespace,
    persist,
    pick_rows,
    place_of,
    place_rows,
    put_rows,
    row_slices,
    sigmoid,
    softplus,
    solve_positive,
    sum_rows,
    take,
    to_host,
)
from condmmd.regression.moments import reusable_moments
from condmmd.regression.odds import overlap, total_overlap

__all__ = [
    "LogisticFit", "cross_validated_logistic", "design", "fit_logistic", "residual_labels", "score_sums",
    "weighted_second",
]  # fmt: skip

ITERATIONS = 30
HALVINGS = 8
CONVERGED = 1e-6
# Rows' worth of random labels that an estimate should leave: the sum of e (1 - e).
MIN_RANDOM = 1.0


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """A penalised logistic regression: the columns Z, the coefficients (intercept first), the inverse penalty C.

    ``score`` is ``Z^T (t - e)`` at the labels that were fitted: what the penalty leaves, and with a ``weight`` for each
    row (rows of one block count as one) the weighted sum. Of a part of the rows that it was fitted to, ``elsewhere`` is
    what the others know of the coefficients: the Hessian of their likelihood, with the penalty.
    """

    Z: Rows
    beta: Array
    C: float
    score: Array
    weight: Rows | None = None
    elsewhere: Array | None = None

    @property
    def ridge(self) -> Array:
        """The penalty of each coefficient; the intercept is free."""
        return _ridge(len(self.beta), self.C)

    @property
    def given_weight(self) -> tuple[Rows, ...]:
        """The weights of the rows, if there are any."""
        return _given(self.weight)

    @property
    def held(self) -> tuple[Array, Array]:
        """What holds the coefficients beside the labels of these rows: a Hessian and, at the coefficients, its pull."""
        if self.elsewhere is not None:
            return self.elsewhere, np.zeros_like(self.beta)
        return np.diag(self.ridge), self.score

    def on_rows(self, index: npt.NDArray[np.int64]) -> LogisticFit:
        """The same coefficients at some of the rows, held there by what the other rows and the penalty say.

        The penalty alone would pull a refit to few rows towards no dependence on x at all, whatever their labels are.
        """
        part = pick_rows(self.Z, index)
        weight = None if self.weight is None else pick_rows(self.weight, index)
        whole, own = (
            to_host(sum_rows(weighted_second, Z, self._probabilities(Z), *some))
            for Z, some in ((self.Z, _given(self.weight)), (part, _given(weight)))
        )
        return replace(self, Z=part, weight=weight, elsewhere=self.held[0] + whole - own)

    def _probabilities(self, Z: Rows) -> Rows:
        return map_rows(partial(_probabilities, beta=self.beta), Z)

    def around(self, e: Rows, t: Rows) -> LogisticFit:
        """The same columns, for an estimate ``e`` that the regression is only a part of."""
        return replace(self, score=to_host(sum_rows(_score, self.Z, e, t)))


def _ridge(size: int, C: float) -> Array:
    ridge = np.full(size, 1 / C)
    ridge[0] = 0.0
    return ridge


def residual_labels(T: LabelBatch, e: Rows, fit: LogisticFit | None) -> LabelBatch:
    """Labels less their probabilities; with ``fit``, less those that a fit to these very labels would give.

    To first order: with ``w = e (1 - e)`` and the score ``g(t) = Z^T (t - e)`` less that of the labels that were fitted
    (which is ``R b``, where the penalty R holds the coefficients b back), one Newton step from the estimate gives
    ``t - e - w Z (Z^T W Z + R)^-1 g(t)``. So every null label vector is treated as the observed one was, whose
    propensity was estimated on it, for one more product and no fit.
    """
    if fit is None:
        return T.reweighted(_less, e)
    known, pull = fit.held
    weight = fit.given_weight
    hessian = to_host(sum_rows(weighted_second, fit.Z, e, *weight)) + known
    scores = to_host(T.sum(score_sums, fit.Z, e, *weight)) - pull
    step = to_host(np.linalg.solve(hessian, scores.T)).T
    return T.reweighted(partial(_refitted, step=step), fit.Z, e)


def _given(weight: Rows | None) -> tuple[Rows, ...]:
    return () if weight is None else (weight,)


def _less(T: Weights, e: Rows) -> Weights:
    return T - e


def weighted_second(Z: Rows, e: Rows, weight: Rows | float = 1.0) -> Rows:
    """The Hessian of the likelihood, without a penalty."""
    X = design(Z)
    return (X * (overlap(e) * weight)[:, None]).T @ X


def score_sums(T: Weights, Z: Rows, e: Rows, weight: Rows | None = None) -> Rows:
    """``Z^T (t - e)`` of every label vector, the intercept's first; some rows at a time, as labels are but bytes."""
    total: Any = 0.0
    for part in row_slices(Z, T.shape[0]):
        left = as_float(T[:, part]) - e[part]
        total = total + (left if weight is None else left * weight[part]) @ design(Z[part, :])
    sums: Rows = total
    return sums


def _score(Z: Rows, e: Rows, t: Rows) -> Rows:
    score: Rows = (t - e) @ design(Z)
    return score


def _refitted(T: Weights, Z: Rows, e: Rows, step: Array) -> Weights:
    return T - e - overlap(e) * (move_to(step, Z) @ design(Z).T)


def cross_validated_logistic(
    Z: Rows, t: Rows, inverse_penalties: Array, rows: npt.NDArray[np.int64], folds: npt.NDArray[np.int64]
) -> tuple[Rows, LogisticFit]:
    """Probabilities at every row with the smallest penalty that is as good as the best, and that fit.

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
    rows
        Those by which the penalty is chosen.
    folds
        The fold of each of them.
    """
    if Z.shape[1] > n_rows(Z):  # the same problem in the span of the rows: a ridge penalty does not see a rotation
        U, s, _ = np.linalg.svd(to_host(Z), full_matrices=False)
        Z = place_rows(U * s, Z)
    some, own = pick_rows(Z, rows), pick_rows(t, rows)
    for chosen in _as_good(some, own, inverse_penalties, folds)[::-1]:
        weights = namespace(own).ones_like(own)[None, :]
        beta = to_host(fit_logistic(some, own, np.array([chosen]), weights))[0]
        if len(rows) < n_rows(Z):
            beta = _fit_all(Z, t, float(chosen), beta)
        e = persist(map_rows(partial(_probabilities, beta=beta), Z))
        if total_overlap(e) >= MIN_RANDOM:
            break
    return e, LogisticFit(Z, beta, float(chosen), _ridge(len(beta), float(chosen)) * beta)


def _probabilities(Z: Rows, beta: Array) -> Rows:
    return sigmoid(float(beta[0]) + Z @ move_to(beta[1:], Z))


def _fit_all(Z: Rows, t: Rows, C: float, beta: Array) -> Array:
    """Coefficients from all rows, by Newton's method from those of some rows."""
    ridge = _ridge(len(beta), C)
    previous, step = np.inf, np.zeros_like(beta)
    for _ in range(ITERATIONS):
        loss, gradient, hessian = (to_host(part) for part in sum_rows(partial(_newton_sums, beta=beta), Z, t))
        objective = float(loss) + 0.5 * float(ridge @ beta**2)
        if objective > previous + 1e-9 * abs(previous):  # went too far
            step = step / 2
            beta = beta + step
            continue
        previous = objective
        step = np.linalg.solve(hessian + np.diag(ridge), gradient + ridge * beta)
        beta = beta - step
        if np.abs(step).max() < CONVERGED:
            break
    return beta


def _newton_sums(Z: Rows, t: Rows, beta: Array) -> tuple[Array, Array, Array]:
    """Loss, gradient and Hessian of the logistic likelihood, summed over rows."""
    xp = namespace(Z)
    loss: Any = 0.0
    gradient: Any = 0.0
    hessian: Any = 0.0
    for part in row_slices(Z, Z.shape[1]):
        X, own = design(Z[part, :]), t[part]
        eta = X @ move_to(beta, Z)
        p = sigmoid(eta)
        loss = loss + xp.sum(_loss(eta, own))
        gradient = gradient + (p - own) @ X
        hessian = hessian + (X * at_least(overlap(p), 1e-12)[:, None]).T @ X
    return loss, gradient, hessian


def _as_good(Z: Rows, t: Rows, inverse_penalties: Array, folds: npt.NDArray[np.int64]) -> Array:
    """The candidates that are as good as the best."""
    xp = namespace(Z)
    n_folds = int(folds.max()) + 1
    which = np.repeat(np.arange(n_folds), len(inverse_penalties))
    train = move_to((folds[None, :] != which[:, None]).astype(np.float64), Z)
    eta = design(Z) @ fit_logistic(Z, t, np.tile(inverse_penalties, n_folds), train).T
    losses = xp.reshape(_loss(eta.T, t) * (1 - train), (n_folds, len(inverse_penalties), -1))
    held_out = xp.sum(losses, axis=0)
    mean = to_host(xp.mean(held_out, axis=1))
    best = int(np.argmin(mean))
    error = to_host(xp.std(held_out - held_out[best, :], axis=1)) / n_rows(t) ** 0.5
    return inverse_penalties[mean <= mean[best] + error]


def fit_logistic(Z: Rows, t: Rows, C: Array, weights: Rows) -> Rows:
    """Coefficients (intercept first) for every C, with a vector of row weights for each: shape (len(C), 1 + k).

    Newton's method, each step halved until the penalised likelihood does not get worse.
    """
    xp, X = namespace(Z), design(Z)
    k = X.shape[1]
    ridge = np.zeros((len(C), k))
    ridge[:, 1:] = 1 / C[:, None]
    ridge = move_to(ridge, Z)
    share = xp.clip((weights @ t) / xp.sum(weights, axis=1), 1e-6, 1 - 1e-6)
    beta = xp.zeros_like(ridge)
    beta[:, 0] = xp.log(share / (1 - share))
    objective = _objective(beta, X, t, weights, ridge)
    identity, second = move_to(np.eye(k), Z), reusable_moments(X)
    found, left = xp.zeros_like(beta), np.arange(len(C))  # fits that have not converged
    for _ in range(ITERATIONS):
        p = sigmoid(beta @ X.T)
        gradient = (weights * (p - t)) @ X + ridge * beta
        hessian = second(weights * at_least(overlap(p), 1e-12))
        hessian += ridge[:, :, None] * identity
        step = solve_positive(hessian, gradient[:, :, None])[:, :, 0]
        size = xp.ones_like(objective)
        for _ in range(HALVINGS):
            trial = _objective(beta - size[:, None] * step, X, t, weights, ridge)
            worse = ~(trial <= objective + 1e-12)
            if not bool(xp.any(worse)):
                break
            size = xp.where(worse, size / 2, size)
        beta, objective = beta - size[:, None] * step, trial
        put_rows(found, left, beta)
        moving = np.flatnonzero(to_host(xp.max(xp.abs(step), axis=1)) >= CONVERGED)
        if len(moving) == 0:
            break
        if len(moving) < len(left):
            left = left[moving]
            beta, objective, weights, ridge = (take(part, moving) for part in (beta, objective, weights, ridge))
    return found


def design(Z: Rows) -> Rows:
    """The columns of a regression with an intercept."""
    xp = namespace(Z)
    with_intercept: Rows = xp.concat([xp.ones((Z.shape[0], 1), **place_of(Z)[1], dtype=xp.float64), Z], axis=1)
    return with_intercept


def _loss(eta: Rows, t: Rows) -> Rows:
    loss: Rows = softplus(eta) - t * eta
    return loss


def _objective(beta: Rows, X: Rows, t: Rows, weights: Rows, ridge: Rows) -> Any:
    xp = namespace(X)
    return xp.vecdot(weights, _loss(beta @ X.T, t)) + 0.5 * xp.vecdot(ridge, beta**2)
