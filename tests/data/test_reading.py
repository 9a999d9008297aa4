"""Every kind of table that is taken, and every kind of bad input: one clear error before any work."""

from datetime import date, datetime, timedelta

import array_api_strict as strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from condmmd import CMMD, cmmd, screen
from condmmd.backend import to_host
from condmmd.data import encode, read_gram, read_table

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
        ((X[:0], Y[:0], GROUP[:0]), ValueError, r"`X` has no rows"),
        ((X[:, :0], Y, GROUP), ValueError, r"`X` has no columns"),
        ((with_value(X, np.nan), Y, GROUP), ValueError, r"`X` has NaN or infinite values.*'x1' \(1 NaN\), of 20 rows"),
        ((X, with_value(Y, -np.inf), GROUP), ValueError, r"`Y`.*'y0' \(1 infinite\)"),
        ((np.zeros((2, 2, 2)), Y, GROUP), ValueError, r"`X` must be a 1-D or 2-D array.*3-D"),
        ((np.float64(3), Y, GROUP), ValueError, r"`X` must be a 1-D or 2-D array.*0-D"),
        ((np.array(["a"] * 20), Y, GROUP), TypeError, r"`X` must hold numbers or booleans.*data frame"),
        ((X, np.array([object()] * 20), GROUP), TypeError, r"`Y` must hold numbers"),
        ((np.arange(20) + 2**60, Y, GROUP), ValueError, r"`X` has integers beyond 2\*\*53"),
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
        ([timedelta(1)] * 20, TypeError, r"column 'bad' holds .*([dD]elta|[dD]uration)"),
        (pd.Series([{1: 2}] * 20), TypeError, r"column 'bad' holds dict"),
    ],
    ids=["null", "null string", "infinite", "durations", "objects"],
)
def test_bad_frames(column, error, words):
    in_polars = pl.Series(list(column), dtype=pl.Object) if isinstance(column, pd.Series) else column
    for frame in (pd.DataFrame({"good": Y, "bad": column}), pl.DataFrame({"good": Y, "bad": in_polars})):
        with pytest.raises(error, match=words):
            cmmd(frame, Y, GROUP)
        with pytest.raises(error, match=words):
            cmmd(X, frame, GROUP)


def test_mixed_tables_in_pandas_and_polars_agree():
    data = {
        "age": RNG.normal(40, 10, size=20), "count": RNG.integers(0, 5, size=20),
        "sex": RNG.choice(["f", "m"], size=20), "smokes": RNG.random(20) < 0.5,
    }  # fmt: skip
    in_pandas, in_polars = frames(data)
    categorical = in_pandas.assign(sex=in_pandas["sex"].astype("category"))
    results = [cmmd(frame, Y, GROUP, statistic=CMMD(reg=0.1)) for frame in (in_pandas, in_polars, categorical)]
    for result in results:
        np.testing.assert_allclose(result.level([0, 1, 2]), results[0].level([0, 1, 2]), rtol=1e-12)
        assert "Delta().on('sex', 'smokes')" in repr(result.kernel_x)
        assert ".on('age', 'count')" in repr(result.kernel_x)
    assert results[0].witness(in_polars).shape == (20,)
    table = read_table(in_pandas, "X")
    assert [column.categories for column in table.columns] == [None, None, ("f", "m"), ("False", "True")]


