"""Every exit status: an answer, bad input, a fault of ours, an interruption."""

import runpy
import sys
from importlib.metadata import version

import pytest

from condmmd.app.cli import commands
from tests.app.command_line import FAST, ROLES, run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", *ROLES], "there is no file nowhere.csv"),
        (["FILE", "--outcome", "y"], "--group, or give two files"),
        (["FILE", "--outcome", "income", "--group", "treated"], "no column 'income'; it has 'age'"),
        (["FILE", *ROLES, "--covariates", "y"], "'y' can have one role only"),
        (["FILE", *ROLES, "--categorical", "zap"], "no column 'zap'"),
        (["FILE", *ROLES, "--numeric", "town"], "'town' is to be numbers, but 3 of its 3"),
        (
            ["FILE", *ROLES, "--resamples", "5"],
            "--resamples of 5 gives no p-value below 0.167, so nothing can be significant at a --significance of 0.05",
        ),
        (
            ["FILE", *ROLES, "--resamples", "99", "--fail-under", "0.001"],
            "significant at a --fail-under of 0.001. Use at least 999",
        ),
        (["FILE", *ROLES, "--trim", "0.7"], "--trim must be between"),
        (["FILE", *ROLES, "--trim", "0.1", "--propensity", "equal"], "with --propensity equal there is none"),
        (["FILE", *ROLES, "--jobs", "0"], "--jobs must be at least 1"),
        (["FILE", *ROLES, "--report", "-"], "--report must be a file"),
        (["FILE", *ROLES, "--report", "FILE", "--overwrite"], "is the table itself"),
        (["FILE", *ROLES, "--report", "a.x", "--json-file", "a.x"], "name two files"),
        (["--outcome", "y", "FILE"], "name the file first"),
        (["FILE", *ROLES, "--fail-under", "5"], "--fail-under must be between"),
        (["FILE", *ROLES, "--seed", "-1"], "--seed must not be negative"),
        (["FILE", *ROLES, "--report", "no/such/folder/r.html"], "there is no folder"),
        (["FILE", *ROLES, "--delimiter", "ab"], "--delimiter must be one character"),
        (["FILE"], "the following arguments are required: --outcome"),
    ],
)
def test_bad_input(file, arguments, message, capsys):
    assert run("test", *[file if a == "FILE" else a for a in arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_help_version_and_nothing(capsys):
    assert run() == 0
    assert "examples:" in capsys.readouterr().out
    assert run("--version") == 0
    assert capsys.readouterr().out.strip() == version("condmmd")
    assert run("test", "--help") == 0
    assert "a randomised trial" in " ".join(capsys.readouterr().out.split())
    assert run("nonsense") == 2


def test_a_fault_of_ours_is_not_an_answer(file, monkeypatch, capsys):
    def fail(*_, **__):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(commands, "cmmd_test", fail)
    assert run("test", file, *ROLES, *FAST) == 70
    assert "internal error: ZeroDivisionError: oops" in capsys.readouterr().err


def test_python_m_condmmd(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["condmmd", "--version"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("condmmd", run_name="__main__")
    assert stop.value.code == 0


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (MemoryError(), 2, "not enough memory for this table"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_what_stops_a_run(file, monkeypatch, capsys, error, status, words):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(commands, "cmmd_test", fail)
    before = sys.stdout
    try:
        assert run("test", file, *ROLES, *FAST, "--quiet") == status
    finally:
        if sys.stdout is not before:  # what is left to write goes nowhere
            sys.stdout.close()
        sys.stdout = before
    assert words in capsys.readouterr().err


def test_a_traceback_if_it_is_asked_for(file, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(commands, "cmmd_test", fail)
    monkeypatch.setenv("CONDMMD_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError, match="oops"):
        run("test", file, *ROLES, *FAST)
