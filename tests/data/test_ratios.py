"""Hypothesised ratios: what is read, and what is refused with its row."""

import numpy as np
import pandas as pd
import pytest

from condmmd.data.ratios import log_ratios


@pytest.mark.parametrize("make", [np.asarray, list, pd.Series, lambda r: pd.DataFrame({"r": r})])
def test_they_are_known_up_to_a_factor(make):
    found = log_ratios(make([1.0, 2.0, 8.0]), 3)
    np.testing.assert_allclose(found, np.log([1.0, 2.0, 8.0]) - 0.5 * np.log(8))
    np.testing.assert_allclose(log_ratios(1e9 * np.array([1.0, 2.0, 8.0]), 3), found)


@pytest.mark.parametrize(
    ("ratio", "says"),
    [
        ([1.0, 0.0, 2.0], r"positive and finite; row 1 has 0\. Leave out"),
        ([1.0, -2.0, np.nan], r"row 1 has -2 \(2 such rows\)"),
        ([1.0, 1.0, np.inf], "row 2 has inf"),
        ([1.0, 1e-40, 1.0], r"from 1e-40 \(row 1\) to 1 \(row 0\): such rows are of one group for sure"),
        ([1.0, 2.0], r"one number a row, 3; got shape \(2,\)"),
    ],
)
def test_what_is_refused(ratio, says):
    with pytest.raises(ValueError, match=says):
        log_ratios(ratio, 3)


def test_words_are_no_ratio():
    with pytest.raises(TypeError, match="`ratio` must be numbers, one a row; got list"):
        log_ratios(["high", "low"], 2)
