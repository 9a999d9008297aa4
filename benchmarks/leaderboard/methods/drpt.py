"""DRPT, the density ratio permutation test of Bordino and Berrett (2025), for the ratio of the covariates.

H0: q = r p up to a factor, r here the ratio of the covariates. Given r, P(a set of rows is Q) is in proportion to the
product of r over it, with the sizes fixed: drawn exactly by our fixed-size labels of odds 1 / r, in place of their
chain of swaps. With lam the root of sum over all rows of 1 / (n + m lam r) = 1, and

    a = lam r / (n/m + lam r) on P,    b = 1 / (n/m + lam r) on Q,

the statistic is the U-statistic of the MMD of the weighted samples. The weights are bounded where 1 / e is not.

Two faults of their repository are not here: the sampler's indices are off by one, so that the first row of each sample
never moves, and the statistic divides n by m in whole numbers, which is wrong unless n = m.
"""

import numpy as np
from scipy.optimize import brentq

from benchmarks.leaderboard.methods import density_ratio
from condmmd import Gaussian
from condmmd.kernels import median_distance
from condmmd.labels.schemes import FixedSize


def balance(r, n, m):
    """lam."""
    return brentq(lambda log_lam: np.sum(1 / (n + m * np.exp(log_lam) * r)) - 1, -50, 50, xtol=1e-14)


def bounded_weights(r, n, m):
    """lam, and the weights that a row has in P and in Q."""
    lam = np.exp(balance(r, n, m))
    return lam, lam * r / (n / m + lam * r), 1 / (n / m + lam * r)


def shifted_mmd(K, T, a, b):
    """For each label vector, a row of T."""
    own = np.diag(K)
    P, Q = T * a, (1 - T) * b
    n, m = T.sum(axis=1), (1 - T).sum(axis=1)
    PK = P @ K
    PP = np.sum(PK * P, axis=1) - P**2 @ own
    QQ = np.sum((Q @ K) * Q, axis=1) - Q**2 @ own
    return PP / (n * (n - 1)) + QQ / (m * (m - 1)) - 2 * np.sum(PK * Q, axis=1) / (n * m)


def null_labels(r, group, resamples, rng):
    return np.asarray(FixedSize.of(1 / (1 + r), group.astype(float)).draw([(resamples, rng)], group).held, dtype=float)


def pvalue(X, Y, group, r, resamples, rng):
    K = Gaussian(median_distance(X)).gram(X, X) * Gaussian(median_distance(Y)).gram(Y, Y)
    _, a, b = bounded_weights(r, group.sum(), (1 - group).sum())
    observed, *null = shifted_mmd(K, np.vstack([group[None, :], null_labels(r, group, resamples, rng)]), a, b)
    return (1 + np.sum(np.array(null) >= observed)) / (1 + resamples)


def two_sample_test(data, resamples, rng):
    """The ratio is learned on one half by logistic regression."""
    X, Y, group = data.numbers()
    halves = density_ratio.split(group, rng)
    found = density_ratio.ratios(X, Y, halves)
    rows = np.concatenate([halves.test_p, halves.test_q])
    return pvalue(X[rows], Y[rows], group[rows], np.concatenate([found.g_p, found.g_q]), resamples, rng)


def true_ratio_test(data, resamples, rng):
    """The true ratio, and all rows."""
    X, Y, group = data.numbers()
    return pvalue(X, Y, group, (1 - data.e) / data.e, resamples, rng)
