"""Intervals for one number and for many at once, by random signs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi, norm
from scipy.stats import t as student

from condmmd import CMMD, Linear, cmmd_test
from condmmd.effects.bands import Ratios, band_of
from condmmd.inference import SignDraws
from condmmd.labels import Multipliers
from condmmd.labels.fits import ByGroups


def draws_of(count, draws=9_999, seed=0):
    return SignDraws(Multipliers(np.ones(count)), seed, draws)


def test_one_number_has_students_interval():
    influence = np.random.default_rng(0).normal(size=(50, 1))
    band = band_of(influence, 0.9, 12.0, draws_of(30))
    assert band.errors[0] == pytest.approx(np.sqrt(np.sum(influence**2)))
    assert band.alone == band.together == pytest.approx(student.ppf(0.95, 12))
    assert band.pvalue(band.errors * 2.0) == pytest.approx(2 * student.sf(2.0, 12))


def test_independent_numbers_and_copies_of_one():
    """Independent: the 0.95 ** (1 / k) quantile; copies: no wider than one alone."""
    rng = np.random.default_rng(1)
    independent = np.linalg.qr(rng.normal(size=(400, 5)))[0]
    wide = band_of(independent, 0.95, 1e6, draws_of(400))
    assert wide.together == pytest.approx(student.ppf((1 + 0.95**0.2) / 2, 1e6), abs=0.04)
    copies = band_of(np.repeat(independent[:, :1], 5, axis=1), 0.95, 1e6, draws_of(400))
    assert copies.together == pytest.approx(copies.alone, abs=0.05)


def test_what_does_not_vary_is_left_out():
    influence = np.column_stack([np.random.default_rng(0).normal(size=30), np.zeros(30)])
    band = band_of(influence, 0.95, 20.0, draws_of(30))
    assert band.together == band.alone
    assert band.pvalue(np.array([0.0, 1.0])) == pytest.approx(1.0)
    assert band_of(np.zeros((30, 2)), 0.95, 20.0, draws_of(30)).pvalue(np.zeros(2)) == 1.0


def test_the_seed_repeats_it():
    influence = np.random.default_rng(0).normal(size=(30, 3))
    first, same, other = (band_of(influence, 0.95, 20.0, draws_of(30, 199, seed)).together for seed in (5, 5, 2**100))
    assert first == same != other


def test_few_degrees_of_freedom_widen_the_band():
    """Five independent numbers and one estimated scale: the chance that all are within, integrated over the scale."""
    band = band_of(np.linalg.qr(np.random.default_rng(1).normal(size=(400, 5)))[0], 0.95, 6.0, draws_of(400))

    def within(scale):
        return (2 * norm.cdf(band.together * scale) - 1) ** 5 * chi.pdf(scale * 6**0.5, 6) * 6**0.5

    assert quad(within, 0, 10)[0] == pytest.approx(0.95, abs=0.008)


def test_the_joint_pvalue_is_that_of_the_farthest():
    band = band_of(np.linalg.qr(np.random.default_rng(1).normal(size=(400, 3)))[0], 0.95, 1e6, draws_of(400))
    expected = 1 - (2 * norm.cdf(2.5) - 1) ** 3
    assert band.pvalue(band.errors * np.array([0.1, -2.5, 1.0])) == pytest.approx(expected, abs=0.008)


def ratios_of(seed, fitted, count=40, draws=99, effect=0.5):
    """Residuals r and what is left of the labels s, with labels that were balanced in two groups of rows."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=count)
    fit = ByGroups(np.arange(count) % 2, np.full(count, 0.25)) if fitted else None
    multipliers = Multipliers(a, fit)
    s = a + 0.1 * rng.normal(size=count)
    r = effect * s[:, None] + rng.normal(size=(count, 2))
    parts = multipliers.root(np.column_stack([r, s]))
    return Ratios(a @ r, float(a @ s), parts, SignDraws(multipliers, seed, draws)), (multipliers, r, s)


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_an_interval_holds_the_differences_that_the_test_does_not_reject(fitted, confidence):
    """Against the test made at each of many differences, signs and all, by the rows' weights."""
    found, (multipliers, r, s) = ratios_of(1, fitted)
    W = multipliers.weights(found.draws.signs.astype(np.int8)).held
    a = multipliers.a
    for k, (low, high) in enumerate(found.intervals(confidence)):
        for delta in np.linspace(-3, 3, 601):
            left = r[:, k] - delta * s
            p = (1 + np.sum(np.abs(W @ left) >= abs(a @ left))) / (1 + len(W))
            assert (low <= delta <= high) == (p > 1 - confidence + 1e-12), (delta, low, high)


def test_too_few_draws_for_a_confidence_bound_nothing():
    found, _ = ratios_of(0, fitted=False, draws=9)
    assert found.intervals(0.95) == [(-np.inf, np.inf)] * 2
    low, high = found.intervals(0.8)[0]
    assert low < found.A[0] / found.B < high


def test_where_signs_turn_the_denominator_nothing_is_bounded():
    found, _ = ratios_of(1, fitted=False)
    deviation = float(np.sqrt(np.sum(found.parts[:, -1] ** 2)))
    weak = replace(found, B=deviation)  # nearly one draw of three is larger
    assert weak.intervals(0.95) == [(-np.inf, np.inf)] * 2
    assert np.isfinite(weak.intervals(0.5)).all()


def test_influence_is_what_a_row_adds_and_the_pvalue_that_of_the_farthest():
    found, (multipliers, r, s) = ratios_of(2, fitted=True, effect=0.1)
    estimates = found.A / found.B
    np.testing.assert_allclose(found.influence, multipliers.root(r - s[:, None] * estimates) / found.B, atol=1e-12)
    W = multipliers.weights(found.draws.signs.astype(np.int8)).held
    scale = np.sqrt(np.sum(multipliers.root(r) ** 2, axis=0))
    largest = np.max(np.abs(W @ r) / scale, axis=1)
    assert found.pvalue == pytest.approx((1 + np.sum(largest >= np.max(np.abs(found.A) / scale))) / (1 + len(W)))
    assert 0.1 < found.pvalue < 0.9  # so that draws count on either side


@pytest.mark.parametrize("seed", range(4))
def test_where_the_mean_is_the_only_column_pvalue_and_interval_agree_to_the_digit(seed):
    """Zero is in the interval of every confidence for which the test does not reject, and in no other."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(120, 2))
    group = (rng.random(120) < 1 / (1 + np.exp(-x[:, 0]))).astype(int)
    y = x[:, 0] + rng.normal(size=120) + 0.3 * group
    alone = CMMD(lambda a, b: np.ones((len(a), len(b))), Linear(), level=1, estimator="overlap")
    for residualize in (True, False):
        found = cmmd_test(x, y, group, statistic=alone, residualize=residualize, rng=seed)
        assert len(found.by_level) == 1
        assert found.scheme == "random signs"
        assert found.effect().joint_pvalue == found.pvalue
        for above in (0.0005, 0.0095, 0.0495):
            for confidence in (1 - found.pvalue - above, 1 - found.pvalue + above):
                if 0.5 < confidence < 0.999:
                    low, high = found.effect(confidence=confidence)["mean"].interval
                    assert (low <= 0 <= high) == (found.pvalue > 1 - confidence)
