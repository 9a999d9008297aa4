"""Any label with two values says which row is from which sample."""

import array_api_strict as strict
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest

from condmmd.backend import to_host
from condmmd.data import read_group
from condmmd.data.groups import is_first_of_two

GROUP = np.repeat([1, 0], 10)


def with_value(array, value):
    changed = np.array(array, dtype=float)
    changed.reshape(-1)[3] = value
    return changed


@pytest.mark.parametrize(
    ("labels", "error", "words"),
    [
        (np.ones(20), ValueError, r"`group` must have two different labels; got 1: 1.0"),
        (np.arange(20) % 3, ValueError, r"got 3: 0, 1, 2.*Select the rows"),
        (np.r_[1, np.zeros(19)], ValueError, r"'1.0' has 1 row; .* at least 2"),
        (with_value(GROUP, np.nan), ValueError, r"`group` has 1 missing, NaN"),
        ([None] * 2 + ["a"] * 9 + ["b"] * 9, ValueError, r"`group` has 2 missing, NaN"),
        (np.array([1] * 10 + ["b"] * 10, dtype=object), TypeError, r"`group` mixes labels.*int, str"),
        (np.ones((20, 2)), ValueError, r"`group` must be 1-D"),
        (pd.Series(["a", "b"] * 9 + [None, "a"], dtype="string"), ValueError, r"`group` has 1 missing"),
        ([pd.NA, 1] * 10, ValueError, r"`group` has 10 missing"),
    ],
)  # fmt: skip
def test_bad_labels(labels, error, words):
    with pytest.raises(error, match=words):
        read_group(labels)


@pytest.mark.parametrize(
    ("labels", "p_label"),
    [
        ([1, 0] * 5, "1"),
        ([True, False] * 5, "True"),
        ([-1, 1] * 5, "1"),
        ([1, 2] * 5, "1"),
        (["control", "treated"] * 5, "treated"),
        (pd.Series(["b", "a"] * 5, dtype="category"), "b"),
        (pl.Series([1, 0] * 5), "1"),
        (pd.DataFrame({"g": [1, 0] * 5}), "1"),
        (np.array([[0.0], [1.0]] * 5), "1.0"),
    ],
)
def test_any_binary_group(labels, p_label):
    groups = read_group(labels)
    assert groups.p_label == p_label
    assert groups.n == groups.m == 5


def test_labels_elsewhere_are_those_in_memory():
    here = read_group(GROUP)
    assert read_group(here) is here
    for labels in (
        strict.asarray(GROUP),
        da.from_array(GROUP, chunks=7),
        dd.from_pandas(pd.Series(GROUP, name="g"), npartitions=3),
    ):
        there = read_group(labels)
        np.testing.assert_array_equal(to_host(there.t), here.t)
        assert (there.p_label, there.q_label, there.n, there.m) == ("1", "0", 10, 10)
    with pytest.raises(ValueError, match="1 missing"):
        read_group(strict.asarray(with_value(GROUP, np.nan)))
    with pytest.raises(ValueError, match="must have two different labels; got 3"):
        read_group(da.from_array(np.arange(20) % 3, chunks=7))


def test_one_and_true_are_p_even_where_they_sort_first():
    assert [is_first_of_two(label) for label in (1, 1.0, True, "1", "true", "a", 0)] == [True] * 5 + [False] * 2
