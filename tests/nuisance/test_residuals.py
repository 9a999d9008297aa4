"""The residuals are what the pooled regression leaves."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import Forests, Gaussian
from condmmd.data import read_samples
from condmmd.embedding import embed
from condmmd.nuisance import regress_pooled, residual_model
from condmmd.nuisance.residuals import NoResiduals, PooledRidge, RegressorResiduals

RNG = np.random.default_rng(0)
N = 400


def test_residuals_are_what_the_regression_leaves():
    X, group = RNG.normal(size=(N, 1)), np.arange(N) % 2
    Y = np.sin(2 * X) + 0.1 * RNG.normal(size=(N, 1))
    samples = read_samples(X, Y, group)
    y = embed(Gaussian(1.0), Y, tol=1e-6, max_rank=50)
    pooled = regress_pooled(y.phi, samples)
    fit = PooledRidge().fit(y, samples, pooled)
    np.testing.assert_allclose(fit.outcomes.phi, y.phi - pooled.fitted)
    assert fit.how.model.startswith("pooled ridge")
    crossed, told = RegressorResiduals(LinearRegression()).fit(y, samples, None)[:2]
    assert "cross-fitted" in told.model
    in_sample = y.phi - LinearRegression().fit(X, y.phi).predict(X)
    assert np.sum(crossed.phi**2) > np.sum(in_sample**2)
    np.testing.assert_allclose(crossed.phi, in_sample, atol=0.1)


def test_what_is_no_regressor():
    for model in (3, "yes", LinearRegression):
        with pytest.raises(TypeError, match="`residualize`"):
            residual_model(model, Forests(), gram=False)


def test_nothing_is_taken_away_where_that_is_not_wanted():
    samples = read_samples(RNG.normal(size=30), RNG.normal(size=30), np.arange(30) % 2)
    y = embed(Gaussian(1.0), samples.y.values, tol=1e-6, max_rank=30)
    assert NoResiduals().fit(y, samples, None)[:2] == (y, None)
    with pytest.raises(ValueError, match="the pooled regression is missing"):
        PooledRidge().fit(y, samples, None)


def test_what_the_argument_says():
    assert residual_model(True, Forests(), gram=True) == PooledRidge()
    assert residual_model(True, Forests(), gram=False) == Forests()
    assert residual_model(False, Forests(), gram=True) == NoResiduals()
    assert residual_model(LinearRegression(), Forests(), gram=False).needs_pooled is False
    with pytest.raises(TypeError, match="not a Gram matrix"):
        residual_model(LinearRegression(), Forests(), gram=True)


def test_cross_fitted_residuals_do_not_see_their_own_row():
    X, Y = RNG.normal(size=(40, 1)), RNG.normal(size=(40, 1))
    samples = read_samples(X, Y, np.arange(40) % 2)
    y = embed(Gaussian(1.0), Y, tol=0.0, max_rank=40)
    changed = y.phi.copy()
    changed[7] += 1.0
    before, after = (
        RegressorResiduals(LinearRegression()).fit(replace(y, phi=phi), samples, None)[0].phi
        for phi in (y.phi, changed)
    )
    np.testing.assert_allclose(after[7] - before[7], 1.0, atol=1e-9)
