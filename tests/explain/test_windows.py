"""Bins, windows and sums over them."""

import numpy as np
import pytest

from condmmd.data import Column
from condmmd.explain.windows import MAX_BINS, BinSums, day, make_windows, span

RNG = np.random.default_rng(0)


def test_windows_keep_equal_values_together():
    values = np.repeat([0.0, 1.0, 5.0, 9.0], [50, 3, 100, 47])
    windows = make_windows(values, Column("v"))
    assert windows.low.tolist() == windows.high.tolist() == [0.0, 1.0, 5.0, 9.0]
    many = np.random.default_rng(0).normal(size=3000)
    windows = make_windows(many, Column("v"))
    assert windows.count == MAX_BINS
    assert (windows.high[:-1] < windows.low[1:]).all()
    assert np.bincount(windows.of_row).min() >= 70
    lumpy = np.concatenate([np.zeros(500), np.random.default_rng(1).random(500) + 1])
    windows = make_windows(lumpy, Column("v"))
    assert windows.low[0] == windows.high[0] == 0.0
    assert np.bincount(windows.of_row)[0] == 500


def test_sums_over_bins_and_windows():
    """Against sums written out, for many weight vectors; a window is a weighted mean over its bins."""
    values, weights, R = RNG.normal(size=(300, 2)), RNG.random(300), RNG.normal(size=(4, 300))
    windows = make_windows(RNG.normal(size=300), Column("v"))
    sums = BinSums.of(windows, values, weights)
    found = sums(R)
    for g in range(windows.count):
        own = windows.of_row == g
        np.testing.assert_allclose(found[:, g], R[:, own] @ values[own], atol=1e-10)
    joined = sums.windowed(found)
    by_row = windows.join[:, windows.of_row]
    expected = np.einsum("gi,bi,ik->bgk", by_row, R, values) / (by_row @ weights)[:, None]
    np.testing.assert_allclose(joined, expected, atol=1e-10)


def test_categories_have_windows_of_their_own():
    windows = make_windows(np.array([2.0, 0.0, 2.0]), Column("kind", ("a", "b", "c")))
    assert windows.categories == ("a", "c")
    np.testing.assert_array_equal(windows.join, np.eye(2))
    np.testing.assert_array_equal(windows.of_row, [1, 0, 1])


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((20.0, 31.5), "from 20 to 31.5"),
        ((3.0, 3.0), "= 3"),
        ((20240101.0, 20240200.0), "from 20240101 to 20240200"),
        ((0.123456789, 0.5), "from 0.1235 to 0.5"),
    ],
)
def test_ranges_in_as_many_digits_as_tell_the_ends_apart(ends, words):
    assert span(*ends) == words


def test_days_are_told_as_dates():
    assert span(15341.0, 15629.0, dates=True) == "from 2012-01-02 to 2012-10-16"
    assert span(-1.0, -1.0, dates=True) == "= 1969-12-31"
    assert day(18262.5) == "2020-01-01 12:00"
