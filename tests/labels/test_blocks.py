"""Blocks of rows that share one label."""

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest

from condmmd import OverlapWarning
from condmmd.labels import read_blocks
from condmmd.labels.blocks import read_units, warn_block_sizes


def test_blocks_are_numbered_and_labelled():
    blocks = read_blocks(["b", "a", "b", "c", "d"], np.array([1.0, 0, 1, 0, 1]))
    assert blocks.of_row.tolist() == [1, 0, 1, 2, 3]
    assert blocks.labels.tolist() == [0, 1, 0, 1]
    assert blocks.sizes.tolist() == [1, 2, 1, 1]


def test_means_over_blocks():
    blocks = read_blocks(["b", "a", "b", "c", "d"], np.array([1.0, 0, 1, 0, 1]))
    values = np.arange(10.0).reshape(5, 2)
    np.testing.assert_allclose(blocks.mean(values), [[2, 3], [2, 3], [6, 7], [8, 9]])
    assert blocks.mean(values[:, :0]).shape == (4, 0)


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        (np.zeros(3), r"one value a row, 8; got shape \(3,\)"),
        (np.arange(8) % 3, r"3 block\(s\) have rows of both groups, such as"),
        (np.repeat([0, 1], 4), "each group needs at least 2 blocks"),
    ],
)
def test_blocks_that_cannot_be(blocks, words):
    with pytest.raises(ValueError, match=words):
        read_blocks(blocks, np.repeat([1.0, 0.0], 4))


def test_sizes_that_differ_between_the_groups_are_warned_about():
    t = np.repeat([1.0, 0.0], [30, 240])
    unlike = read_blocks(np.concatenate([np.arange(30), 30 + np.arange(240) // 8]), t)
    with pytest.warns(OverlapWarning, match="the blocks of P have 1 rows on average and those of Q 8"):
        warn_block_sizes(unlike)
    alike = read_blocks(np.arange(270) // 2, t)  # warnings are errors here
    warn_block_sizes(alike)


@pytest.mark.parametrize(
    "missing", [np.nan, None, pd.NA, pd.NaT], ids=["NaN", "None", "NA", "NaT"]
)  # fmt: skip
def test_rows_of_no_block_are_refused(missing):
    t = np.repeat([1.0, 0.0], 4)
    own = np.array([0, 0, 1, 1, 2, 2, 3, missing], dtype=object)
    for blocks in (own, list(own), pd.Series(own)):
        with pytest.raises(ValueError, match="`blocks` has 1 missing"):
            read_blocks(blocks, t)


def test_missing_values_of_other_types_are_refused():
    t = np.repeat([1.0, 0.0], 4)
    for blocks in (
        np.array([0, 0, 1, 1, 2, 2, 3, np.nan]), np.array(["2020", "2020", "2021", "2021"] * 2, dtype="M8[Y]"),
        pl.Series([0, 0, 1, 1, 2, 2, 3, None]),
    ):  # fmt: skip
        if isinstance(blocks, np.ndarray) and blocks.dtype.kind == "M":
            blocks[7] = "NaT"
        with pytest.raises(ValueError, match="`blocks` has 1 missing"):
            read_blocks(blocks, t)


def test_values_of_mixed_types_are_refused():
    with pytest.raises(TypeError, match=r"`blocks` mixes values of different types: int, str"):
        read_blocks(np.array([0, 0, 1, 1, "a", "a", "b", "b"], dtype=object), np.repeat([1.0, 0.0], 4))


def test_names_that_differ_by_their_end_are_different():
    t = np.repeat([1.0, 0.0], 4)
    assert len(read_blocks(["a", "a", "a\0", "a\0", "b", "b", "b\0", "b\0"], t).labels) == 4


def test_one_column_of_a_frame_is_as_good_as_a_series():
    t = np.repeat([1.0, 0.0], 4)
    frame = pd.DataFrame({"id": np.arange(8) // 2, "other": 1})
    assert read_blocks(frame[["id"]], t).of_row.tolist() == (np.arange(8) // 2).tolist()
    with pytest.raises(ValueError, match="`blocks` must be one column"):
        read_blocks(frame, t)


def test_units_are_numbered_as_they_appear():
    np.testing.assert_array_equal(read_units(["b", "a", "b", "c", "a"], np.zeros(5)), [0, 1, 0, 2, 1])
    assert read_units(None, np.zeros(5)) is None
    with pytest.raises(ValueError, match="at least 2 blocks"):
        read_units(np.ones(5), np.zeros(5))
    with pytest.raises(ValueError, match="one value a row, 4"):
        read_units(np.ones(5), np.zeros(4))
    with pytest.raises(TypeError, match="all rows in memory"):
        read_units(np.arange(4), da.zeros(4, chunks=2))
