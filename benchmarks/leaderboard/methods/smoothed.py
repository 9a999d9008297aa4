"""Kernel-smoothed conditional MMD and energy distance of Yan, Li and Zhang (2024), `tcdt` of the R package KDist.

With G_g(u) a product of densities of bandwidths h_g, one for each covariate, and k a similarity of outcomes,

    T = [ sum_{i != j} k(y_i, y_j) G_1(x_i - x_j) A_i + sum_{l != m} k(z_l, z_m) G_2(x'_l - x'_m) B_l
          - sum_{i, l} k(y_i, z_l) (G_1 + G_2)(x_i - x'_l) (b_l - G_1(x_i - x'_l)) (a_i - G_2(x_i - x'_l)) ]
        / [n (n - 1) m (m - 1)],
    a_i = sum_l G_2(x_i - x'_l),    A_i = a_i^2 - sum_l G_2(x_i - x'_l)^2,    b_l and B_l likewise,

a U-statistic over i != j and l != m. Default: h = n^(-1 / (p/2 + 2 - 0.1)) min(IQR / 1.34, sd), which is narrower than
the rule of thumb that KDist documents; the bandwidth of outcomes is the median distance. Covariates weigh by their
densities, so a difference where they are sparse counts for little. At one point x_0 it is the mean of
k_ij + k_lm - 2 k_il over i != j, l != m with weights G(x_i - x_0) and so on. The null is that of `local_bootstrap`.
A column whose quartiles agree, such as most indicators, has a bandwidth of zero: then there is no statistic.

KDist's Epanechnikov "of order 4 and 6" are the biweight and the triweight, of order 2; they are not here.
"""

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import norm

from benchmarks.leaderboard.methods import local_bootstrap
from condmmd.kernels import median_distance

SMOOTHERS = {
    "gaussian": (2, norm.pdf),
    "gaussian of order 4": (4, lambda u: 0.5 * (3 - u**2) * norm.pdf(u)),
    "epanechnikov": (2, lambda u: np.where(np.abs(u) <= 1, 0.75 * (1 - u**2), 0.0)),
}


def spread(X):
    """min(IQR / 1.34, sd) of each column."""
    low, high = np.percentile(X, [25, 75], axis=0)
    return np.minimum((high - low) / 1.34, X.std(axis=0, ddof=1))


def bandwidth(X, smoother="gaussian", *, local=False):
    n, p = X.shape
    order = SMOOTHERS[smoother][0]
    return n ** (-1 / ((p if local else p / 2) + order - 0.1)) * spread(X)


def weights(A, B, h, smoother="gaussian"):
    """G(a - b) for each row of A and of B."""
    density = SMOOTHERS[smoother][1]
    u = (A[:, None, :] - B[None, :, :]) / h
    return np.prod(density(u) / h, axis=2)


def similarity(Y, kind, lengthscale=None):
    """Of all rows with all."""
    Y = np.asarray(Y, dtype=float).reshape(len(Y), -1)
    lengthscale = median_distance(Y) if lengthscale is None else lengthscale
    d = cdist(Y, Y)
    return {
        "mmd": lambda: np.exp(-(d**2) / (2 * lengthscale**2)),
        "laplacian": lambda: np.exp(-d / lengthscale),
        "energy": lambda: -d,
    }[kind]()


def pair_weights(X, group, smoother="gaussian", h=None):
    """The matrix M of T = sum_ij M_ij k(y_i, y_j) over all rows: it depends on covariates and labels alone."""
    P, Q = np.flatnonzero(group == 1), np.flatnonzero(group == 0)
    n, m = len(P), len(Q)
    h1, h2 = h or (bandwidth(X[P], smoother), bandwidth(X[Q], smoother))
    G1, G2 = weights(X[P], X[P], h1, smoother), weights(X[Q], X[Q], h2, smoother)
    C1, C2 = weights(X[P], X[Q], h1, smoother), weights(X[P], X[Q], h2, smoother)
    a, b = C2.sum(axis=1), C1.sum(axis=0)
    A, B = a**2 - (C2**2).sum(axis=1), b**2 - (C1**2).sum(axis=0)
    M = np.zeros((n + m, n + m))
    M[np.ix_(P, P)] = G1 * A[:, None]
    M[np.ix_(Q, Q)] = G2 * B[:, None]
    M[np.ix_(P, Q)] = -(C1 + C2) * (b[None, :] - C1) * (a[:, None] - C2)
    np.fill_diagonal(M, 0.0)
    return M / (n * (n - 1) * m * (m - 1))


def statistic_at(x0, X, group, k, smoother="gaussian"):
    """The local statistic: weighted U-statistics at the point x0."""
    sides = []
    for label in (1, 0):
        rows = np.flatnonzero(group == label)
        w = weights(X[rows], x0[None, :], bandwidth(X[rows], smoother, local=True), smoother)[:, 0]
        sides.append((rows, w))
    (P, u), (Q, v) = sides
    pairs_P, pairs_Q = np.outer(u, u), np.outer(v, v)
    for pairs in (pairs_P, pairs_Q):
        np.fill_diagonal(pairs, 0.0)
    within = np.sum(pairs_P * k[np.ix_(P, P)]) / pairs_P.sum() + np.sum(pairs_Q * k[np.ix_(Q, Q)]) / pairs_Q.sum()
    between = pairs_P.sum(axis=1) @ k[np.ix_(P, Q)] @ pairs_Q.sum(axis=1)
    return within - 2 * between / (pairs_P.sum() * pairs_Q.sum())


def two_sample_test(data, resamples, rng, *, kind="mmd", widen=1.0):
    X, Y, group = data.numbers()
    h = tuple(widen * bandwidth(X[group == label]) for label in (1, 0))
    if np.min(h) <= 0:
        raise ValueError("the quartiles of a covariate agree: its bandwidth is zero")
    M, k = pair_weights(X, group, h=h), similarity(Y, kind)
    observed = np.sum(M * k)
    rows = local_bootstrap.rows(X, group, resamples, rng)
    null = np.array([np.sum(M * k[np.ix_(drawn, drawn)]) for drawn in rows])
    return (1 + np.sum(null > observed)) / (1 + resamples)
