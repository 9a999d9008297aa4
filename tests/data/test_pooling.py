"""Two separate samples become one table with a label."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from condmmd import pool

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 2)), RNG.normal(size=20)


def with_value(array, value):
    changed = np.array(array, dtype=float)
    changed.reshape(-1)[3] = value
    return changed


def test_pool_keeps_types():
    for frame, series in ((pd.DataFrame, pd.Series), (pl.DataFrame, pl.Series)):
        first, second = frame({"a": [1, 2], "b": ["u", "v"]}), frame({"b": ["w", "u"], "a": [0.5, 1.5]})
        X_all, Y_all, group = pool(first, series([1.0, 2.0]), second, series([3.0, 4.0]))
        assert isinstance(X_all, frame)
        assert isinstance(Y_all, series)
        assert list(X_all["a"]) == [1, 2, 0.5, 1.5]
        assert list(X_all["b"]) == ["u", "v", "w", "u"]
        assert group.tolist() == [1, 1, 0, 0]
    categories = [pd.DataFrame({"c": pd.Categorical(values)}) for values in (["u", "v"], ["w", "u"])]
    pooled, _, _ = pool(categories[0], [1, 2], categories[1], [3, 4])
    assert list(pooled["c"]) == ["u", "v", "w", "u"]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((X, Y, X, Y[:-1]), ValueError, r"`X_q` has 20 rows and `Y_q` has 19"),
        ((X, Y, X[:, :1], Y), ValueError, r"`X_p` and `X_q` must have the same columns"),
        ((X, Y, pd.DataFrame(X), Y), TypeError, r"of one kind; got ndarray and DataFrame"),
        ((pd.DataFrame({"a": Y}), Y, pd.DataFrame({"b": Y}), Y), ValueError, r"same columns"),
        (
            (pd.DataFrame({"a": Y}), Y, pd.DataFrame({"a": ["u"] * 20}), Y),
            TypeError,
            r"column 'a' is Float64 in `X_p`",
        ),
        ((with_value(X, np.nan), Y, X, Y), ValueError, r"`X_p` has NaN"),
    ],
)
def test_pool_with_bad_input(arguments, error, words):
    with pytest.raises(error, match=words):
        pool(*arguments)


def test_arrays_are_stacked_in_order():
    stacked_x, stacked_y, group = pool(X[:5], Y[:5], X[5:], Y[5:])
    np.testing.assert_array_equal(stacked_x, X)
    np.testing.assert_array_equal(stacked_y, Y)
    assert group.tolist() == [1] * 5 + [0] * 15
