"""ACMMD of Glaser et al. (2024): does a conditional model fit? And the joint metric of Huang et al. (2022) for pairs.

    mean_{i != j} k(x_i, x_j) H_ij,    H_ij = <psi(y_i) - E_model psi, psi(y_j) - E_model psi>,

with the model's expectations in closed form (Gaussian model and kernel) or as means over draws, against Rademacher
signs w^T (K * H) w. It is our level 2 in its joint form. With a kernel between predictions for k it is a reliability
(calibration) test, SKCE. The sign of the last term is wrong in the docstring of their package, not in its code.
"""

import numpy as np

from condmmd import Gaussian
from condmmd.kernels import median_distance


def against_gaussian(y, mean, sd, lengthscale):
    """H for one numeric outcome and a model N(mean_i, sd_i^2), in closed form."""

    def expected(d, variance):
        total = lengthscale**2 + variance
        return lengthscale / np.sqrt(total) * np.exp(-(d**2) / (2 * total))

    y, mean, variance = y[:, None], mean[:, None], sd[:, None] ** 2
    cross = expected(y - mean.T, variance.T)
    return expected(y - y.T, 0.0) - cross - cross.T + expected(mean - mean.T, variance + variance.T)


def against_draws(y, draws, lengthscale):
    """H for one numeric outcome and draws of the model, one row of them for each row."""
    kernel = Gaussian(lengthscale)
    n, R = draws.shape
    flat = draws.reshape(-1, 1)
    cross = kernel.gram(y[:, None], flat).reshape(n, n, R).mean(axis=2)
    within = kernel.gram(flat, flat).reshape(n, R, n, R).mean(axis=(1, 3))
    return kernel.gram(y[:, None], y[:, None]) - cross - cross.T + within


def unbiased(M):
    n = len(M)
    return (M.sum() - np.trace(M)) / (n * (n - 1))


def signs_pvalue(M, resamples, rng):
    """Of the mean off the diagonal, against sign flips of the rows."""
    bare = M - np.diag(np.diag(M))
    w = rng.choice([-1.0, 1.0], size=(resamples, len(M)))
    return (1 + np.sum(np.sum((w @ bare) * w, axis=1) >= bare.sum())) / (1 + resamples)


def model_test(data, resamples, rng):
    K = Gaussian(median_distance(data.X)).gram(data.X, data.X)
    H = against_gaussian(data.Y, data.mean, data.sd, median_distance(data.Y))
    return signs_pvalue(K * H, resamples, rng)


def paired_test(data, resamples, rng):
    """The second outcome in place of the model's draw."""
    X, Y1, Y2 = data
    K = Gaussian(median_distance(X)).gram(X, X)
    lengthscale = median_distance(np.concatenate([Y1, Y2]))
    return signs_pvalue(K * against_draws(Y1, Y2[:, None], lengthscale), resamples, rng)
