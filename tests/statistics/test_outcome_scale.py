"""The outcome itself: on which scale, decided by the column and said in words."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata

from condmmd.data import read_table
from condmmd.statistics.outcome_scale import FAR, outcome_scale

RNG = np.random.default_rng(0)


def scaled(data):
    table = read_table(data, "Y")
    scale = outcome_scale(table)
    return scale, scale(table.values)


def test_numbers_are_in_robust_units():
    y = 100 + 5 * RNG.normal(size=400)
    scale, values = scaled(y)
    assert scale.words == "the mean of y0"
    assert scale.numbers == (0,)
    low, high = np.quantile(y, [0.25, 0.75])
    unit = min(y.std(), (high - low) / 1.349)
    np.testing.assert_allclose(values[:, 0], (y - np.median(y)) / unit, rtol=1e-9)


def test_a_far_tail_is_compared_by_ranks():
    y = np.concatenate([RNG.normal(size=300), [FAR * 10.0]])
    scale, values = scaled(y)
    assert scale.words == "the mean rank of y0"
    np.testing.assert_allclose(values[:, 0], norm.ppf((rankdata(y) - 0.5) / 301), atol=1e-9)
    assert np.abs(values).max() < 4


def test_classes_are_shares():
    scale, values = scaled(pd.Series(["a", "b", "c", "a", "a"], name="kind"))
    assert scale.words == "the shares of kind"
    assert scale.numbers == ()
    assert values.shape == (5, 3)
    np.testing.assert_array_equal(np.unique(values), [0.0, 2.0])
    assert scaled(np.array([True, False, True]))[1].shape == (3, 1)  # of two classes one says it all


def test_several_columns_side_by_side_and_a_constant_one():
    frame = pd.DataFrame({"w": RNG.normal(size=50), "k": RNG.choice(["u", "v", "w"], 50), "c": np.ones(50)})
    scale, values = scaled(frame)
    assert values.shape == (50, 1 + 3 + 1)
    assert scale.numbers == (0, 4)
    assert scale.words == "the mean of w, the shares of k, the mean of c"
    assert np.ptp(values[:, 4]) == 0


def test_it_is_monotone_and_blind_to_units():
    y = RNG.lognormal(1.0, 1.5, size=200)
    _, values = scaled(y)
    assert (np.diff(values[np.argsort(y), 0]) >= 0).all()
    np.testing.assert_allclose(scaled(1e6 * y - 3)[1], values, rtol=1e-6, atol=1e-9)
    assert pytest.approx(float(np.median(values)), abs=0.2) == 0
