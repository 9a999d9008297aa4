"""A table: a matrix of floats and what its columns mean."""

import pickle

import dask.array as da
import numpy as np

from condmmd.data import Column, Table, read_table, table
from condmmd.data.table import MAX_NAMED, listed

RNG = np.random.default_rng(0)
VALUES = np.column_stack([RNG.normal(size=50), RNG.integers(0, 3, size=50), np.full(50, 2.0)])
COLUMNS = (Column("age"), Column("kind", ("a", "b", "c")), Column("same"))


def test_what_the_columns_are():
    made = Table(VALUES, COLUMNS, "X")
    assert made.names == ("age", "kind", "same")
    assert made.numeric == (0, 2)
    assert made.categorical == (1,)
    assert made.constant == ("same",)
    np.testing.assert_array_equal(made.span, [VALUES.min(axis=0), VALUES.max(axis=0)])


def test_other_columns_and_other_rows():
    made = Table(VALUES, COLUMNS, "X")
    chosen = made.select((1, 0))
    assert chosen.names == ("kind", "age")
    np.testing.assert_array_equal(chosen.values, VALUES[:, [1, 0]])
    assert made.at(VALUES) is made
    assert made.at(VALUES[:3]).columns == COLUMNS
    assert made.head().values.shape == (0, 3)
    assert made.head().names == made.names


def test_a_sample_is_the_same_wherever_the_rows_are(monkeypatch):
    monkeypatch.setattr(table, "SAMPLE_ROWS", 20)
    here, there = read_table(VALUES, "X"), read_table(da.from_array(VALUES, chunks=(17, 3)), "X")
    assert there.chunked
    assert len(here.sample) == 20
    np.testing.assert_array_equal(here.sample, there.sample)
    assert len(here.some(5)) == 5


def test_what_is_found_out_once_is_not_pickled():
    made, calls = Table(VALUES, COLUMNS, "X"), []

    def count(own):
        calls.append(own)
        return len(calls)

    assert [made.once(count), made.once(count)] == [1, 1]
    back = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(back.values, VALUES)
    assert back.once(count) == 2


def test_a_part_keeps_what_the_whole_table_chooses_by():
    whole = Table(VALUES, COLUMNS, "X")
    part = whole.part(np.array([3, 5, 8]))
    np.testing.assert_array_equal(part.values, VALUES[[3, 5, 8]])
    np.testing.assert_array_equal(part.sample, VALUES)
    np.testing.assert_array_equal(whole.at(VALUES[:4]).sample, VALUES[:4])


def test_columns_in_a_sentence():
    assert listed(("a", "", "c")) == "a, (no name), c"
    assert listed(tuple("abcdefghij")) == f"a, b, c, d, e, f, g, h and {10 - MAX_NAMED} more"
