"""Columns of one table by their names: the same answers as from the columns themselves, and errors that help."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from condmmd import CMMD, cmmd, cmmd_test, compare, mmd, mmd_test, plan, screen
from condmmd.data import by_value, pick_columns, spelled

RNG = np.random.default_rng(0)
N = 80
TABLE = pd.DataFrame({
    "age": RNG.normal(size=N), "sex": RNG.choice(["m", "f"], N), "clinic": np.arange(N) // 4,
    "smoker": np.repeat(["yes", "no"], N // 2), "year": 2019 + np.arange(N) % 3,
    "wt82_71": RNG.normal(size=N), "weight": RNG.normal(size=N),
})  # fmt: skip
COVARIATES = ["age", "sex"]
FAST = {"n_resamples": 19, "rng": 0}
MEASURED = CMMD(reg=0.1)


@pytest.mark.parametrize("make", [lambda t: t, pl.from_pandas, pa.Table.from_pandas, lambda t: dd.from_pandas(t, 3)])
def test_names_are_the_columns_of_any_library(make):
    expected = cmmd(TABLE[COVARIATES], TABLE["wt82_71"], TABLE["smoker"], statistic=MEASURED)
    named = cmmd(COVARIATES, "wt82_71", "smoker", data=make(TABLE), statistic=MEASURED)
    np.testing.assert_allclose(named.level([0, 1, 2]), expected.level([0, 1, 2]), rtol=1e-9)
    assert named.labels == ("yes", "no")


def test_every_door_takes_names():
    X, Y, group, blocks = TABLE[COVARIATES], TABLE[["wt82_71"]], TABLE["smoker"], TABLE["clinic"]
    given, columns = (COVARIATES, "wt82_71", "smoker"), (X, Y, group)
    assert (
        cmmd_test(*given, data=TABLE, blocks="clinic", propensity=None, **FAST).statistic
        == cmmd_test(*columns, blocks=blocks, propensity=None, **FAST).statistic
    )
    assert mmd(COVARIATES, "smoker", data=TABLE) == mmd(X, group)
    named, rows = (
        mmd_test(X, group, blocks=blocks, data=data, **FAST)
        for X, group, blocks, data in ((COVARIATES, "smoker", "clinic", TABLE), (X, group, blocks, None))
    )
    assert (named.statistic, named.pvalue) == (rows.statistic, rows.pvalue)
    assert screen(*given, data=TABLE).pvalues == screen(*columns).pvalues
    assert plan(*given, effect=0.5, data=TABLE, rng=0) == plan(*columns, effect=0.5, rng=0)
    assert plan(COVARIATES, "wt82_71", effect=0.5, data=TABLE, rng=0).rows == plan(X, Y, effect=0.5, rng=0).rows


def test_compare_takes_the_values_of_a_column():
    def sample(year):
        own = TABLE[TABLE["year"] == year]
        return own[["age"]], own[["weight"]]

    expected = compare(sample(2019), {"2020": sample(2020), "2021": sample(2021)})
    roles = {"X": "age", "Y": "weight", "group": "year"}
    assert compare(2019, data=TABLE, **roles).to_dict() == expected.to_dict()
    assert compare("2019", [2021], data=TABLE, **roles).ranking[0].name == "2021"
    with pytest.raises(ValueError, match=r"`reference`: the column `group` has no value '1999'"):
        compare("1999", data=TABLE, **roles)
    with pytest.raises(ValueError, match="some other values than the reference"):
        compare("2019", ["2019"], data=TABLE, **roles)
    with pytest.raises(TypeError, match="name columns of a table: pass data=frame"):
        compare("2019", **roles)
    with pytest.raises(TypeError, match="values of `group` in a list"):
        compare("2019", "2020", data=TABLE, **roles)
    with pytest.raises(TypeError, match="`group` must name the column"):
        compare("2019", X="age", Y="weight", data=TABLE)
    with pytest.raises(TypeError, match="in chunks"):
        by_value(dd.from_pandas(TABLE, 2), "age", "weight", "year")
    with pytest.raises(TypeError, match="`X` must name columns"):
        by_value(TABLE, TABLE["age"].to_numpy(), "weight", "year")


def test_none_is_every_column_without_another_role():
    X, Y, _, _ = pick_columns(TABLE, X=None, Y="weight", group="smoker", blocks="clinic")
    assert list(X.columns) == ["age", "sex", "year", "wt82_71"]
    assert list(Y.columns) == ["weight"]
    X, Y, _ = pick_columns(TABLE, X="age", Y=None, group="smoker")
    assert list(Y.columns) == ["sex", "clinic", "year", "wt82_71", "weight"]
    with pytest.raises(ValueError, match="both None"):
        pick_columns(TABLE, X=None, Y=None, group="smoker")
    with pytest.raises(ValueError, match="so `Y` must be given by name"):
        pick_columns(TABLE, X=None, Y=TABLE["weight"], group="smoker")
    with pytest.raises(ValueError, match="no other column of `data` is left"):
        pick_columns(TABLE[["age", "sex"]], X=None, Y="age", group="sex")
    with pytest.raises(TypeError, match=r"`X` is None, which stands for every other column .* data=frame"):
        cmmd(None, TABLE["age"], TABLE["smoker"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"X": "agee"}, r"`X`: `data` has no column 'agee'; did you mean 'age'\?"),
        ({"X": ["age", "SEX"]}, r"'SEX'; did you mean 'sex'\?"),
        ({"Y": "wt82_7"}, r"`Y`: .* did you mean 'wt82_71'\?"),
        ({"group": "zzz"}, r"`group`: `data` has no column 'zzz'; it has 'age', 'sex'"),
        ({"blocks": "clinics"}, r"`blocks`: .* did you mean 'clinic'\?"),
        ({"group": ["smoker", "sex"]}, "`group` must be one column"),
        ({"X": []}, "`X` names no column"),
        ({"X": ["age", "age"]}, "`X` names 'age' more than once"),
        ({"X": ["age", "wt82_71"]}, "'wt82_71' is both `X` and `Y`"),
        ({"Y": "smoker"}, "'smoker' is both `Y` and `group`"),
        ({"blocks": "smoker"}, "'smoker' is both `group` and `blocks`"),
        ({"data": {"age": [1.0]}}, "`data` must be a data frame .* got dict"),
        ({"data": TABLE["age"]}, "`data` must be a data frame"),
        ({"data": pl.from_pandas(TABLE).lazy()}, "lazy frame"),
        ({"data": TABLE[["age", "age"]]}, "`data` has columns of the same name: age"),
        ({"data": pd.DataFrame([[1, 2]], columns=[1, "1"])}, "`data` has columns of the same name"),
        ({"data": None}, r"`X` is 'age': to name a column, pass the table too, as data=frame"),
    ],
)
def test_names_that_cannot_be_meant_are_refused_before_any_work(given, words):
    arguments = {"X": "age", "Y": "wt82_71", "group": "smoker", "data": TABLE} | given
    with pytest.raises((ValueError, TypeError), match=words):
        cmmd_test(**arguments, propensity=lambda _: pytest.fail("it was called"))


def test_rows_and_names_go_together_by_position():
    y, group = TABLE["wt82_71"].to_numpy(), TABLE["smoker"]
    expected = cmmd(TABLE[COVARIATES], y, group, statistic=MEASURED).level(1)
    assert cmmd(COVARIATES, y, group.to_numpy(), data=TABLE, statistic=MEASURED).level(1) == expected
    with pytest.raises(ValueError, match="same index in different orders"):
        cmmd(COVARIATES, TABLE["weight"].iloc[::-1], "smoker", data=TABLE)
    with pytest.raises(ValueError, match="`Y` has 79"):
        cmmd(COVARIATES, y[1:], "smoker", data=TABLE)


def test_names_may_be_an_index_or_numbers_or_several_in_one():
    X, _ = pick_columns(TABLE, X=TABLE.columns[:2], group="smoker")
    assert list(X.columns) == COVARIATES
    odd = pd.DataFrame([[1, 2, 3]], columns=[7, "x", ("a", "b")])
    X, Y = pick_columns(odd, X=["7", "x"], Y="a, b")
    assert X.to_numpy().tolist() == [[1, 2]]
    assert Y.to_numpy().tolist() == [[3]]


def test_what_makes_blocks_may_be_a_covariate_too():
    X, blocks = pick_columns(TABLE, X=["clinic"], blocks="clinic")
    assert list(X.columns) == list(blocks.columns) == ["clinic"]


def test_the_call_is_written_as_it_was_given():
    result = cmmd_test(None, "wt82_71", np.str_("smoker"), data=TABLE, blocks="clinic", propensity=None, **FAST)
    code = "cmmd_test(None, 'wt82_71', 'smoker', data=data, propensity=None, blocks='clinic', n_resamples=19, rng=0)"
    assert result.call.splitlines()[-1] == f"result = {code}"
    names = {"data": TABLE}
    exec(result.call, names)  # noqa: S102 - what we have written ourselves
    assert names["result"].statistic == result.statistic
    assert spelled(TABLE, {"X": TABLE.columns[:2], "Y": TABLE["age"], "group": "sex"}) == [
        "['age', 'sex']", "Y", "'sex'", "data=data",
    ]  # fmt: skip
    assert spelled(None, {"X": [1.0], "Y": [1.0]}) == ["X", "Y"]
