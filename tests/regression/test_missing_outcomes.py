"""Embeddings with outcomes that are not seen: the paper's doubly robust formula, and what may be wrong with it."""

import numpy as np
import pandas as pd
import pytest

from condmmd import ConditionalMeanEmbedding, Gaussian, Polynomial
from condmmd.regression.missing_outcomes import read_observed, read_propensity, robust_smoother, with_rows_filled
from tests import oracle

RNG = np.random.default_rng(0)
N = 60
X = RNG.uniform(-2, 2, size=(N, 1))
E = 1 / (1 + np.exp(-X[:, 0]))
T = RNG.random(N) < E
Y = np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=N)
AT = np.array([[-1.0], [0.5], [1.0]])


def test_weights_are_those_of_the_paper():
    cme = ConditionalMeanEmbedding(Gaussian(0.7), Gaussian(0.5), reg=0.01, tol=1e-14)
    missing = np.where(T, Y, np.nan)
    cme.fit(X, missing, observed=T, propensity=E)
    k = oracle.gaussian(0.7**-2)
    expected = oracle.doubly_robust_cme_weights(k(X, X), k(X, AT), T.astype(int), E, 0.01, 0.01)
    np.testing.assert_allclose(cme.weights(AT), expected.T, atol=1e-6)
    np.testing.assert_allclose(cme.predict(AT), Y[T] @ expected, atol=1e-6)
    np.testing.assert_allclose(cme.expectation(lambda y: y > 0, AT), (Y[T] > 0) @ expected, atol=1e-6)


def test_all_outcomes_seen_for_sure_is_the_plain_embedding():
    kernel = Gaussian(0.7)
    plain = ConditionalMeanEmbedding(kernel, reg=0.01).fit(X, Y)
    robust = ConditionalMeanEmbedding(kernel, reg=0.01).fit(X, Y, observed=np.ones(N), propensity=np.ones(N))
    np.testing.assert_allclose(robust.weights(AT), plain.weights(AT), atol=1e-10)
    assert robust.loo_score_ == pytest.approx(plain.loo_score_)


@pytest.mark.parametrize("wrong", ["propensity", "model"])
def test_one_of_both_may_be_wrong(wrong):
    """The mean of y given x is x^2, and what is seen has large x; a wrong model is a straight line through it."""
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, size=(4000, 1))
    e = 0.15 + 0.7 * (x[:, 0] > 0)
    t = rng.random(4000) < e
    y = x[:, 0] ** 2 + 0.1 * rng.normal(size=4000)
    kernel = Polynomial(1 if wrong == "model" else 2, 1.0)
    given = np.full(4000, 0.5) if wrong == "propensity" else e
    robust = ConditionalMeanEmbedding(kernel, reg=1e-6).fit(x, y, observed=t, propensity=given)
    plain = ConditionalMeanEmbedding(kernel, reg=1e-6).fit(x[t], y[t])
    target = {1: lambda at: np.full(len(at), 1 / 3), 2: lambda at: at[:, 0] ** 2}[1 if wrong == "model" else 2]
    at = np.array([[-0.8], [0.0], [0.8]])
    error, of_plain = (np.abs(cme.predict(at) - target(at)).max() for cme in (robust, plain))
    assert error < (0.13 if wrong == "model" else 0.03)  # of the first four standard deviations
    if wrong == "model":  # the best line over all rows is flat, that over those seen is not
        assert of_plain > 0.25


def test_lambda_is_chosen_and_frames_are_read():
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.where(X[:, 0] > 0, "a", "b")})
    outcomes = pd.DataFrame({"y": np.where(T, Y, np.nan)}, index=np.arange(N) + 7)
    cme = ConditionalMeanEmbedding().fit(frame, outcomes, observed=T.tolist(), propensity=pd.Series(E))
    assert 0 < cme.reg_ < 1
    assert cme.weights(frame.head(3)).shape == (3, T.sum())
    found = robust_smoother((np.ones((N, 1)), np.ones(1)), Y[T, None], T, E, "loo")
    assert found.weights.shape == (T.sum(), 1)
    assert found.pseudo.shape == (N, 1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"observed": T}, "`propensity` must be given with `observed`"),
        ({"propensity": E}, "`propensity` goes with `observed`"),
        ({"observed": T, "propensity": np.where(np.arange(N) == 3, 0.0, E)}, "at most 1; row 3 has 0"),
        ({"observed": T, "propensity": E[1:]}, r"one probability a row, 60; got shape \(59,\)"),
        ({"observed": T + 2, "propensity": E}, "must be booleans, or 1 and 0"),
        ({"observed": np.arange(N) < 1, "propensity": E}, "`observed` marks 1 rows"),
    ],
)
def test_what_is_refused(options, says):
    with pytest.raises(ValueError, match=says):
        ConditionalMeanEmbedding(reg=0.1).fit(X, Y, **options)


def test_readers():
    np.testing.assert_array_equal(read_observed([1, 0, 1], 3), [True, False, True])
    with pytest.raises(ValueError, match="one value a row, 4"):
        read_observed([1, 0, 1], 4)
    np.testing.assert_array_equal(read_propensity([0.5, 1.0], 2), [0.5, 1.0])
    filled = with_rows_filled([1.0, np.nan, 3.0], np.array([True, False, True]))
    np.testing.assert_array_equal(filled, [1.0, 1.0, 3.0])
