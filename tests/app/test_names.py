"""Names that are not columns, and what may have been meant."""

import pytest

from condmmd.app.names import check_names
from condmmd.data.frames import nearest_names

COLUMNS = ["seqn", "sex", "age", "wt71", "wt82", "wt82_71", "Smoke Years"]


def test_columns_are_fine():
    check_names(["age", "wt82"], COLUMNS, "the table")
    check_names([], [], "the table")


@pytest.mark.parametrize(
    ("name", "first"),
    [("wt82-71", "wt82_71"), ("WT82_71", "wt82_71"), ("wt8271", "wt82_71"), ("smoke_years", "Smoke Years"),
     ("smo", "Smoke Years"), ("aeg", "age")],
)  # fmt: skip
def test_the_nearest_comes_first(name, first):
    assert nearest_names(name, COLUMNS)[0] == first


def test_nothing_is_like_it():
    assert nearest_names("income", COLUMNS) == []
    with pytest.raises(ValueError, match=r"^the table has no column 'income'; it has 'seqn', 'sex'"):
        check_names(["income"], COLUMNS, "the table")


def test_each_missing_name_is_told_once():
    with pytest.raises(ValueError, match=r"no column 'wt82_7', 'x'; did you mean 'wt82_71' or .*\? It has 'seqn'"):
        check_names(["wt82_7", "x", "x", "age"], COLUMNS, "the table")


@pytest.mark.parametrize("word", ["sex,age", "sex, age", "sex;age", "sex,age,"])
def test_commas_between_names(word):
    with pytest.raises(ValueError, match=r"Names are separated by spaces: sex age$"):
        check_names([word], COLUMNS, "the table")


def test_a_comma_that_is_in_a_name():
    check_names(["sex,age"], ["sex,age"], "the table")
    with pytest.raises(ValueError, match="has no column 'a,b'; it has 'seqn'") as error:
        check_names(["a,b"], COLUMNS, "the table")
    assert "spaces" not in str(error.value)


def test_many_columns_are_not_all_listed():
    with pytest.raises(ValueError, match=r"'c029', \.\.\.\.$"):
        check_names(["zzz"], [f"c{k:03}" for k in range(99)], "the table")
