"""The law of a squared length with noise, against the noncentral chi-square that it is with equal noise everywhere."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ncx2, norm

from condmmd.effects.noisy_norm import noisy_norms

SIZE, COUNT = 6, 3999


def even(seen, drift=0.0, rest=0.0):
    """Noise of variance 1 in each of six directions, of which the first is the mean's."""
    noise = np.random.default_rng(3).normal(size=(COUNT, SIZE + 1))
    return noisy_norms(seen, noise[:, :SIZE], noise[:, 0], drift * noise[:, SIZE:], float(SIZE), rest)[0]


@pytest.mark.parametrize("value", [0.0, 2.0, 30.0])
def test_the_law_is_that_of_a_noncentral_chi_square(value):
    for share in (0.05, 0.5, 0.95):
        seen = ncx2.ppf(share, SIZE, max(value, 1e-9))
        assert abs(even(seen).below(value) - share) < 0.02


def test_the_estimate_is_what_was_seen_less_the_trace_of_the_noise():
    assert even(10.0).bias == pytest.approx(SIZE)
    assert even(10.0, rest=1.5).estimate == pytest.approx(10.0 - SIZE - 1.5)
    assert np.mean(even(10.0, rest=1.5).square) == pytest.approx(SIZE + 1.5, rel=0.03)


@pytest.mark.parametrize("value", [0.0, 3.0, 40.0])
def test_intervals_hold_what_they_are_for(value):
    law = even(1.0)
    shares = (np.arange(50) + 0.5) / 50
    held = upper = 0
    for seen in ncx2.ppf(shares, SIZE, max(value, 1e-9)):
        one = replace(law, seen=float(seen))
        low, high = one.interval(0.95)
        held += low <= value <= high
        upper += value <= one.upper(0.95)
    assert 46 <= held <= 49
    assert upper >= 46


def test_at_nothing_the_lower_end_is_zero_and_with_much_it_is_not():
    assert even(ncx2.ppf(0.9, SIZE, 1e-9)).interval(0.95)[0] == 0
    assert even(ncx2.ppf(0.965, SIZE, 1e-9)).interval(0.95)[0] > 0  # all of the error is for seeing too much there
    low, high = even(60.0).interval(0.95)
    assert 20 < low < 60 - SIZE < high


def test_a_drift_widens_in_proportion_to_the_squared_length():
    """Far out the law is normal, with variance 4 v + v^2 drift^2."""
    value, drift = 1000.0, 0.05
    seen = value + SIZE - 1.5 * np.sqrt(4 * value + value**2 * drift**2)
    assert even(seen, drift).below(value) == pytest.approx(norm.cdf(-1.5), abs=0.02)
    assert even(seen, 0.6).draws(value).mean() == pytest.approx(value + SIZE, rel=0.04)  # and moves nothing on average


def test_limits_are_finite_however_much_drifts():
    low, high = even(3.0, drift=1.0).interval(0.95)
    assert 0 <= low < 3 < high < 1e3
