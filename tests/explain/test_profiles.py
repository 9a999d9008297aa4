"""Sizes in windows, the band over all of them, and the runs of bins outside it."""

import numpy as np

from condmmd.data import Column
from condmmd.explain import RowProfile
from condmmd.explain.profiles import Marks, along, of_each
from condmmd.explain.regions import RowRegion
from condmmd.explain.windows import make_windows

X = np.repeat(np.arange(6.0), 30)
WINDOWS = make_windows(X, Column("age"))
SIZES = np.concatenate([[[9.0, 8.0, 0.5, 0.5, 9.0, 0.5]], np.random.default_rng(0).random((199, 6))])
MARKS = Marks.of(SIZES[0], np.cbrt(SIZES**2), 0.05)


def test_what_is_outside_is_above_the_band():
    assert MARKS.outside.tolist() == [True, True, False, False, True, False]
    assert (MARKS.outside == (MARKS.size > MARKS.band)).all()
    assert (MARKS.outside == (MARKS.pvalues <= 0.05)).all()
    part = MARKS.at(slice(4, 6))
    assert part.outside.tolist() == [True, False]
    assert part.z.tolist() == MARKS.z[4:].tolist()


def test_runs_of_bins_are_regions_with_their_rows_and_means():
    def shift(weights):
        return float(weights @ X / weights.sum()), 0.5

    profile = RowProfile(**along(WINDOWS, MARKS, np.bincount(WINDOWS.of_row), shift, RowRegion))
    assert [region.condition for region in profile.regions] == ["age from 0 to 1", "age = 4"]
    assert [(region.n_obs, region.shift) for region in profile.regions] == [(60, 0.5), (30, 4.0)]
    assert profile.middle.tolist() == [0, 1, 2, 3, 4, 5]
    assert repr(profile) == "RowProfile(age: 6 windows, 3 outside)"
    assert profile.to_dict()["n_obs"] == [30] * 6


def test_without_one_number_there_is_no_shift_and_categories_are_one_region():
    windows = make_windows(np.repeat([0.0, 1.0], 90), Column("sex", ("f", "m")))
    marks = MARKS.at(slice(0, 2))
    both = np.stack([np.bincount(windows.of_row), np.zeros(2, dtype=int)], axis=1)
    (region,) = along(windows, marks, both, None, RowRegion)["regions"]
    assert (region.condition, region.n_obs, region.shift) == ("sex is f or m", (180, 0), None)
    assert list(of_each([WINDOWS, windows])) == [slice(0, 6), slice(6, 8)]
