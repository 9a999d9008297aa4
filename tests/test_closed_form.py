"""Closed-form null moments of the orthogonal statistic, against all label vectors and against resampling."""

from itertools import product

import numpy as np
from scipy.stats import kstest

from condmmd import cmmd_test
from condmmd.inference.closed_form import null_moments
from condmmd.statistics.contrasts import Orthogonal
from condmmd.embedding import embed
from condmmd.kernels import Gaussian
from condmmd.statistics.problem import Problem

RNG = np.random.default_rng(0)


def test_mean_and_variance_over_all_labels():
    X, Y, e = RNG.normal(size=(9, 1)), RNG.normal(size=(9, 1)), RNG.uniform(0.1, 0.9, 9)
    x, sigma = embed(Gaussian(1.0), X, tol=0.0, max_rank=9).principal()
    problem = Problem(x, sigma, embed(Gaussian(0.7), Y, tol=0.0, max_rank=9), Orthogonal(0.1, e))
    levels = np.array([0.0, 1.0, 2.5])
    T = np.array(list(product([0.0, 1.0], repeat=9)))
    probability = np.prod(np.where(T == 1, e, 1 - e), axis=1)
    values = problem.levels(T, levels)
    mean = probability @ values
    variance = probability @ (values - mean) ** 2
    found = null_moments(problem, levels)
    np.testing.assert_allclose(found[0], mean, rtol=1e-9)
    np.testing.assert_allclose(found[1], variance, rtol=1e-9)


def test_orthogonal_is_the_formula():
    X, Y, e = RNG.normal(size=(12, 1)), RNG.normal(size=(12, 1)), RNG.uniform(0.1, 0.9, 12)
    t = np.repeat([1.0, 0.0], 6)
    x, sigma = embed(Gaussian(1.0), X, tol=0.0, max_rank=12).principal()
    y = embed(Gaussian(0.7), Y, tol=0.0, max_rank=12)
    found = Problem(x, sigma, y, Orthogonal(0.1, e)).levels(t[None], np.array([0.0, 1.0]))[0]
    K, L = Gaussian(1.0)(X), Gaussian(0.7)(Y)
    W = np.linalg.inv(K + 0.1 * 12 * np.eye(12))
    tau = (t - e) / (e * (1 - e))
    pseudo = tau[:, None] * L * tau
    np.testing.assert_allclose(found, [np.trace(pseudo @ W @ K @ W), np.trace(pseudo @ W @ K @ K @ W) / 12], rtol=1e-9)


def test_gamma_pvalues_are_near_uniform_under_the_null():
    """200 nulls with independent labels; Kolmogorov-Smirnov at 0.001."""
    pvalues = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=80)
        e = 1 / (1 + np.exp(-0.5 * x))
        t = rng.random(80) < e
        result = cmmd_test(
            x, np.sin(x) + rng.normal(size=80), t, propensity=e, estimator="orthogonal", null="gamma", level=1
        )
        pvalues.append(result.pvalue)
    assert kstest(pvalues, "uniform").pvalue > 0.001
