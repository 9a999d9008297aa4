"""Parquet files say how large they are before they are read, and a text that comes often is held once."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from condmmd.app.bounds import Bounds
from condmmd.app.files import pick_columns, read_file, stack
from condmmd.app.parquet_files import check_whole, open_parquet, size_of
from condmmd.app.streaming import open_streams, stream


@pytest.fixture
def constant(tmp_path):
    """A million rows in a few kilobytes."""
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": np.zeros(1_000_000), "b": np.ones(1_000_000)}), path)
    assert path.stat().st_size < 20_000
    return str(path)


def test_equal_numbers_are_counted_as_numbers(constant):
    with open_parquet(constant) as file:
        assert size_of(file) == 16_000_000
        check_whole(file, constant, Bounds(16_000_000))
        with pytest.raises(ValueError, match=r"takes more than 15.3 MB of memory \(1,000,000 rows of 2 columns\)"):
            check_whole(file, constant, Bounds(15_999_999))
        with pytest.raises(ValueError, match="has 2 columns, and at most 1 are read"):
            check_whole(file, constant, Bounds(columns=1))
    with pytest.raises(ValueError, match="or raise --max-memory"):
        read_file(constant, bounds=Bounds(2**20))


def test_a_part_must_fit(constant):
    sources = open_streams([constant], always=True)
    with pytest.raises(ValueError, match=r"a part of it has 1,000,000 rows\). Write it in smaller parts \(row groups"):
        stream([*sources, *sources], ["a"], ["b"], None, ("P", "Q"), bounds=Bounds(2**20))


def test_a_text_that_comes_often_is_held_once(tmp_path):
    path = tmp_path / "t.parquet"
    often = pa.DictionaryArray.from_arrays(pa.array(np.zeros(5000, dtype=np.int32)), pa.array(["a" * 300_000]))
    table = pa.table({"x": often, "y": np.zeros(5000)})
    parquet.write_table(table, path, store_schema=False)
    read = read_file(str(path))
    assert read.nbytes < 1_000_000
    with pytest.raises(ValueError, match="'x' has a value of 300,000 bytes"):
        pick_columns(read, ["x", "y"])
    assert pick_columns(read, ["y"]).table.num_rows == 5000


def test_texts_of_both_kinds_of_file_go_together(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": ["u", "v"]}), path)
    assert stack(read_file(str(path)), pa.table({"a": ["w"]}), ["a"])["a"].to_pylist() == ["u", "v", "w"]
