"""Roles that are guessed, and commands that can be pasted whatever the columns are called."""

import numpy as np
import pytest

from condmmd.app.cli.parser import make_parser
from condmmd.app.cli.suggesting import command_of, guess_roles, parsed, role_of
from condmmd.app.columns import ColumnLook


def column(name, kind="number", values=(), trouble="", distinct=50):
    return ColumnLook(name, kind, 0, distinct, tuple(values), trouble, (), np.ones(60, dtype=bool))


def options_of(*words):
    return make_parser().parse_args(["look", "t.csv", *words])


TABLE = [
    column("id", trouble="identifier"), column("sex", "category (2 values)", ("m", "f")), column("age"),
    column("treated", values=("0", "1")), column("score"), column("town", "category (3 values)", ("a", "b", "c")),
]  # fmt: skip


def test_guesses():
    roles = guess_roles(TABLE, options_of())
    assert (roles.group, roles.outcomes, roles.guessed) == ("treated", ("score",), ("group", "outcome"))
    assert roles.candidates == ("sex", "treated")
    assert roles.covariates == ("sex", "age", "town")
    assert roles.left_out == {"id": "identifier"}
    assert [role_of(one.name, roles) for one in TABLE] == [
        "left out", "covariate", "covariate", "group?", "outcome?", "covariate",
    ]  # fmt: skip


def test_what_is_said_is_not_guessed():
    roles = guess_roles(TABLE, options_of("--outcome", "age", "--group", "sex", "--exclude", "town"))
    assert (roles.group, roles.outcomes, roles.guessed) == ("sex", ("age",), ())
    assert roles.left_out == {"town": "--exclude", "id": "identifier"}
    assert guess_roles([*TABLE, column("y")], options_of()).outcomes == ("y",)


def test_a_group_of_many_values():
    few = [one for one in TABLE if len(one.values) != 2]
    roles = guess_roles(few, options_of())
    assert (roles.group, roles.values) == ("town", ("a", "b"))
    assert guess_roles([column("a"), column("b")], options_of()).group is None


def test_covariates_that_are_named():
    options = options_of("--covariates", "id", "age", "--outcome", "score")
    roles = guess_roles(TABLE, options)
    assert roles.covariates == ("age",)
    words = command_of(roles, options, drop_missing=True)
    assert words == [
        "test",
        "t.csv",
        "--outcome",
        "score",
        "--covariates",
        "age",
        "--group",
        "treated",
        "--drop-missing",
    ]


@pytest.mark.parametrize("odd", ["-x", "--outcome", "two words", "it's", "", "a,b", "$HOME", "-1"])
def test_any_name_survives_the_shell_and_the_parser(odd):
    table = [column(odd, trouble="constant"), column("y"), column("age"), column("g", values=("0", "1"))]
    options = options_of("--delimiter", ";", "--categorical", "age", "--max-memory", "1G")
    understood, line = parsed(command_of(guess_roles(table, options), options, drop_missing=False))
    assert understood.exclude == [odd]
    assert (understood.outcome, understood.group, understood.delimiter) == (["y"], "g", ";")
    assert (understood.categorical, understood.max_memory, understood.drop_missing) == (["age"], "1G", False)
    assert line.startswith("condmmd test t.csv --outcome y ")


def test_one_covariate_less():
    roles = guess_roles(TABLE, options_of()).without("age", "because")
    assert "age" not in roles.covariates
    assert roles.left_out["age"] == "because"
