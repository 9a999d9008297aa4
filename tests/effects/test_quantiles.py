"""Quantiles after adjusting for X."""

import numpy as np
import pytest
from scipy.stats import expon, norm

from condmmd import cmmd_test
from condmmd.effects.quantiles import SHARES, Curve, QuantileShifts, quantile_shifts
from condmmd.effects.scores import Weights
from tests.effects.tables import SETTINGS, T, X, Y, default, plain


def test_a_distribution_function_inverted():
    curve = Curve(np.array([1.0, 2.0, 5.0]), np.array([0.2, 0.7, 1.0]))
    assert curve.quantile(np.array([0.1, 0.2, 0.3, 0.7, 0.71, 1.0])).tolist() == [1, 1, 2, 2, 5, 5]


def test_in_a_trial_without_regression_they_are_the_quantiles_of_the_groups():
    result = cmmd_test(X, Y, T, propensity=None, residualize=False, **SETTINGS)
    for effect in result.effect().of("quantile"):
        expected = [np.quantile(Y[g == T], effect.share, method="inverted_cdf") for g in (1, 0)]
        order = np.sort(Y)
        for level, own in zip(effect.levels, expected, strict=True):
            assert abs(np.searchsorted(order, level) - np.searchsorted(order, own)) <= 2  # the same, or next to it


def test_normal_outcomes_with_a_known_answer():
    """Y = x + 0.5 t + (1 + t) z, x and z normal, groups by x: overlap weights keep x symmetric about 0."""
    rng = np.random.default_rng(0)
    count = 20_000
    x = rng.normal(size=count)
    e = 1 / (1 + np.exp(-x))
    t = (rng.random(count) < e).astype(int)
    y = x + 0.5 * t + (1 + t) * rng.normal(size=count)
    result = cmmd_test(x, y, t, propensity=e, residualize=False, **SETTINGS)
    grid = np.linspace(-8, 8, 4001)
    weight = np.exp(-(grid**2) / 2) / (1 + np.exp(-grid)) / (1 + np.exp(grid))
    weight /= weight.sum()
    levels = [
        [_root(lambda c, m=m, s=s, p=p: weight @ norm.cdf((c - grid - m) / s) - p) for p in SHARES]
        for m, s in ((0.5, 2.0), (0.0, 1.0))
    ]
    expected = np.array(levels[0]) - np.array(levels[1])
    effects = result.effect().of("quantile")
    for effect, true in zip(effects, expected, strict=True):
        assert effect.estimate == pytest.approx(true, abs=4 * effect.error)
        assert effect.error < 0.06
        assert effect.simultaneous[0] < effect.interval[0] < effect.interval[1] < effect.simultaneous[1]


def _root(function):
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low


def test_errors_are_those_of_density_and_distribution_function():
    """Of a normal sample, ``sqrt(p (1 - p) (1/n + 1/m)) / density``, though no density is estimated."""
    rng = np.random.default_rng(1)
    y, t = rng.normal(size=4000), np.arange(4000) % 2
    result = cmmd_test(rng.normal(size=4000), y, t, propensity=None, residualize=False, **SETTINGS)
    for effect in result.effect().of("quantile"):
        expected = np.sqrt(effect.share * (1 - effect.share) / 1000) / norm.pdf(norm.ppf(effect.share))
        assert effect.error == pytest.approx(expected, rel=0.25)


def test_a_pile_of_equal_outcomes_does_no_harm():
    rng = np.random.default_rng(2)
    t = np.arange(600) % 2
    y = np.where(rng.random(600) < 0.45, 0.0, rng.gamma(2.0, size=600))
    result = cmmd_test(rng.normal(size=(600, 2)), y, t, **SETTINGS)
    low = result.effect()["20 % quantile of y0"]
    assert (low.estimate, low.error, low.interval) == (0.0, 0.0, (0.0, 0.0))
    assert result.effect()["90 % quantile of y0"].error > 0


def test_a_curve_rises_and_ends_at_one():
    adjusted = plain()._adjusted
    for curve in quantile_shifts(adjusted, 0, Weights.of("overlap", adjusted)).curves:
        assert (np.diff(curve.heights) >= 0).all()
        assert curve.heights[-1] == pytest.approx(1.0)


def test_the_interval_of_a_difference_written_out():
    """Zou and Donner's: the lower end from P's lower and Q's upper one, less what the two have in common."""
    grid, errors, r = np.linspace(-6, 12, 200_001), (np.full(9, 0.02), np.full(9, 0.03)), 0.4
    curves = Curve(grid, norm.cdf(grid)), Curve(grid, expon.cdf(grid))
    p, q = norm.ppf(SHARES), expon.ppf(SHARES)
    low, high = QuantileShifts(p, q, curves, errors, np.full(9, r), np.zeros((1, 9))).interval(1.5)
    ends = []
    for law, error in ((norm, 0.02), (expon, 0.03)):
        odds = SHARES / (1 - SHARES) * np.exp(np.outer([-1, 1], 1.5 * error / (SHARES * (1 - SHARES))))
        ends.append(law.ppf(odds / (1 + odds)))
    (p_low, p_high), (q_low, q_high) = ends
    down, up = (p - p_low, q_high - q), (p_high - p, q - q_low)
    for found, (a, b), sign in ((low, down, -1), (high, up, 1)):
        np.testing.assert_allclose(found, p - q + sign * np.sqrt(a**2 + b**2 - 2 * r * a * b), atol=1e-3)


def test_influences_add_up_to_the_error_of_the_difference():
    """Of two quantiles that go together: the variance of a difference, from one standard error of each."""
    adjusted = default()._adjusted
    found = quantile_shifts(adjusted, 0, Weights.of("overlap", adjusted))
    halves = []
    for curve, error in zip(found.curves, found.errors, strict=True):
        odds = SHARES / (1 - SHARES) * np.exp(np.outer([-1, 1], error / (SHARES * (1 - SHARES))))
        low, high = curve.quantile(odds / (1 + odds))
        halves.append((high - low) / 2)
    p, q = halves
    assert np.abs(found.correlation).max() > 0.05
    np.testing.assert_allclose(np.sum(found.influence**2, axis=0), p**2 + q**2 - 2 * found.correlation * p * q)
