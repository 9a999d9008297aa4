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
    Rows,
    at_least,
    cached_property,
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
    total,
)
from condmmd.regression.moments import reusable_moments
from condmmd.regression.odds import overlap, total_overlap

__all__ = ["LogisticFit", "cross_validated_logistic", "design", "fit_logistic", "weighted_second"]

ITERATIONS = 30
HALVINGS = 8
CONVERGED = 1e-6
SAME_SUM = 1e-10  # of the number of rows of P
# Rows' worth of random labels that an estimate should leave: the sum of e (1 - e).
MIN_RANDOM = 1.0


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """A penalised logistic regression: the columns Z, fitted probabilities, coefficients (intercept first), penalty.

    C is the inverse of the penalty. ``share`` is what the regression counts in an estimate that it is a part of.
    ``twice`` says that it was fitted once more to what its penalty had left.
    """

    Z: Rows
    e: Rows
    beta: Array
    C: float
    share: float = 1.0
    twice: bool = False

    @cached_property
    def inverse(self) -> Array:
        """``A = (Z^T W Z + R)^-1``, the inverse of the Hessian with the penalty; the intercept's row is the first.

        The residuals of the fit are ``(I - W Z A Z^T) (t - e_true)`` to first order; of a fit made twice, they are so
        with ``A + A R A`` in its place.
        """
        hessian = to_host(sum_rows(weighted_second, self.Z, map_rows(overlap, self.e)))
        ridge = _ridge(len(self.beta), self.C)
        A = np.asarray(np.linalg.inv(hessian + np.diag(ridge)))
        return A + (A * ridge) @ A if self.twice else A

    def made_twice(self) -> LogisticFit:
        """The same, fitted once more to what its penalty has left (twicing).

        At the penalised fit ``Z^T (t - e) = R beta``, so a Newton step from it is ``A R beta``. To first order the bias
        of the penalty is then squared, ``(A R)^2``, while no direction gets more than twice the freedom it had. The
        intercept is moved on until the probabilities have their sum again.
        """
        n, e = float(total(self.e)), self.e
        beta = self.beta + self.inverse @ (_ridge(len(self.beta), self.C) * self.beta)
        for _ in range(ITERATIONS):
            e = persist(map_rows(partial(_probabilities, beta=beta), self.Z))
            missing = n - float(total(e))
            if abs(missing) <= SAME_SUM * n:
                break
            beta[0] += missing / total_overlap(e)
        return replace(self, e=e, beta=beta, twice=True)


def _ridge(size: int, C: float) -> Array:
    ridge = np.full(size, 1 / C)
    ridge[0] = 0.0
    return ridge


def weighted_second(Z: Rows, w: Rows) -> Rows:
    """``Z^T diag(w) Z`` with the column of the intercept."""
    X = design(Z)
    return (X * w[:, None]).T @ X


def cross_validated_logistic(
    Z: Rows, t: Rows, inverse_penalties: Array, rows: npt.NDArray[np.int64], folds: npt.NDArray[np.int64]
) -> LogisticFit:
    """The fit with the penalty that predicts unseen labels best, made twice.

    A penalty leaves labels that depend on x more than the estimate says, and so false alarms; fitting twice takes most
    of that away, and costs less power than a smaller penalty does. Only where that would leave no label random (a few
    rows can always be told apart) is the next larger one taken whose loss is within a standard error of the smallest.

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
        fit = LogisticFit(Z, e, beta, float(chosen)).made_twice()
        if total_overlap(fit.e) >= MIN_RANDOM:
            break
    return fit


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
    """The candidate with the smallest log-loss of held-out labels, and before it larger penalties that are as good."""
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
    return inverse_penalties[: best + 1][mean[: best + 1] <= mean[best] + error[: best + 1]]


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
