"""The size of a difference, where it is known; in every kind of test; and the same from a test and a measurement."""

import json

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Compute, Family, Gaussian, cmmd, cmmd_test
from condmmd.effects.sizes import Sizes, share_of, squared_at, word_for

FAST = {"n_resamples": 19, "rng": 0, "compute": Compute(keep_fits=True)}


def table(seed=0, n=(150, 150), shift=0.0, slope=0.0):
    rng = np.random.default_rng(seed)
    group = np.repeat([1, 0], n)
    x = rng.normal(size=(sum(n), 2)) + 0.2 * group[:, None]
    return x, np.sin(x[:, 0]) + rng.normal(size=sum(n)) + group * (shift + slope * x[:, 1]), group


@pytest.mark.parametrize("n", [(400, 400), (640, 160)], ids=["even", "one to four"])
def test_of_a_shift_with_a_linear_kernel_it_is_the_share_of_variance(n):
    """A shift by d deviations adds d^2 / 4 to a variance of 1; groups of other sizes change nothing.

    A share of so many rows has an error of about 0.03, so the mean of four is within three of its errors, 0.045.
    """
    sizes = []
    for seed in range(1, 5):
        x, y, group = table(seed, n, shift=1.0)
        sizes.append(cmmd_test(x, y, group, statistic=Family(kernel_y="linear"), **FAST).size())
    assert np.mean([size.share for size in sizes]) == pytest.approx(0.25 / 1.25, abs=0.045)
    assert sum(size.share_interval[0] < 0.25 / 1.25 < size.share_interval[1] for size in sizes) >= 3
    assert all(size.share_interval[1] - size.share_interval[0] < 0.2 for size in sizes)


def test_it_is_zero_where_nothing_differs_and_one_where_the_group_fixes_the_outcome():
    x, y, group = table(2)
    nothing = cmmd_test(x, y, group, **FAST).size()
    assert nothing.share_interval[0] == 0
    assert nothing.share < 0.02
    assert "at most a " in nothing.sentence()
    everything = cmmd_test(x, 5.0 * group + 0.01 * y, group, **FAST).size()
    assert everything.share > 0.9
    assert everything.word == "large"


def test_neither_the_units_nor_the_names_of_the_groups_are_in_it():
    x, y, group = table(3, shift=0.8)
    base = cmmd_test(x, y, group, **FAST).size()
    scaled = cmmd_test(x, 1000 * y, group, **FAST).size()
    swapped = cmmd_test(x, y, 1 - group, **FAST).size()
    for other in (scaled, swapped):
        assert other.share == pytest.approx(base.share, rel=1e-3)
        assert other.squared == pytest.approx(base.squared, rel=1e-3)


@pytest.mark.parametrize("statistic", [CMMD(), CMMD(kernel_x=Gaussian(1.0), reg=0.05)], ids=["default", "given"])
def test_a_measurement_and_a_test_say_the_same(statistic):
    x, y, group = table(4, shift=0.5)
    family = Family(kernel_x=statistic.kernel_x, reg=statistic.reg)
    d, result = cmmd(x, y, group, statistic=statistic), cmmd_test(x, y, group, statistic=family, **FAST)
    for level in (0, 1.5):
        assert d.size(level=level) == result.size(level=level)
    other = cmmd_test(x, y, group, statistic=CMMD(kernel_x=statistic.kernel_x, reg=statistic.reg), **FAST).size()
    assert other.share == pytest.approx(result.size().share, rel=0.05)  # its forest has not seen the outcome itself


def test_lambda_is_that_of_the_statistic_or_a_tenth_of_the_mean_of_the_kernel():
    x, y, group = table(5)
    assert cmmd_test(x, y, group, statistic=CMMD(reg=0.05), **FAST).size().reg == 0.05
    assert cmmd_test(x, y, group, statistic=CMMD(reg="loo"), **FAST).size().reg == pytest.approx(0.1, rel=1e-3)


GRAM = np.exp(-((table()[0][:, None] - table()[0][None]) ** 2).sum(axis=2))
CASES = {
    "blocks": ({}, {"blocks": np.arange(300) // 3}),
    "trim": ({}, {"trim": 0.05}),
    "randomised": ({}, {"propensity": None}),
    "known": ({}, {"propensity": np.full(300, 0.5)}),
    "strata": ({"x": np.repeat([0, 1, 2], 100)}, {}),
    "Gram": ({"x": GRAM}, {"statistic": Family(kernel_x="precomputed")}),
    "outcomes": ({"y": np.random.default_rng(0).normal(size=(300, 3))}, {}),
    "classes": ({"y": pd.Series(np.tile(["a", "b", "c"], 100))}, {}),
    "as they are": ({}, {"residualize": False}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_kind_of_test_has_a_size(case):
    other, settings = case
    x, y, group = table(6)
    if case is CASES["strata"]:
        group = np.tile([1, 0], 150)  # both groups in each stratum
    size = cmmd_test(other.get("x", x), other.get("y", y), group, **FAST, **settings).size()
    low, high = size.share_interval
    assert 0 <= low <= high < 0.3
    assert size.squared_interval[0] <= max(size.squared, 0) <= size.squared_interval[1]


def test_rows_in_chunks_are_measured_on_some_of_them():
    dask = pytest.importorskip("dask.array")
    x, y, group = table(7, shift=1.0)
    chunked = [dask.from_array(part, chunks=100) for part in (x, y, group)]
    here, there = cmmd_test(x, y, group, **FAST), cmmd_test(*chunked, **FAST)
    assert there.size().share == pytest.approx(here.size().share, rel=0.3)
    assert there.closer_than(5.0).shown


def test_words_and_scales():
    assert [word_for(share) for share in (0.001, 0.005, 0.03, 0.2)] == ["very small", "small", "medium", "large"]
    assert share_of(squared_at(0.3, 0.7), 0.7) == pytest.approx(0.3)
    assert share_of(-1.0, 1.0) == 0


def test_it_can_be_written_and_bad_arguments_are_refused():
    x, y, group = table(8, shift=2.0)
    result = cmmd_test(x, y, group, **FAST)
    size = result.size(level=2, confidence=0.9)
    assert json.loads(json.dumps(size.to_dict()))["level"] == 2
    assert size.confidence == 0.9
    assert "CMMD^2 of level 2" in size.summary()
    assert "share=" in repr(size)
    wide = result.size(level=2, confidence=0.99)
    assert wide.share_interval[0] <= size.share_interval[0] <= size.share_interval[1] <= wide.share_interval[1]
    for bad in ({"level": -1}, {"level": "1"}, {"confidence": 1.0}, {"confidence": 95}):
        with pytest.raises(ValueError, match=f"`{next(iter(bad))}` must be"):
            result.size(**bad)


def test_what_is_common_to_all_levels_is_found_once():
    x, y, group = table(9)
    sizes = Sizes(cmmd_test(x, y, group, **FAST).evidence)
    assert sizes.difference is sizes.difference
    assert sizes.squared(1.0) is sizes.squared(1.0)
