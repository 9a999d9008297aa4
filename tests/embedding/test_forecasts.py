"""A model in any of the ways in which users have one; what is wrong with it is said before any work."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression

from condmmd import Mixture, Normals, Quantiles, calibration_test
from condmmd.data import read_table
from condmmd.embedding.forecasts import rows_of_model, rows_of_predictions
from condmmd.embedding.models import ClassRows, DrawRows, LawRows

RNG = np.random.default_rng(0)
N = 30
RAW = RNG.normal(size=(N, 2))
X, Y = read_table(RAW, "X"), RNG.normal(size=N)
ONES = np.ones(N)


def rows(model, y=Y, **options):
    return rows_of_model(model, RAW, X, read_table(y, "Y"), **options)


class Sampler:
    def sample(self, X, count):
        return X[:, :1] + np.random.default_rng(0).normal(size=(len(X), count))


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ((Y, ONES), LawRows),
        (Normals(Y, 2.0), LawRows),
        (Mixture(np.full((N, 2), 0.5), np.zeros((N, 2)), np.ones((N, 2))), LawRows),
        (Quantiles(np.zeros((N, 2)), [0.1, 0.9]), ClassRows),
        (RNG.normal(size=(N, 5)), DrawRows),
        (RNG.normal(size=(N, 5, 1)), DrawRows),
        (Sampler(), DrawRows),
        (norm(loc=Y, scale=1.0), DrawRows),
        (BayesianRidge().fit(RAW, Y), LawRows),
    ],
)
def test_models_of_numbers(model, kind):
    found = rows(model)
    assert isinstance(found, kind)
    assert found.x.names == X.names
    if kind is DrawRows:
        assert found.draws.shape[0] == N


@pytest.mark.parametrize("labels", [np.array(["no", "yes"]), np.array([0, 1]), np.array([False, True])])
def test_classifiers(labels):
    y = labels[(RAW[:, 0] + RNG.normal(size=N) > 0).astype(int)]
    model = LogisticRegression().fit(RAW, y)
    found = rows(model, pd.Series(y, name="bought"))
    assert isinstance(found, ClassRows)
    np.testing.assert_allclose(found.probabilities, model.predict_proba(RAW))
    np.testing.assert_array_equal(np.asarray(found.y.values)[:, 0], y == labels[1])


def test_probabilities_are_told_from_draws():
    codes = RNG.integers(0, 3, N)
    assert isinstance(rows(RNG.dirichlet(np.ones(3), N), codes), ClassRows)
    assert isinstance(rows(RNG.normal(size=(N, 3)), codes), DrawRows)
    assert isinstance(rows(RNG.uniform(size=N), codes > 1), ClassRows)
    assert isinstance(rows(RNG.uniform(size=N), 1.0 * (codes > 1)), ClassRows)


def test_one_row_that_is_wrong_makes_no_draws_of_the_others():
    P, codes = RNG.dirichlet(np.ones(3), N), RNG.integers(0, 3, N)
    P[4] = 0.1
    with pytest.raises(ValueError, match=r"row 4 sums to 0\.3"):
        rows(P, codes)
    p = RNG.uniform(size=N)
    p[7] = 1.5
    with pytest.raises(ValueError, match=r"between 0 and 1; row 7 is 1\.5"):
        rows(p, codes > 1)
    with pytest.raises(ValueError, match="`model` must be probabilities, between 0 and 1; row 7"):
        rows(p, 1.0 * (codes > 1))


def test_predictions_are_what_is_conditioned_on():
    p = RNG.uniform(size=N)
    y = read_table(RNG.uniform(size=N) < p, "y")
    assert rows_of_predictions(np.stack([1 - p, p], 1), y, None).x.names == ("probability of True",)
    assert len(rows_of_predictions(np.stack([1 - p, p], 1), y, None, whole=True).x.columns) == 2
    assert rows_of_predictions(p, y, X).x.names == X.names
    numbers = read_table(Y, "y")
    assert rows_of_predictions((Y, ONES), numbers, None).x.names == ("predicted mean", "predicted sd")
    assert rows_of_predictions(RNG.normal(size=(N, 4)), numbers, None).x.names == (
        "mean of the draws",
        "sd of the draws",
    )
    mixture = Mixture(np.full((N, 2), 0.5), np.tile([-1.0, 1.0], (N, 1)), np.zeros((N, 2)) + 1e-9)
    np.testing.assert_allclose(rows_of_predictions(mixture, numbers, None).x.values, np.tile([0.0, 1.0], (N, 1)))


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        ((Y, ONES * 0), ValueError, "`model.sd` must be positive; row 0 has 0"),
        (
            (np.where(np.arange(N) == 3, np.nan, Y), ONES),
            ValueError,
            "`model.mean` has a NaN or infinite value in row 3",
        ),
        ((Y[:5], ONES), ValueError, "`model.mean` has 5 rows and `Y` has 30"),
        ((np.stack([Y, Y], 1), 1.0), ValueError, "`model.mean` must have a column for each of the 1"),
        (RNG.normal(size=(N, 5, 2)), ValueError, r"must have shape \(rows, draws, 1\)"),
        (RNG.normal(size=(N, 1)), ValueError, "at least 2 draws for each row"),
        (Quantiles(np.zeros((N, 2)), [0.9, 0.1]), ValueError, "`levels` of Quantiles must rise"),
        (Quantiles(np.zeros((N, 3)), [0.1, 0.9]), ValueError, "a column for each of the 2 levels; it has 3"),
        (Quantiles(np.tile([1.0, 0.0], (N, 1)), [0.1, 0.9]), ValueError, "must not fall with the level; row 0 does"),
        (Mixture(np.full((N, 2), 0.4), np.zeros((N, 2)), np.ones((N, 2))), ValueError, "row 0 sums to 0.8"),
        (Mixture(np.full((N, 2), 0.5), np.zeros((N, 3)), np.ones((N, 2))), ValueError, "each of the 2 components"),
        (LinearRegression().fit(RAW, Y), TypeError, "says nothing of the distribution"),
        (LinearRegression, TypeError, "make a model of it and fit it"),
    ],
)
def test_what_is_no_model_is_refused(model, error, message):
    with pytest.raises(error, match=message):
        rows(model)


def test_a_model_of_numbers_says_nothing_of_categories():
    with pytest.raises(TypeError, match="give class probabilities"):
        rows((Y, ONES), np.array([True, False] * 15))


def test_shares_none_of_which_sum_to_one_are_refused_and_no_draws():
    y = np.tile([0, 1], 20)
    with pytest.raises(ValueError, match=r"must sum to one; row 0 sums to 1\.2"):
        calibration_test(np.full((40, 2), 0.6), y)
    drawn = np.random.default_rng(0).integers(0, 2, size=(40, 5)).astype(float)
    assert calibration_test(drawn, y, rng=0).pvalue > 0  # draws of the outcomes are whole, as they are
