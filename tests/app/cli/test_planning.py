"""``condmmd plan`` and ``condmmd test --check``."""

import json

import pytest

from condmmd import plan
from tests.app.command_line import FAST, ROLES, answer, run

PILOT = ("--outcome", "y", "--covariates", "age", "zip")


def test_rows_as_in_python(table, file, capsys):
    assert run("plan", file, *PILOT, "--effect", "0.5", "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    X = table[["age", "zip"]].astype(float)
    assert tuple(found["rows"].values()) == plan(X, table[["y"]], effect=0.5, rng=0).rows


def test_with_groups_and_a_picture(file, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "power.png"
    assert (
        run("plan", file, *PILOT, "--group", "treated", "--effect", "1.5", "--kind", "spread", "--picture", picture)
        == 0
    )
    out, err = capsys.readouterr()
    assert "treated = 1" in out.splitlines()[0]
    assert "the spread of y larger by a factor of 1.5" in out
    assert "P: treated = 1" in err
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--power", "1.5"), "--power must be between"),
        (("--seed", "-1"), "--seed must not be negative"),
        (("--group", "treated", "--share", "0.2"), "--share is for a pilot of one population"),
        (("--kind", "rate"), "does not go with this outcome"),
    ],
)
def test_refused(file, capsys, options, message):
    assert run("plan", file, *PILOT, "--effect", "1.5", *options) == 2
    assert message in capsys.readouterr().err


def test_how_often_a_test_cries_wolf(file, tmp_path, capsys):
    pytest.importorskip("jinja2")
    report = tmp_path / "report.html"
    found = answer(capsys, file, *ROLES, "--check", "2", "--report", report)
    assert found["check"]["trials"] == 2
    assert "of 2 tables like this one" in report.read_text()
    assert answer(capsys, file, *ROLES)["check"] is None
    assert run("test", file, *ROLES, *FAST, "--check", "-3") == 2
    assert "--check must not be negative" in capsys.readouterr().err
