"""xKTE of Martinez-Taboada, Ramdas and Kennedy (2023): a doubly robust kernel test of effects that needs no resampling.

The rows in halves A and B; mu_1, mu_0 ridge embeddings of the outcomes of each arm within each half; in each half

    pseudo_i = a_i [psi(y_i) - (1 - e_i) mu_1(x_i) - e_i mu_0(x_i)],    a_i = (t_i - e_i) / (e_i (1 - e_i)),
    U_i = mean_{j in B} <pseudo_i, pseudo_j> for i in A,    sqrt(n) mean(U) / sd(U) ~ N(0, 1), upper tail.

It asks whether the population's outcomes differ after adjusting for X, not Y | X: with <pseudo_i, pseudo_j> times
k(x_i, x_j) ("smoothed", ours) it asks for Y | X. Their covariate kernel is exp(-d^2 / s) with s the squared median of
all distances, zeros of the diagonal included, of the second half, and the ridge is s as well. Outcome models are fitted
on the rows that they are used on, as in their code; e by logistic regression, kept within [0.02, 0.98].
"""

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import norm

from benchmarks.leaderboard.methods.density_ratio import design, logistic
from condmmd import Gaussian
from condmmd.kernels import median_distance

CLOSEST = 0.02


def scale(X):
    return float(np.median(cdist(X, X))) ** 2


def pseudo_outcomes(X, t, e, s=None):
    """Weights of the half's own outcomes in each row's pseudo-outcome; s None: inverse weights alone."""
    C = np.eye(len(t))
    if s is not None:
        K = np.exp(-(cdist(X, X) ** 2) / s)
        for arm, share in ((1, 1 - e), (0, e)):
            rows = np.flatnonzero(t == arm)
            smooth = np.linalg.solve(K[np.ix_(rows, rows)] + s * np.eye(len(rows)), K[rows]).T
            C[:, rows] -= share[:, None] * smooth
    return ((t - e) / (e * (1 - e)))[:, None] * C


def statistic(X, L, t, e, halves, *, model=True, Kx=None):
    """``halves`` are rows; ``L`` is the Gram matrix of all outcomes, ``Kx`` that of the covariates where smoothed."""
    A, B = halves
    s = scale(X[B]) if model else None
    C_A, C_B = (pseudo_outcomes(X[rows], t[rows], e[rows], s) for rows in (A, B))
    inner = C_A @ L[np.ix_(A, B)] @ C_B.T
    if Kx is not None:
        inner = inner * Kx[np.ix_(A, B)]
    U = inner.mean(axis=1)
    return np.sqrt(len(U)) * U.mean() / U.std()


def two_sample_test(data, resamples, rng, *, smoothed=False):  # noqa: ARG001
    X, Y, t = data.numbers()
    e = np.clip(1 / (1 + np.exp(-design(X) @ logistic(X, t.astype(float)))), CLOSEST, 1 - CLOSEST)
    order = rng.permutation(len(t))
    halves = order[: len(t) // 2], order[len(t) // 2 :]
    L = Gaussian(median_distance(Y)).gram(Y, Y)
    Kx = Gaussian(median_distance(X)).gram(X, X) if smoothed else None
    return float(norm.sf(statistic(X, L, t, e, halves, Kx=Kx)))
