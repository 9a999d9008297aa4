"""Remedies of the library, in options: every one that there is in its source."""

import argparse
import ast
import inspect
import re
from pathlib import Path

import pytest

import condmmd
from condmmd import cmmd, cmmd_test, plan
from condmmd.app.cli.parser import make_parser
from condmmd.app.cli.words import in_options, said_in_options
from tests.app.command_line import FAST, ROLES, answer, run

SOURCE = Path(condmmd.__file__).parent
# What the command line has no way to set: messages about these are for whoever writes Python.
PYTHON_ONLY = {"statistic", "residualize", "null", "compute", "data"}
ARGUMENTS = {name for door in (cmmd, cmmd_test, plan) for name in inspect.signature(door).parameters} - PYTHON_ONLY


def messages():
    """Every text outside docstrings that is no key or name, with numbers in the place of what is filled in.

    Those of the command line itself are not looked at, nor those about the ``kind`` of a picture, which Python alone
    asks for.
    """
    for path in sorted(SOURCE.rglob("*.py")):
        if path.relative_to(SOURCE).parts[0] == "app" or path.name == "curves.py":
            continue
        tree = ast.parse(path.read_text())
        inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield path, "".join(str(p.value) if isinstance(p, ast.Constant) else "0.05" for p in node.values)
            elif isinstance(node, ast.Constant) and id(node) not in inside | docs and " " in str(node.value):
                yield path, str(node.value)


def mentions(text):
    """Arguments that a text speaks of as Python does."""
    found = re.findall(r"`(\w+)`|(?<![\w.(])(\w+)=(?=[\w'\"])", text)
    return {a or b for a, b in found} & ARGUMENTS


def options_of(parser):
    nested = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    inner = [option for choices in nested for one in choices.values() for option in options_of(one)]
    return {option for action in parser._actions for option in action.option_strings}.union(inner)


def test_every_remedy_of_the_library_names_options():
    found = [(path, text) for path, text in messages() if mentions(text)]
    assert len(found) > 50  # or nothing was looked at
    known = options_of(make_parser())
    for path, text in found:
        told = in_options(text)
        left = mentions(told) if "in Python" not in told else set()
        assert not left, f"{path}: {told}"
        assert set(re.findall(r"--[a-z][a-z-]*", told)) <= known, told


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ("there; trim=0.05 leaves such rows out", "there; --trim 0.05 leaves such rows out"),
        ("repeat with rng=17", "repeat with --seed 17"),
        ("use `trim`, or more rows.", "use --trim, or more rows."),
        ("in both, use propensity=None.", "in both, use --propensity equal."),
        ("law; in cmmd_test, propensity='estimate' takes", "law; --propensity estimate takes"),
        ("or leave `blocks` out.", "or leave --blocks out."),
        ("`X`: column 'a' has", "--covariates: column 'a' has"),
        ("`n_resamples` of 5", "--resamples of 5"),
        ("pass models that\n      learn it as `residualize` and\n   `propensity`.",
         "pass models that learn it to cmmd_test in Python, as `residualize` and `propensity`."),
        ("Drop the copies, or pass the number of the original row as `blocks`.",
         "Drop the copies, or name the column of the original row's number with --blocks."),
    ],
)  # fmt: skip
def test_some_by_hand(python, options):
    assert in_options(python) == options


@pytest.mark.parametrize("text", ["from trim=0.05.csv", "my_trim=0.05", "the column 'X'", "`Xy`", "a.rng=0"])
def test_what_is_the_users_own_stays(text):
    assert in_options(text) == text


def test_json_of_a_result():
    plain = {"assumption": "a (asserted by propensity=None)", "diagnostics": None, "pvalue": 0.1}
    assert said_in_options(plain) == {**plain, "assumption": "a (asserted by --propensity equal)"}


def test_little_overlap_is_told_in_options_everywhere(table, tmp_path, capsys):
    """As a note, in the summary, in JSON and in the report."""
    pytest.importorskip("jinja2")
    path, report = tmp_path / "t.csv", tmp_path / "r.html"
    table.assign(age=table.age + 25 * table.treated).to_csv(path, index=False)
    found = answer(capsys, path, *ROLES, "--report", report)
    assert any("--trim 0.05 leaves such rows out" in note for note in found["notes"])
    remedies = [finding["remedy"] for finding in found["diagnostics"]["findings"]]
    assert any(remedy.startswith("--trim 0.05") for remedy in remedies)
    assert "--trim 0.05 leaves such rows out" in report.read_text()
    assert run("test", path, *ROLES, *FAST) == 0
    out, err = capsys.readouterr()
    assert "--trim 0.05" in re.sub(r"\s+", " ", out)
    for text in (out, err, report.read_text(), str({**found, "call": ""})):
        assert not re.search(r"trim=|rng=|propensity=|`(trim|blocks|rng|X|Y)`", text)


def test_errors_of_the_library_name_options(table, tmp_path, capsys):
    path = tmp_path / "t.csv"
    table.assign(subject=[k % 40 for k in range(160)]).to_csv(path, index=False)
    assert run("test", path, *ROLES, *FAST, "--blocks", "subject") == 2
    err = capsys.readouterr().err
    assert "--blocks: 40 block(s) have rows of both groups, such as '0'." in err
    assert "or leave --blocks out." in err
