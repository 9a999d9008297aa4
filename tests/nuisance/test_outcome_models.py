"""Predictions of the outcomes' features within each group."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import Gaussian, Linear
from condmmd.data import read_table
from condmmd.embedding import embed
from condmmd.nuisance.folds import fold_parts, shuffled_folds
from condmmd.nuisance.outcome_models import fit_regressor, given_predictions, predict, regressor_predictions

RNG = np.random.default_rng(0)
X, PSI, T = RNG.normal(size=(40, 2)), RNG.normal(size=(40, 3)), np.repeat([1.0, 0.0], 20)


def test_each_group_has_its_own_model():
    found = regressor_predictions(LinearRegression(), X, PSI, T, None)
    for mu, label in zip(found, (1, 0), strict=True):
        expected = LinearRegression().fit(X[label == T], PSI[label == T]).predict(X)
        np.testing.assert_allclose(mu, expected, atol=1e-12)


def test_with_folds_the_models_are_those_of_the_other_folds():
    folds = shuffled_folds(40, 4)
    found = regressor_predictions(LinearRegression(), X, PSI, T, folds)
    for rows, train in fold_parts(40, folds):
        for mu, label in zip(found, (1, 0), strict=True):
            own = train[T[train] == label]
            np.testing.assert_allclose(mu[rows], LinearRegression().fit(X[own], PSI[own]).predict(X[rows]), atol=1e-12)


def test_one_outcome_is_a_vector_to_scikit_learn():
    model = LinearRegression()
    fitted = fit_regressor(model, X, PSI[:, :1])
    assert fitted.coef_.shape == (2,)
    assert predict(fitted, X, 1).shape == (40, 1)
    assert not hasattr(model, "coef_")  # a copy was fitted


def test_predictions_that_the_user_has():
    table = read_table(PSI, "Y")
    y = embed(Linear(), PSI, tol=0.0, max_rank=3)
    mu_p, _ = given_predictions((2 * PSI, PSI.tolist()), y, table)
    np.testing.assert_allclose(mu_p @ y.phi.T, 2 * PSI @ PSI.T, atol=1e-9)
    for bad in (PSI[:3], PSI[:, 0], np.full((40, 3), np.nan)):
        with pytest.raises(ValueError, match=r"finite predictions of shape \(40, 3\) for each group"):
            given_predictions((bad, PSI), y, table)
    with pytest.raises(TypeError, match="needs kernel_y='linear'"):
        given_predictions((PSI, PSI), embed(Gaussian(1.0), PSI, tol=1e-6, max_rank=40), table)


def test_predictions_of_another_shape():
    class Short(LinearRegression):
        def predict(self, X):
            return super().predict(X)[:-1]

    with pytest.raises(ValueError, match=r"`model`: Short\(\) must predict 3 number.* 40 rows; got \(39, 3"):
        predict(fit_regressor(Short(), X, PSI), X, 3)
