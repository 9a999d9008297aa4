"""What is printed as the way to repeat a run repeats it."""

import html
import json
import re
import shlex
import sys

import pytest

from condmmd.app.cli.repeating import repeat_command
from tests.app.command_line import ROLES, run

OPTIONS = ("--resamples", "99", "--no-where")


def pvalue_of(line, capsys):
    """Run a line as a shell would, for its p-value."""
    program, *arguments = shlex.split(line, comments=True)
    assert program == "condmmd"
    assert run(*arguments, "--json", "--quiet") == 0
    return json.loads(capsys.readouterr().out)["pvalue"]


@pytest.mark.parametrize(
    "options",
    [
        (), ("--seed", "5", "--trim", "0.1"), ("--covariates", "age", "zip", "--cat", "zip"),
        ("--exclude", "zip", "--propensity=equal"), ("--blocks", "the day's"),
    ],
    ids=lambda options: " ".join(options) or "none",
)  # fmt: skip
def test_the_lines_of_summary_report_and_json(options, table, tmp_path, capsys):
    pytest.importorskip("jinja2")
    folder = tmp_path / "a folder; with 'signs' & more"
    folder.mkdir()
    path, report, told = folder / "trim=0.05.csv", folder / "r.html", folder / "a.json"
    weak = table.y - 0.8 * table.treated * 4 * (table.town == "a")
    extra = {"the day's": [k // 2 for k in range(160)]} if "--blocks" in options else {}
    table.assign(y=weak, **extra).to_csv(path, index=False)
    wanted = ("--report", report, f"--json-f={told}")
    assert run("test", path, *ROLES, *OPTIONS, *options, *wanted) == 0
    summary = capsys.readouterr().out
    found = json.loads(told.read_text())
    assert 0.01 < found["pvalue"] < 1  # or every seed would give the same
    lines = [
        re.search("^  repeat with (.*)$", summary, re.MULTILINE)[1],
        html.unescape(re.search("<h2>How to repeat it</h2>\\s*<pre>(.*?)</pre>", report.read_text(), re.DOTALL)[1]),
        found["repeat"],
    ]
    assert len(set(lines)) == 1
    assert pvalue_of(lines[0], capsys) == found["pvalue"]


def test_of_a_plan_and_a_measure(file, capsys):
    for command in (("measure", file, *ROLES), ("plan", file, *ROLES, "--effect", "1", "--seed", "3")):
        assert run(*command, "--json", "--full") == 0
        first = json.loads(capsys.readouterr().out)
        assert run(*shlex.split(first["repeat"])[1:], "--json", "--full", "--quiet") == 0
        assert json.loads(capsys.readouterr().out) == first


def test_of_standard_input(file, capsys, monkeypatch):
    found = []
    for _ in range(2):
        with file.open("rb") as stream:
            monkeypatch.setattr(sys, "stdin", type("S", (), {"buffer": stream})())
            line = found[-1]["repeat"] if found else shlex.join(["condmmd", "test", "-", *ROLES, *OPTIONS])
            assert run(*shlex.split(line, comments=True)[1:], "--json", "--quiet") == 0
            found.append(json.loads(capsys.readouterr().out))
    assert found[0]["repeat"].endswith("# with the same table on standard input")
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["test", "a.csv", "--report", "r.html", "--seed", "1"], "condmmd test a.csv --seed 1"),
        (["test", "a.csv", "--rep=r.html", "--ov", "--q", "--jobs", "2"], "condmmd test a.csv --jobs 2"),
        (["test", "a.csv", "--resamples", "9", "--json"], "condmmd test a.csv --resamples 9"),
        (["test", "--seed=1", "--", "--json"], "condmmd test --seed=1 -- --json"),
        (["plan", "a b.csv", "--picture", "p.png", "--outcome", "--report card"],
         "condmmd plan 'a b.csv' --outcome '--report card'"),
    ],
)  # fmt: skip
def test_what_is_left_out(given, kept):
    assert repeat_command(given) == kept
