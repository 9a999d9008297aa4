"""Every kind of table that is taken, and every kind of bad input: one clear error before any work."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from condmmd import ConstantColumnWarning, cmmd, pool
from condmmd.data import read_group, read_table

RNG = np.random.default_rng(0)
X, Y, GROUP = RNG.normal(size=(20, 2)), RNG.normal(size=20), np.repeat([1, 0], 10)


def frames(data):
    return [pd.DataFrame(data), pl.DataFrame(data)]


def with_value(array, value):
    changed = np.array(array, dtype=float)
    changed.reshape(-1)[3] = value
    return changed


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((X[:-1], Y, GROUP), ValueError, r"`X` has 19, `Y` has 20, `group` has 20"),
        ((X, Y, GROUP[:-1]), ValueError, r"`group` has 19"),
        ((X[:0], Y[:0], GROUP[:0]), ValueError, r"`X` has no rows"),
        ((X[:, :0], Y, GROUP), ValueError, r"`X` has no columns"),
        ((X, Y, np.ones(20)), ValueError, r"`group` must have two different labels; got 1: 1.0"),
        ((X, Y, np.arange(20) % 3), ValueError, r"got 3: 0, 1, 2.*Select the rows"),
        ((X, Y, np.r_[1, np.zeros(19)]), ValueError, r"'1.0' has 1 row; .* at least 2"),
        ((X, Y, with_value(GROUP, np.nan)), ValueError, r"`group` has 1 missing, NaN"),
        ((X, Y, [None] * 2 + ["a"] * 9 + ["b"] * 9), ValueError, r"`group` has 2 missing, NaN"),
        ((X, Y, np.array([1] * 10 + ["b"] * 10, dtype=object)), TypeError, r"`group` mixes labels.*int, str"),
        ((X, Y, np.ones((20, 2))), ValueError, r"`group` must be 1-D"),
        ((with_value(X, np.nan), Y, GROUP), ValueError, r"`X` has NaN or infinite values.*'x1' \(1 NaN\), of 20 rows"),
        ((X, with_value(Y, -np.inf), GROUP), ValueError, r"`Y`.*'y0' \(1 infinite\)"),
        ((np.zeros((2, 2, 2)), Y, GROUP), ValueError, r"`X` must be a 1-D or 2-D array.*3-D"),
        ((np.float64(3), Y, GROUP), ValueError, r"`X` must be a 1-D or 2-D array.*0-D"),
        ((np.array(["a"] * 20), Y, GROUP), TypeError, r"`X` must hold numbers or booleans.*data frame"),
        ((X, np.array([object()] * 20), GROUP), TypeError, r"`Y` must hold numbers"),
        ((np.arange(20) + 2**60, Y, GROUP), ValueError, r"`X` has integers beyond 2\*\*53"),
        ((X, Y, pd.Series(["a", "b"] * 9 + [None, "a"], dtype="string")), ValueError, r"`group` has 1 missing"),
        ((X, Y, [pd.NA, 1] * 10), ValueError, r"`group` has 10 missing"),
        ((X * 1j, Y, GROUP), TypeError, r"complex128"),
        (([[1, 2], [3]], Y, GROUP), ValueError, r"`X` is not a rectangular array"),
        ((sparse.csr_matrix(X), Y, GROUP), TypeError, r"sparse.*toarray"),
        ((np.ma.masked_less(X, 0), Y, GROUP), ValueError, r"masked values"),
        ((pl.DataFrame({"a": Y}).lazy(), Y, GROUP), TypeError, r"collect"),
    ],
)  # fmt: skip
def test_bad_arrays(arguments, error, words):
    with pytest.raises(error, match=words):
        cmmd(*arguments)


@pytest.mark.parametrize(
    ("column", "error", "words"),
    [
        ([1.0, None] * 10, ValueError, r"'bad' \(10"),
        (["u", None] * 10, ValueError, r"missing values: column 'bad' \(10 of 20\)"),
        ([np.inf, 1.0] * 10, ValueError, r"'bad' \(10 infinite\)"),
        ([date(2020, 1, 1)] * 20, TypeError, r"column 'bad' holds .*[dD]ate"),
        (pd.Series([{1: 2}] * 20), TypeError, r"column 'bad' holds dict"),
    ],
    ids=["null", "null string", "infinite", "dates", "objects"],
)
def test_bad_frames(column, error, words):
    in_polars = pl.Series(list(column), dtype=pl.Object) if isinstance(column, pd.Series) else column
    for frame in (pd.DataFrame({"good": Y, "bad": column}), pl.DataFrame({"good": Y, "bad": in_polars})):
        with pytest.raises(error, match=words):
            cmmd(frame, Y, GROUP)
        with pytest.raises(error, match=words):
            cmmd(X, frame, GROUP)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"reg": -1.0}, ValueError, r"`reg` must be positive; got -1.0. Use reg='loo'"),
        ({"reg": 0}, ValueError, r"`reg` must be positive; got 0"),
        ({"reg": (0.1, 0.0)}, ValueError, r"`reg` must be positive"),
        ({"reg": (0.1, 0.2, 0.3)}, TypeError, r"`reg` must be a positive number, a pair"),
        ({"reg": "cv"}, ValueError, r"'loo' or 'gcv'; got 'cv'"),
        ({"reg": None}, TypeError, r"`reg`"),
        ({"reg": True}, TypeError, r"`reg`"),
        ({"reg": [0.1, 0.2]}, TypeError, r"`reg`"),
        ({"max_rank": np.inf}, ValueError, r"`max_rank`"),
        ({"max_rank": 5, "solver": "dual"}, ValueError, r"`max_rank` does not apply"),
        ({"reg": np.nan}, ValueError, r"`reg`"),
        ({"estimator": "magic"}, ValueError, r"`estimator` must be one of"),
        ({"solver": "magic"}, ValueError, r"`solver` must be one of"),
        ({"mixture": 1.5}, ValueError, r"`mixture` must be between 0 and 1"),
        ({"tol": -1}, ValueError, r"`tol`"),
        ({"max_rank": 0}, ValueError, r"`max_rank`"),
        ({"kernel_x": "rbf"}, ValueError, r"`kernel_x` must be one of"),
        ({"kernel_y": 3}, TypeError, r"`kernel_y`"),
    ],
)
def test_bad_settings_are_told_before_the_data_is_read(settings, error, words):
    with pytest.raises(error, match=words):
        cmmd("not read", "not read", "not read", **settings)


def test_bad_levels():
    d = cmmd(X, Y, GROUP)
    for level in ("a", 1j, [1, [2]]):
        with pytest.raises(TypeError, match=r"`level` must be a number"):
            d.level(level)
    for level in (-1, [0, -0.1], np.nan, np.inf):
        with pytest.raises(ValueError, match=r"`level` must be finite and at least 0"):
            d.level(level)
    with pytest.raises(ValueError, match=r"at least 2 for the joint estimator.*plugin"):
        cmmd(X, Y, GROUP, estimator="joint").level(1)


def test_constant_columns_warn_with_their_meaning():
    with pytest.warns(ConstantColumnWarning, match=r"`X` is constant in column\(s\) 'b': it does not tell"):
        with_constant = cmmd(pd.DataFrame({"a": Y, "b": 3.0}), Y, GROUP, reg=0.1)
    np.testing.assert_allclose(with_constant.level([0, 1]), cmmd(Y, Y, GROUP, reg=0.1).level([0, 1]), rtol=1e-9)
    with pytest.warns(ConstantColumnWarning, match=r"outcomes are compared unconditionally"):
        cmmd(np.zeros(20), Y, GROUP, reg=0.1)
    with pytest.warns(ConstantColumnWarning, match=r"the outcomes do not differ"):
        assert cmmd(X, np.zeros(20), GROUP, reg=0.1).level(2) < 0.1


def test_mixed_tables_in_pandas_and_polars_agree():
    data = {
        "age": RNG.normal(40, 10, size=20), "count": RNG.integers(0, 5, size=20),
        "sex": RNG.choice(["f", "m"], size=20), "smokes": RNG.random(20) < 0.5,
    }  # fmt: skip
    in_pandas, in_polars = frames(data)
    categorical = in_pandas.assign(sex=in_pandas["sex"].astype("category"))
    results = [cmmd(frame, Y, GROUP, reg=0.1) for frame in (in_pandas, in_polars, categorical)]
    for result in results:
        np.testing.assert_allclose(result.level([0, 1, 2]), results[0].level([0, 1, 2]), rtol=1e-12)
        assert "Delta().on('sex', 'smokes')" in repr(result.kernel_x)
        assert ".on('age', 'count')" in repr(result.kernel_x)
    assert results[0].witness(in_polars).shape == (20,)
    table = read_table(in_pandas, "X")
    assert [column.categories for column in table.columns] == [None, None, ("f", "m"), ("False", "True")]


def test_new_rows_may_have_new_categories():
    frame = pd.DataFrame({"a": Y, "c": ["u", "v"] * 10})
    d = cmmd(frame, Y, GROUP, reg=0.1)
    new = pd.DataFrame({"a": [0.0, 0.0], "c": ["u", "never seen"]})
    at = d.witness(new)
    assert at[0] > 0
    assert at[1] == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pd.DataFrame({"a": [1.0]}), r"must have the columns of `X`, \['a', 'c'\]; got \['a'\]"),
        (pd.DataFrame({"a": ["x"], "c": ["u"]}), r"column 'a' is String but was numeric"),
        (pd.DataFrame({"a": [1.0], "c": [1.0]}), r"column 'c' is Float64 but was categorical"),
        (np.zeros((2, 2)), r"`X_new` must be a data frame with the columns of `X`"),
    ],
)
def test_new_rows_of_another_shape(data, words):
    d = cmmd(pd.DataFrame({"a": Y, "c": ["u", "v"] * 10}), Y, GROUP, reg=0.1)
    with pytest.raises((TypeError, ValueError), match=words):
        d.witness(data)


@pytest.mark.parametrize(
    ("labels", "p_label"),
    [
        ([1, 0] * 5, "1"),
        ([True, False] * 5, "True"),
        ([-1, 1] * 5, "1"),
        ([1, 2] * 5, "1"),
        (["control", "treated"] * 5, "treated"),
        (pd.Series(["b", "a"] * 5, dtype="category"), "b"),
        (pl.Series([1, 0] * 5), "1"),
        (pd.DataFrame({"g": [1, 0] * 5}), "1"),
        (np.array([[0.0], [1.0]] * 5), "1.0"),
    ],
)
def test_any_binary_group(labels, p_label):
    groups = read_group(labels)
    assert groups.p_label == p_label
    assert groups.n == groups.m == 5


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


def test_rows_in_another_order_are_refused():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame({"x": rng.normal(size=30)}), pd.Series(rng.normal(size=30), name="y")
    group = pd.Series(np.repeat([1, 0], 15))
    with pytest.raises(ValueError, match=r"`X` and `Y` have the same index in different orders.*Y\.loc\[X\.index\]"):
        cmmd(X, y.sample(frac=1, random_state=0), group)
    with pytest.raises(ValueError, match="`Y` and `group` have the same index"):
        cmmd(X, y, group[::-1])
    shuffled = y.sample(frac=1, random_state=0)
    cmmd(X.loc[shuffled.index], shuffled, group.loc[shuffled.index])
    cmmd(X.set_index(np.arange(100, 130)), y, group.to_numpy())  # other labels say nothing about the order
