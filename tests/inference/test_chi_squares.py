"""Tails of weighted sums of chi-squares, against laws that are known in closed form and against draws."""

import numpy as np
import pytest
from scipy.stats import chi2, gamma

from condmmd.inference.chi_squares import ChiSquares, upper_tail


def tails(x, weights):
    return upper_tail(np.asarray(x), ChiSquares.of(np.repeat(np.asarray(weights, dtype=float)[None], len(x), axis=0)))


@pytest.mark.parametrize("degrees", [1, 2, 3, 10, 100])
def test_equal_weights_are_one_chi_square(degrees):
    x = chi2.isf(10.0 ** -np.array([1e-4, 0.01, 0.3, 1, 3, 6, 10, 30, 100, 250]), degrees)
    np.testing.assert_allclose(tails(2.5 * x, np.full(degrees, 2.5)), chi2.sf(x, degrees), rtol=1e-8)


@pytest.mark.parametrize("weights", [[1.0, 0.7, 0.4, 0.1], [1.0, 0.97, 0.95], [1.0, 1e-3]], ids=str)
def test_pairs_of_weights_are_sums_of_exponentials(weights):
    """Two chi-squares of one weight make an exponential, and sums of those have a closed form."""
    rates = 0.5 / np.array(weights)
    terms = [np.prod([other / (other - rate) for other in rates if other != rate]) for rate in rates]
    x = np.array([0.5, 1.0, 2.0, 5.0, 15.0, 40.0, 60.0])
    exact = sum(term * np.exp(-rate * x) for term, rate in zip(terms, rates, strict=True))
    assert exact[-1] < 1e-10
    np.testing.assert_allclose(tails(x, np.repeat(weights, 2)), exact, rtol=1e-8)


def test_degrees_of_freedom_need_not_be_whole_numbers():
    x, degrees = np.array([0.01, 1.0, 30.0, 100.0]), 3.3
    found = upper_tail(x, ChiSquares(np.full((4, 1), 0.7), np.full((4, 1), degrees)))
    np.testing.assert_allclose(found, gamma.sf(x, degrees / 2, scale=1.4), rtol=1e-8)


@pytest.mark.parametrize(
    "weights", [1 / np.arange(1, 8.0) ** 2, np.append(1.0, np.full(6, 0.1))], ids=["falling", "one"]
)
def test_against_draws(weights):
    """A million of them, to four standard errors."""
    drawn = np.random.default_rng(0).chisquare(1, size=(1_000_000, len(weights))) @ weights
    x = np.quantile(drawn, [0.02, 0.3, 0.5, 0.9, 0.999, 0.99999])
    p = tails(x, weights)
    share = np.mean(drawn[:, None] > x, axis=0)
    assert np.all(np.abs(share - p) <= 4 * np.sqrt(p * (1 - p) / len(drawn)))


def test_units_zeros_and_points_that_are_no_sum():
    weights = np.array([3.0, 1.0, 0.0])
    np.testing.assert_allclose(tails([20.0], weights), tails([20e-9], weights[:2] * 1e-9), rtol=1e-10)
    np.testing.assert_array_equal(tails([-1.0, 0.0], weights), [1.0, 1.0])
    np.testing.assert_array_equal(upper_tail(np.array([0.0, 1.0]), ChiSquares.of(np.zeros((2, 1)))), [1.0, 0.0])
    assert tails([1e5], weights)[0] == 0.0
