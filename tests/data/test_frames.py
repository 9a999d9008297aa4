"""Frames and series of any library are recognised; all else is left as it is."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from condmmd import cmmd_test
from condmmd.data import read_table
from condmmd.data.frames import as_frame, check_names


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
