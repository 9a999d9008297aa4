"""KCSD, the kernel conditional Stein discrepancy of Jitkrittum et al. (2020), for a model with a score.

With s_i the score of the model at y_i, i.e. d/dy log p(y_i | x_i), and l the kernel of outcomes,

    h_ij = s_i s_j l + s_i dl/dy_j + s_j dl/dy_i + d^2 l / dy_i dy_j,    statistic = n mean_{i != j} k(x_i, x_j) h_ij,

against signs w^T (K * H) w / (n - 1). It needs no normalised density and no draws, and is weaker than others where they
can be had. NNCDT's version keeps the diagonal under its multipliers, which is weaker still. One numeric outcome.
"""

import numpy as np

from benchmarks.leaderboard.methods.acmmd import signs_pvalue
from condmmd import Gaussian
from condmmd.kernels import median_distance


def stein_matrix(y, score, lengthscale):
    """H, for a Gaussian kernel of outcomes."""
    d = y[:, None] - y[None, :]
    square = lengthscale**2
    by_score = np.outer(score, score) + (score[:, None] - score[None, :]) * d / square
    return (by_score + 1 / square - d**2 / square**2) * np.exp(-(d**2) / (2 * square))


def statistic(K, H):
    """n times the mean off the diagonal."""
    M = K * H
    return (M.sum() - np.trace(M)) / (len(M) - 1)


def model_test(data, resamples, rng):
    y = data.Y
    K = Gaussian(median_distance(data.X)).gram(data.X, data.X)
    return signs_pvalue(K * stein_matrix(y, (data.mean - y) / data.sd**2, median_distance(y)), resamples, rng)
