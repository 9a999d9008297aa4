"""JSON by its schemas: short unless all is asked for."""

import json
from importlib.resources import files

import numpy as np
import pytest

from condmmd.app.cli.answers import answer_as, compacted
from tests.app.command_line import FAST, ROLES, run
from tests.app.schema_check import faults


def schema_of(command):
    return json.loads((files("condmmd.app") / "schemas" / f"{command}.json").read_text())


def told(capsys, *arguments):
    assert run(*arguments, "--json", "--quiet") == 0
    return json.loads(capsys.readouterr().out)


CALLS = {
    "plain": ("test", *ROLES, *FAST),
    "where and null": ("test", *ROLES, "--resamples", "39", "--full"),
    "trimmed": ("test", *ROLES, *FAST, "--trim", "0.2"),
    "equal": ("test", *ROLES, *FAST, "--propensity", "equal", "--check", "2"),
    "two outcomes, strata": ("test", "--outcome", "y", "age", "--covariates", "town", "--group", "treated", *FAST),
    "a class": ("test", "--outcome", "town", "--covariates", "age", "y", "--group", "treated", *FAST),
    "measure": ("measure", *ROLES),
    "measure all": ("measure", *ROLES, "--full"),
    "plan": ("plan", "--outcome", "y", "--covariates", "age", "--effect", "1"),
    "plan in vain": ("plan", "--outcome", "y", "--covariates", "age", "--effect", "0.001", "--group", "treated"),
}


@pytest.mark.parametrize("call", CALLS)
def test_answers_keep_their_schema(call, file, capsys):
    command, *options = CALLS[call]
    assert list(faults(told(capsys, command, file, *options), schema_of(command))) == []


def test_short_unless_all_is_asked_for(file, capsys):
    short, whole = (told(capsys, "test", file, *ROLES, "--resamples", "99", *more) for more in ((), ("--full",)))
    assert len(json.dumps(short)) < 0.6 * len(json.dumps(whole))
    assert set(whole) - set(short) == {"null_distribution"}
    assert len(whole["null_distribution"]) == 99
    rank = 1 + np.sum(np.array(whole["null_distribution"]) >= whole["statistic"])
    assert rank / 100 == pytest.approx(short["pvalue"])
    assert set(whole["where"]) - set(short["where"]) == {"profiles", "points", "courses"}


def test_the_schema_comes_first_and_nothing_else_is_lost():
    answer = {"a": 1, "where": None, "eigenvalues": [1.0]}
    assert list(answer_as("measure", answer, full=False)) == ["schema", "a", "where"]
    assert answer_as("plan", answer, full=True) == {"schema": "condmmd/plan/1", **answer}
    assert compacted({"where": {"points": [1], "pvalue": 0.1}}) == {"where": {"pvalue": 0.1}}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"schema": "condmmd/test/2"}, "$.schema must be"), ({"pvalue": 1.2}, "$.pvalue must be at most 1"),
        ({"differs": 1}, "$.differs is no boolean"), ({"notes": [3]}, "$.notes[0] is no string"),
        ({"n_obs": {"P": 3}}, "$.n_obs must have"), ({"where": {}}, "$.where is none of these"),
        ({"columns": {"a": None}}, "$.columns.a is no string"),
    ],
)  # fmt: skip
def test_the_schema_can_be_broken(change, fault, file, capsys):
    """So that keeping it says something."""
    found = told(capsys, "test", file, *ROLES, *FAST)
    broken = list(faults(found | change, schema_of("test")))
    assert len(broken) == 1
    assert broken[0].startswith(fault)
