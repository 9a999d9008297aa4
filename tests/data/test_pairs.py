"""Two outcomes become one coding, or an error says why not."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest

from condmmd import ConstantColumnWarning
from condmmd.data.pairs import read_pairs

X = np.arange(4.0)


def test_categories_have_one_code_in_both():
    first, second = pd.DataFrame({"a": ["u", "v", "v", "u"]}), pd.DataFrame({"a": ["w", "u", "v", "w"]})
    pairs = read_pairs(X, first, second)
    assert pairs.first.columns[0].categories == ("u", "v", "w")
    np.testing.assert_array_equal(pairs.first.values[:, 0], [0, 1, 1, 0])  # noqa: PD011 - no data frame
    np.testing.assert_array_equal(pairs.second.values[:, 0], [2, 0, 1, 2])  # noqa: PD011


def test_columns_of_the_same_names_go_together_by_name():
    first = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [5.0, 6, 7, 8]})
    pairs = read_pairs(X, first, first[["b", "a"]])
    np.testing.assert_array_equal(pairs.first.values, pairs.second.values)


def test_chunks_stay_chunks():
    pairs = read_pairs(da.from_array(X, chunks=2), X, X + 1)
    assert pairs.x.chunked
    assert pairs.second.chunked


@pytest.mark.parametrize(
    ("X", "first", "second", "message"),
    [
        (X, X, X[:3], "same number of rows: `X` has 4, `Y1` has 4, `Y2` has 3"),
        (X, X, np.stack([X, X], axis=1), r"`Y1` has 1 column\(s\) and `Y2` 2"),
        (X[:1], X[:1], X[:1], "has 1 row"),
        (X, X, [1.0, np.nan, 2.0, 3.0], "`Y2` has NaN"),
    ],
)
def test_what_does_not_go_together_is_refused(X, first, second, message):
    with pytest.raises(ValueError, match=message):
        read_pairs(X, first, second)


def test_a_number_and_a_category_are_refused():
    with pytest.raises(TypeError, match="column 'a' is a number in `Y1` and a category in `Y2`"):
        read_pairs(X, pd.DataFrame({"a": X}), pd.DataFrame({"a": list("uvuv")}))


def test_a_constant_covariate_is_warned_about():
    with pytest.warns(ConstantColumnWarning, match="compared unconditionally"):
        read_pairs(np.ones(4), X, X)
