"""Frames and series of any library are recognised; all else is left as it is."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from condmmd import cmmd_test
from condmmd.data import read_table
from condmmd.data.frames import as_frame, check_names, frame_of, plain_name, unknown


def test_frames_and_series():
    for module in (pd, pl):
        assert isinstance(as_frame(module.DataFrame({"a": [1]})), nw.DataFrame)
        assert isinstance(as_frame(module.Series([1])), nw.Series)


def test_what_is_no_frame():
    for data in (np.ones(3), [1, 2], (1, 2), "text", None):
        assert as_frame(data) is data


@pytest.mark.parametrize("door", [lambda X: cmmd_test(X, np.ones(4), [0, 1, 0, 1]), lambda X: read_table(X, "X")])
def test_columns_of_one_name_are_refused_by_their_name(door):
    with pytest.raises(ValueError, match=r"`X` has columns of the same name: a\. Give each"):
        door(pd.DataFrame(np.ones((4, 3)), columns=["a", "b", "a"]))
    check_names(pd.DataFrame(np.ones((4, 2)), columns=["a", "b"]), "X")
    check_names(pl.DataFrame({"a": [1]}), "X")


def test_an_unknown_name_comes_with_those_like_it_or_with_what_there_is():
    assert unknown(["a", "b"], ["a", "b"]) == ""
    assert unknown(["Wieght"], ["age", "weight"]) == "'Wieght'; did you mean 'weight'?"
    assert unknown(["q", "q", "r"], ["age"]) == "'q', 'r'; it has 'age'."
    many = unknown(["zzz"], [f"column {j}" for j in range(40)])
    assert "'column 29', ..." in many
    assert "'column 30'" not in many
    assert plain_name(("a", 1)) == "a, 1"


def test_lines_become_a_frame_with_its_columns_even_if_there_are_none(monkeypatch):
    assert frame_of([{"a": 1, "b": 2}], "to_dict()").to_dict("list") == {"a": [1], "b": [2]}
    assert list(frame_of([], "to_dict()", ("a", "b")).columns) == ["a", "b"]
    monkeypatch.setattr("condmmd.data.frames.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"to_frame\(\) needs pandas; to_dict\(\) has the same lines"):
        frame_of([], "to_dict()")
