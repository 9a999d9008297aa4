"""Frames and series of any library are recognised; all else is left as it is."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl

from condmmd.data.frames import as_frame


def test_frames_and_series():
    for module in (pd, pl):
        assert isinstance(as_frame(module.DataFrame({"a": [1]})), nw.DataFrame)
        assert isinstance(as_frame(module.Series([1])), nw.Series)


def test_what_is_no_frame():
    for data in (np.ones(3), [1, 2], (1, 2), "text", None):
        assert as_frame(data) is data
