"""The conditional mean embedding against its formula, and against scikit-learn's rules for estimators."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from condmmd import ConditionalMeanEmbedding, Gaussian
from tests import oracle

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, size=(500, 1))
Y = np.sin(2 * X[:, 0]) + (0.2 + 0.2 * (X[:, 0] > 0)) * RNG.normal(size=500)
AT = np.array([[-1.0], [0.5], [1.0]])


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([ConditionalMeanEmbedding()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_weights_are_those_of_the_paper():
    cme = ConditionalMeanEmbedding(Gaussian(0.7), Gaussian(0.5), reg=0.01, tol=1e-14).fit(X[:60], Y[:60])
    k = oracle.gaussian(0.7**-2)
    expected = oracle.cme_weights(k(X[:60], X[:60]), k(X[:60], AT), 0.01)
    np.testing.assert_allclose(cme.weights(AT), expected.T, atol=1e-6)
    np.testing.assert_allclose(cme.predict(AT), Y[:60] @ expected, atol=1e-6)


def test_leave_one_out_score():
    cme = ConditionalMeanEmbedding(Gaussian(0.7), Gaussian(0.5), reg=0.01).fit(X[:60], Y[:60])
    L = Gaussian(0.5)(Y[:60])
    error = oracle.leave_one_out_error(Gaussian(0.7)(X[:60]), L, 0.01)
    total = np.trace(L) / 60 - L.mean()
    np.testing.assert_allclose(cme.score(), 1 - error / total, rtol=1e-6)
    assert 0.3 < cme.score(X[60:], Y[60:]) < 1


def test_conditional_distribution():
    cme = ConditionalMeanEmbedding().fit(X, Y)
    mean, noise = np.sin(2 * AT[:, 0]), np.array([0.2, 0.4, 0.4])
    np.testing.assert_allclose(cme.predict(AT), mean, atol=0.1)
    np.testing.assert_allclose(cme.expectation(lambda y: y > 0.5, AT), norm.sf(0.5, mean, noise), atol=0.12)
    low, middle, high = cme.quantile([0.1, 0.5, 0.9], AT).T
    np.testing.assert_allclose(middle, mean, atol=0.15)
    assert np.all((low < middle) & (middle < high))
    grid = np.linspace(-3, 3, 601)
    density = cme.density(grid, AT)
    np.testing.assert_allclose(density.sum(axis=1) * 0.01, 1, atol=0.01)
    assert np.abs(grid[density.argmax(axis=1)] - mean).max() < 0.25


def test_several_outcomes_and_categories():
    both = ConditionalMeanEmbedding().fit(X, np.column_stack([Y, -Y]))
    np.testing.assert_allclose(both.predict(AT)[:, 0], -both.predict(AT)[:, 1])
    with pytest.raises(ValueError, match="one numeric outcome"):
        both.quantile(0.5, AT)
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.where(RNG.random(500) < 0.5, "a", "b")})
    outcome = Y + 2.0 * (frame["kind"] == "a")
    cme = ConditionalMeanEmbedding().fit(frame, outcome)
    there = cme.predict(pd.DataFrame({"x": [1.0, 1.0], "kind": ["a", "b"]}))
    assert 1.5 < there[0] - there[1] < 2.5


def test_in_cross_validation_and_with_bad_input():
    assert cross_val_score(ConditionalMeanEmbedding(), X, Y, cv=3).min() > 0.4
    cme = ConditionalMeanEmbedding().fit(X, Y)
    with pytest.raises(ValueError, match="`q` must lie strictly"):
        cme.quantile(1.0, AT)
    with pytest.raises(ValueError, match="one value"):
        cme.expectation(lambda y: y[:3], AT)
    with pytest.raises(ValueError, match="`reg` must be positive"):
        ConditionalMeanEmbedding(reg=-1.0).fit(X, Y)
