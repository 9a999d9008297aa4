"""Residualised outcomes: label-blind, and what they remove is the pooled regression."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import Gaussian, Linear
from condmmd.embedding import embed
from condmmd.kernels import default_kernel
from condmmd.residuals import residualize
from condmmd.samples import read_table

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, size=(300, 1))
Y = np.sin(4 * X) + 0.1 * RNG.normal(size=(300, 1))
TABLE = read_table(X, "X")


def test_the_pooled_ridge_leaves_the_noise():
    y = embed(Linear(), Y, tol=0.0, max_rank=5)
    residual, told = residualize(y, TABLE, default_kernel(TABLE), True)
    noise = Y - np.sin(4 * X)
    assert np.corrcoef(residual.phi[:, 0], noise[:, 0])[0, 1] > 0.95
    assert told.explained > 0.97
    assert "pooled ridge" in told.model


def test_a_regressor_is_cross_fitted():
    y = embed(Gaussian(1.0), Y, tol=1e-6, max_rank=50)
    residual, told = residualize(y, TABLE, default_kernel(TABLE), LinearRegression())
    assert "cross-fitted" in told.model
    in_sample = y.phi - LinearRegression().fit(X, y.phi).predict(X)
    assert np.sum(residual.phi**2) > np.sum(in_sample**2)
    np.testing.assert_allclose(residual.phi, in_sample, atol=0.1)


def test_nothing_is_explained_where_nothing_is_there():
    y = embed(Linear(), RNG.normal(size=(300, 1)), tol=0.0, max_rank=5)
    _, told = residualize(y, TABLE, default_kernel(TABLE), True)
    assert abs(told.explained) < 0.05


def test_what_is_no_regressor():
    with pytest.raises(TypeError, match="`residualize`"):
        residualize(embed(Linear(), Y, tol=0.0, max_rank=5), TABLE, default_kernel(TABLE), 3)
