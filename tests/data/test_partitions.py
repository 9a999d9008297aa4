"""Arrays and frames in partitions: the rows and meanings of the whole, whatever the partitions are."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from condmmd.backend import to_host
from condmmd.data import Partitions, read_table
from condmmd.data.partitions import chunked_array, inspect_partitions, stack_parts

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.normal(size=30), "town": np.repeat(["Ulm", "Bonn", "Rome"], 10)})


def partitions(*slices):
    return dd.from_delayed([dask.delayed(FRAME.iloc[part]) for part in slices], meta=FRAME.iloc[:0])


def test_categories_that_some_partitions_lack_and_empty_ones():
    here = read_table(FRAME, "X")
    there = read_table(partitions(slice(12), slice(12, 12), slice(12, None)), "X")
    assert there.columns == here.columns
    assert there.from_frame
    np.testing.assert_array_equal(to_host(there.values), here.values)
    series = read_table(partitions(slice(12), slice(12, None))["age"], "Y")
    assert series.names == ("age",)
    with pytest.raises(ValueError, match="`X` has no rows"):
        read_table(partitions(slice(0), slice(5, 5)), "X")


def test_a_column_of_two_kinds_is_refused():
    parts = [dask.delayed(pd.DataFrame({"a": values})) for values in ([1.0, 2.0], ["u", "v"])]
    with pytest.raises(TypeError, match="column 'a' is numeric in some partitions only"):
        read_table(Partitions(tuple(parts)), "X")


def test_partitions_of_any_kind():
    import polars as pl  # noqa: PLC0415

    parts = tuple(dask.delayed(pl.DataFrame)(FRAME.iloc[part].to_dict("list")) for part in (slice(9), slice(9, None)))
    chosen = Partitions(parts).select(["town", "age"])
    assert len(chosen.to_delayed()) == 2
    read = read_table(chosen, "X")
    assert read.names == ("town", "age")
    np.testing.assert_array_equal(to_host(read.values)[:, 1], FRAME["age"])


def test_one_pass_finds_what_a_function_sees_and_stacks_it():
    parts, lengths = inspect_partitions(partitions(slice(12), slice(12, None)), len)
    assert lengths == [12, 18]
    stacked = stack_parts(parts, lengths, lambda part: part[["age"]].to_numpy(), columns=1)
    np.testing.assert_array_equal(to_host(stacked), FRAME[["age"]])
    assert stack_parts([], [], len, columns=2).shape == (0, 2)


def test_arrays_that_are_not_tables():
    np.testing.assert_array_equal(to_host(chunked_array(da.arange(6, chunks=2), "X")), np.arange(6.0)[:, None])
    unknown = da.arange(6, chunks=2)[da.arange(6, chunks=2) > 2]  # of a length that nobody knows
    assert chunked_array(unknown, "X").shape == (3, 1)
    with pytest.raises(ValueError, match="1-D or 2-D"):
        chunked_array(da.zeros((2, 2, 2)), "X")
    with pytest.raises(TypeError, match="must hold numbers or booleans"):
        chunked_array(da.from_array(np.array(["a", "b"])), "X")


def given_meta(*frames):
    """Partitions that need not be what the frame says of itself."""
    return dd.from_delayed([dask.delayed(frame) for frame in frames], meta=FRAME.iloc[:0], verify_meta=False)


def test_partitions_that_nobody_has_verified():
    here = read_table(FRAME, "X")
    turned = FRAME.iloc[10:][["town", "age"]]
    for there in (given_meta(FRAME.iloc[:10], FRAME.iloc[10:]), given_meta(FRAME.iloc[:10], turned)):
        found = read_table(there, "X")
        assert found.columns == here.columns
        np.testing.assert_array_equal(to_host(found.values), here.values)


@pytest.mark.parametrize("other", [FRAME[["age"]], FRAME.rename(columns={"town": "city"})], ids=["fewer", "others"])
def test_partitions_with_other_columns(other):
    with pytest.raises(ValueError, match="`X`: its partitions have different columns"):
        read_table(given_meta(FRAME, other), "X")


def test_integers_that_floats_cannot_tell_apart_are_refused_in_chunks_too():
    large = 2**60 + np.arange(20)
    for values in (large, -large, large[:, None]):
        with pytest.raises(ValueError, match=r"`X` has integers beyond 2\*\*53"):
            read_table(da.from_array(values, chunks=5), "X")
    assert len(read_table(da.from_array(np.arange(20), chunks=5), "X").columns) == 1
