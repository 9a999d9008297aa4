"""The weighted conformal rank-sum test of Hu and Lei (2024).

With g = q(x) / p(x) and v = p(y | x) / q(y | x) learned on one half (`density_ratio`), i over P, j over Q of the other,

    U = sum_i g(x_i) D_i / sum_i g(x_i),    D_i = mean_j 1{v_i < v_j},    p = Phi(z),    z = (U - 1/2) / s.

With means over i, the variance of U under P is

    (mean(g^2 D^2) - c_1) / n + 1 / (12 m) + (mean(g^2) - c_2) / (4 n) - (mean(g^2 D) - c_3) / n,

where the products of means c are written in three ways that agree when mean(g) = 1 and mean(g D) = 1/2: with both of
these put in, with both to first order, and as they are. The variance under Q has g's own mean in place of g^2, and D
of v_j among the v of Q. s^2 is the harmonic mean of the two, and z the median of the three. Negative parts are cut at
zero.
"""

import numpy as np
from scipy.stats import norm

from benchmarks.leaderboard.methods import density_ratio


def above(v, others):
    """The share of ``others`` that lie above each v."""
    return np.mean(v[:, None] < others[None, :], axis=1)


def variances_under_P(g, v_P, v_Q):
    D = above(v_P, v_Q)
    n, m = len(v_P), len(v_Q)
    mean, product = g.mean(), np.mean(g * D)
    own = np.mean(g**2 * D**2) - np.array([0.25, product - 0.25, product**2])
    spread = np.mean(g**2) - np.array([1.0, 2 * mean - 1, mean**2])
    shared = np.mean(g**2 * D) - np.array([0.5, mean / 2 + product - 0.5, mean * product])
    return np.maximum(own, 0) / n + 1 / (12 * m) + np.maximum(spread, 0) / (4 * n) - shared / n


def variance_under_Q(g, v_Q, n):
    """``g`` at the rows of Q; ``n`` rows of P."""
    rank = np.mean(v_Q[None, :] <= v_Q[:, None], axis=1)
    same = np.mean(v_Q[None, :] == v_Q[:, None], axis=1)  # a row is level with itself
    D = 1 - rank
    own = np.mean(g * D**2) - 0.25 + np.mean(g * same**2) / 3 + np.mean(g * D * same)
    spread = g.mean() - 1
    shared = np.mean(g * D) + np.mean(g * same) / 2 - 0.5
    return max(own, 0.0) / n + 1 / (12 * len(v_Q)) + max(spread, 0.0) / (4 * n) - shared / n


def rank_sum(found):
    """U, the variances under P, that under Q, and the three z."""
    g, v_P, v_Q = found.g_p, found.v_p, found.v_q
    U = np.mean(g * above(v_P, v_Q)) / g.mean()
    under_P, under_Q = variances_under_P(g, v_P, v_Q), variance_under_Q(found.g_q, v_Q, len(v_P))
    harmonic = 2 / (1 / under_P + 1 / under_Q)
    return U, under_P, under_Q, (U - 0.5) / np.sqrt(harmonic)


def two_sample_test(data, resamples, rng):  # noqa: ARG001
    X, Y, group = data.numbers()
    *_, z = rank_sum(density_ratio.ratios(X, Y, density_ratio.split(group, rng)))
    return float(norm.cdf(np.median(z)))