def test_new_rows_may_have_new_categories():
    frame = pd.DataFrame({"a": Y, "c": ["u", "v"] * 10})
    d = cmmd(frame, Y, GROUP, statistic=CMMD(reg=0.1))
    new = pd.DataFrame({"a": [0.0, 0.0], "c": ["u", "never seen"]})
    at = d.witness(new)
    assert at[0] > 0
    assert at[1] == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pd.DataFrame({"a": [1.0]}), r"must have the columns of `X`, 'a', 'c'; missing: 'c'\."),
        (pd.DataFrame({"a": [1.0], "c": ["u"], "d": [1]}), r"`X_new` must .*'a', 'c'; unknown: 'd'\."),
        (pd.DataFrame({"b": [1.0], "c": ["u"]}), r"missing: 'a'; unknown: 'b'\."),
        (pd.DataFrame({"a": ["x"], "c": ["u"]}), r"column 'a' is String but was numeric"),
        (pd.DataFrame({"a": [1.0], "c": [1.0]}), r"column 'c' is Float64 but was categorical"),
        (np.zeros((2, 2)), r"`X_new` must be a data frame with the columns of `X`"),
    ],
)
def test_new_rows_of_another_shape(data, words):
    d = cmmd(pd.DataFrame({"a": Y, "c": ["u", "v"] * 10}), Y, GROUP, statistic=CMMD(reg=0.1))
    with pytest.raises((TypeError, ValueError), match=words):
        d.witness(data)


def test_one_column_of_another_name_is_not_taken_for_the_one_that_was_fitted():
    d = cmmd(pd.DataFrame({"kg": Y}), pd.Series(Y, name="cm"), GROUP, statistic=CMMD(reg=0.1))
    expected = d.witness(Y[:3])
    np.testing.assert_array_equal(d.witness(pl.DataFrame({"kg": Y[:3]})), expected)
    np.testing.assert_array_equal(d.witness(pd.Series(Y[:3])), expected)  # without a name
    for wrong in (pd.DataFrame({"g": 1000 * Y[:3]}), pd.Series(1000 * Y[:3], name="g")):
        with pytest.raises(ValueError, match=r"`X_new` must have the columns of `X`, 'kg'; missing: 'kg'; unknown"):
            d.witness(wrong)
    with pytest.raises(ValueError, match=r"`Y_new` must have the columns of `Y`, 'cm'; missing: 'cm'; unknown: 'm'"):
        d.witness(Y[:3], pd.DataFrame({"m": Y[:3]}))


@pytest.mark.parametrize("module", [pd, pl])
def test_dates_are_days_since_1970(module):
    days = [date(1970, 1, 2), date(2024, 2, 29), date(1969, 12, 31)]
    known = read_table(module.DataFrame({"day": days}), "X")
    np.testing.assert_array_equal(known.values, [[1.0], [19782.0], [-1.0]])
    assert known.numeric == (0,)
    times = [datetime(1970, 1, 2, 12), datetime(2024, 2, 29)]  # noqa: DTZ001 - without a zone, as in most tables
    np.testing.assert_array_equal(encode(known, module.DataFrame({"day": times}), "X_new"), [[1.5], [19782.0]])
    with pytest.raises(ValueError, match=r"column 'day' \(1 of 3\)"):
        read_table(module.DataFrame({"day": [*times, None]}), "X")
    with pytest.raises(TypeError, match="column 'day' is String but was numeric"):
        encode(known, module.DataFrame({"day": ["1970-01-02"]}), "X_new")


def test_times_of_a_zone_are_those_of_utc():
    for zone, behind in (("America/New_York", 5), ("Europe/Berlin", -1), ("UTC", 0)):
        there = pd.Series(pd.to_datetime(["1970-01-02 00:00"]).tz_localize(zone), name="at")
        np.testing.assert_allclose(read_table(there, "X").values, 1 + behind / 24, rtol=1e-12)


def test_columns_in_another_order_are_the_same_columns():
    table = pd.DataFrame(X, columns=["a", "b"])
    d = cmmd(table, Y, GROUP, statistic=CMMD(reg=0.1))
    np.testing.assert_array_equal(d.witness(table[["b", "a"]]), d.witness(X))
    plain = cmmd(X, Y, GROUP, statistic=CMMD(reg=0.1))
    named = pd.DataFrame(X, columns=["x0", "x1"])
    np.testing.assert_array_equal(plain.witness(named[["x1", "x0"]]), plain.witness(X))
    np.testing.assert_array_equal(plain.witness(table), plain.witness(X))  # arrays have no names to go by


