"""Closed-form null moments of the orthogonal statistic, against all label vectors and against resampling."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import kstest

from condmmd import CMMD, ApproximationWarning, Gamma, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.embedding import embed
from condmmd.inference import closed_form
from condmmd.inference.closed_form import gamma_pvalues, null_moments
from condmmd.kernels import Gaussian
from condmmd.statistics import Comparison, OrthogonalContrast, PlugInContrast

RNG = np.random.default_rng(0)


def test_mean_and_variance_over_all_labels(monkeypatch):
    X, Y, e = RNG.normal(size=(9, 1)), RNG.normal(size=(9, 1)), RNG.uniform(0.1, 0.9, 9)
    x, sigma = embed(Gaussian(1.0), X, tol=0.0, max_rank=9).principal()
    y = embed(Gaussian(0.7), Y, tol=0.0, max_rank=9)
    comparison = Comparison(x, sigma, y, OrthogonalContrast(0.1, e))
    levels = np.array([0.0, 1.0, 2.5])
    T = np.array(list(product([0.0, 1.0], repeat=9)))
    probability = np.prod(np.where(T == 1, e, 1 - e), axis=1)
    values = comparison.levels(HeldLabels(T), levels)
    mean = probability @ values
    variance = probability @ (values - mean) ** 2
    found = null_moments(comparison, levels)
    np.testing.assert_allclose(found[0], mean, rtol=1e-9)
    np.testing.assert_allclose(found[1], variance, rtol=1e-9)
    monkeypatch.setattr(closed_form, "CHUNK_NUMBERS", 30)  # a few rows at a time
    np.testing.assert_allclose(null_moments(comparison, levels), found, rtol=1e-12)


def test_what_has_no_closed_form():
    x, sigma = embed(Gaussian(1.0), RNG.normal(size=(9, 1)), tol=0.0, max_rank=9).principal()
    with pytest.raises(TypeError, match="orthogonal contrast"):
        null_moments(Comparison(x, sigma, x, PlugInContrast((0.1, 0.1))), np.array([0.0]))


def test_a_law_that_fits_badly_is_warned_about():
    X, e = RNG.normal(size=(40, 1)), np.full(40, 1e-4)
    x, sigma = embed(Gaussian(1.0), X, tol=0.0, max_rank=40).principal()
    comparison = Comparison(x, sigma, x, OrthogonalContrast(0.1, e))
    with pytest.warns(ApproximationWarning, match=r"fits badly where propensities are extreme \(shape 0\.\d+"):
        gamma_pvalues(comparison, np.array([1.0]), np.array([1.0]))


def test_gamma_pvalues_are_near_uniform_under_the_null():
    """200 nulls with independent labels; Kolmogorov-Smirnov at 0.001."""
    pvalues = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=80)
        e = 1 / (1 + np.exp(-0.5 * x))
        t = rng.random(80) < e
        result = cmmd_test(
            x,
            np.sin(x) + rng.normal(size=80),
            t,
            propensity=e,
            statistic=CMMD(estimator="orthogonal", level=1),
            null=Gamma(),
        )
        pvalues.append(result.pvalue)
    assert kstest(pvalues, "uniform").pvalue > 0.001
