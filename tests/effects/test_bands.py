"""Intervals for one number and for many at once."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi, norm
from scipy.stats import t as student

from condmmd.effects.bands import band_of


def test_one_number_has_students_interval():
    influence = np.random.default_rng(0).normal(size=(50, 1))
    band = band_of(influence, 0.9, 12.0, 0)
    assert band.errors[0] == pytest.approx(np.sqrt(np.sum(influence**2)))
    assert band.alone == band.together == pytest.approx(student.ppf(0.95, 12))
    assert band.pvalue(band.errors * 2.0) == pytest.approx(2 * student.sf(2.0, 12))


def test_independent_numbers_and_copies_of_one():
    """Independent: the 0.95 ** (1 / k) quantile; copies: no wider than one alone."""
    rng = np.random.default_rng(1)
    independent = np.linalg.qr(rng.normal(size=(400, 5)))[0]
    wide = band_of(independent, 0.95, 1e6, 0)
    assert wide.together == pytest.approx(student.ppf((1 + 0.95**0.2) / 2, 1e6), abs=0.04)
    copies = band_of(np.repeat(independent[:, :1], 5, axis=1), 0.95, 1e6, 0)
    assert copies.together == pytest.approx(copies.alone, abs=0.05)


def test_what_does_not_vary_is_left_out():
    influence = np.column_stack([np.random.default_rng(0).normal(size=30), np.zeros(30)])
    band = band_of(influence, 0.95, 20.0, 0)
    assert band.together == band.alone
    assert band.pvalue(np.array([0.0, 1.0])) == pytest.approx(1.0)
    assert band_of(np.zeros((30, 2)), 0.95, 20.0, 0).pvalue(np.zeros(2)) == 1.0


def test_the_seed_repeats_it():
    influence = np.random.default_rng(0).normal(size=(30, 3))
    assert band_of(influence, 0.95, 20.0, 5).together == band_of(influence, 0.95, 20.0, 5).together
    assert band_of(influence, 0.95, 20.0, 2**100).together > 0


def test_few_degrees_of_freedom_widen_the_band():
    """Five independent numbers and one estimated scale: the chance that all are within, integrated over the scale."""
    band = band_of(np.linalg.qr(np.random.default_rng(1).normal(size=(400, 5)))[0], 0.95, 6.0, 0)

    def within(scale):
        return (2 * norm.cdf(band.together * scale) - 1) ** 5 * chi.pdf(scale * 6**0.5, 6) * 6**0.5

    assert quad(within, 0, 10)[0] == pytest.approx(0.95, abs=0.008)


def test_the_joint_pvalue_is_that_of_the_farthest():
    band = band_of(np.linalg.qr(np.random.default_rng(1).normal(size=(400, 3)))[0], 0.95, 1e6, 0)
    expected = 1 - (2 * norm.cdf(2.5) - 1) ** 3
    assert band.pvalue(band.errors * np.array([0.1, -2.5, 1.0])) == pytest.approx(expected, abs=0.008)