def test_columns_have_names_and_categories():
    plain = read_table(X, "X")
    assert plain.names == ("x0", "x1")
    assert read_table(Y > 0, "Y").columns[0].categories == ("False", "True")
    assert read_table(pd.DataFrame(X), "X").names == ("0", "1")
    assert read_table(plain, "X") is plain
    with pytest.raises(ValueError, match="columns of the same name"):
        read_table(pd.DataFrame(X, columns=[1, "1"]), "X")


def test_a_table_on_a_device_stays_there():
    table = read_table(strict.asarray(X), "X")
    assert isinstance(table.values, type(strict.asarray(X)))
    np.testing.assert_array_equal(to_host(table.values), X)
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        read_table(strict.asarray(np.arange(20) + 2**60), "X")


def test_new_rows_are_read_in_the_coding_of_the_old():
    frame = pd.DataFrame({"a": Y, "c": ["u", "v"] * 10})
    head = read_table(frame, "X").head()
    found = encode(head, pd.DataFrame({"c": ["v", "w"], "a": [1.0, 2.0]}), "X_new")
    np.testing.assert_array_equal(found, [[1.0, 1.0], [2.0, -1.0]])


def test_gram_matrices():
    K = X @ X.T
    matrix, table = read_gram(K + 1e-12 * RNG.normal(size=K.shape), "X")
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(table.values[:, 0], np.arange(20))  # noqa: PD011
    for bad, words in ((K[:5], "square"), (np.triu(K), "symmetric"), (with_value(K, np.inf), "infinite")):
        with pytest.raises(ValueError, match=words):
            read_gram(bad, "X")


def test_names_of_several_parts_are_one_name():
    frame = pd.DataFrame(X, columns=pd.MultiIndex.from_tuples([("age", 1), ("age", 2)]))
    table = read_table(frame, "X")
    assert table.names == ("age, 1", "age, 2")
    np.testing.assert_array_equal(table.values, X)


def test_categories_that_differ_by_a_nul_at_their_end_are_different():
    for frame in frames({"town": ["a", "a\0", "a\0\0", "b"] * 5}):
        table = read_table(frame, "X")
        assert table.columns[0].categories == ("a", "a\0", "a\0\0", "b")
        assert to_host(table.values)[:4, 0].tolist() == [0, 1, 2, 3]
        np.testing.assert_array_equal(encode(table.head(), frame, "X_new"), table.values)


@pytest.mark.parametrize("scale", [1e-300, 1e-165, 1e160, 1e300])
def test_numbers_whose_squares_are_none_are_refused(scale):
    for data in (X * scale, pd.DataFrame(X * [1, scale], columns=["a", "b"])):
        with pytest.raises(
            ValueError, match=r"`X`: column '(x0|b)' has values .* squares double precision cannot hold"
        ):
            read_table(data, "X")
    with pytest.raises(ValueError, match="squares"):
        cmmd(X, Y * scale, GROUP)


def test_the_largest_numbers_there_are():
    with pytest.raises(ValueError, match="squares"):
        read_table(np.array([-1.7e308, 1.7e308]), "X")
    assert read_table(np.full(4, 1e-200), "X").constant == ("x0",)  # no differences to be squared
    assert read_table(np.zeros(4), "X").constant == ("x0",)


@pytest.mark.parametrize("scale", [2.0**-450, 2.0**450])
def test_within_these_limits_the_scale_does_not_matter(scale):
    expected = cmmd(X, Y, GROUP, statistic=CMMD(reg=0.1)).level(1.0)
    assert cmmd(X * scale, Y / scale, GROUP, statistic=CMMD(reg=0.1)).level(1.0) == pytest.approx(expected, rel=1e-6)
    whole = screen(X, np.column_stack([Y, Y + GROUP]), GROUP).pvalues
    np.testing.assert_allclose(screen(X, np.column_stack([Y, (Y + GROUP) * scale]), GROUP).pvalues, whole, rtol=1e-6)
