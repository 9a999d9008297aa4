"""Density ratios by logistic regression on one half of the rows, for the tests of Lee et al. (2024), Hu and Lei, DRPT.

    g(x) = q(x) / p(x) = odds of Q given x * n_P / n_Q,
    v(x, y) = p(y | x) / q(y | x) = g(x) / (odds of Q given x and y) * n_Q / n_P,

both from maximum likelihood on main effects (the "LL" of the repository Cond2ST). That is right for the covariates of
many problems here and wrong for a curved mean of Y, and half of the rows are spent on it.
"""

from typing import NamedTuple

import numpy as np

ITERATIONS = 100
LARGEST = 15.0  # of a log-odds: rows that can be told apart have no maximum


class Halves(NamedTuple):
    """The rows of each group that ratios are learned from, and those that are tested."""

    learn_p: np.ndarray
    learn_q: np.ndarray
    test_p: np.ndarray
    test_q: np.ndarray


class Ratios(NamedTuple):
    g_p: np.ndarray
    g_q: np.ndarray
    v_p: np.ndarray
    v_q: np.ndarray


def split(group, rng):
    """Each group in two halves at random."""
    P, Q = (rng.permutation(np.flatnonzero(group == label)) for label in (1, 0))
    return Halves(P[: len(P) // 2], Q[: len(Q) // 2], P[len(P) // 2 :], Q[len(Q) // 2 :])


def design(X):
    return np.column_stack([np.ones(len(X)), X])


def logistic(X, t):
    """Coefficients of maximum likelihood, intercept first, by Newton's method with halved steps."""
    Z = design(X)
    beta = np.zeros(Z.shape[1])

    def loss(beta):
        return np.logaddexp(0, Z @ beta).sum() - t @ (Z @ beta)

    for _ in range(ITERATIONS):
        e = 1 / (1 + np.exp(-np.clip(Z @ beta, -LARGEST, LARGEST)))
        hessian = (Z * (e * (1 - e))[:, None]).T @ Z
        step = np.linalg.lstsq(hessian, Z.T @ (t - e), rcond=None)[0]
        while loss(beta + step) > loss(beta) + 1e-12 and np.abs(step).max() > 1e-14:
            step /= 2
        beta = beta + step
        if np.abs(step).max() < 1e-12 or np.abs(Z @ beta).max() > LARGEST:
            break
    return beta


def odds_of_Q(P, Q, *where):
    """The odds of Q by a regression on rows of both, at other rows, each as if the groups had one size."""
    t = np.repeat([0.0, 1.0], [len(P), len(Q)])
    beta = logistic(np.concatenate([P, Q]), t)
    return [np.exp(np.clip(design(A) @ beta, -LARGEST, LARGEST)) * len(P) / len(Q) for A in where]


def ratios(X, Y, halves):
    """g and v at the rows that are tested."""
    XY = np.column_stack([X, Y])
    g = odds_of_Q(*(X[rows] for rows in halves))
    joint = odds_of_Q(*(XY[rows] for rows in halves))
    return Ratios(*g, *(g_rows / odds for g_rows, odds in zip(g, joint, strict=True)))
