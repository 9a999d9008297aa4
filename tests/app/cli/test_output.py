"""What the command line writes, and what it must not write over."""

import json
import warnings
from argparse import Namespace

import pytest

from condmmd import OverlapWarning
from condmmd.app.cli.output import listed, noted, put_json, target_file, teller
from tests.app.command_line import FAST, ROLES, run


def test_files_are_not_overwritten(file, tmp_path, capsys):
    target = tmp_path / "answer.json"
    target.write_text("mine")
    assert run("test", file, *ROLES, *FAST, "--json-file", target) == 2
    assert "add --overwrite" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert run("test", file, *ROLES, *FAST, "--json-file", target, "--overwrite") == 0
    assert json.loads(target.read_text())["differs"] is True


def test_nothing_is_left_half_written(file, tmp_path, monkeypatch):
    folder = tmp_path / "out"
    folder.mkdir()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("condmmd.present.writing.Path.replace", fail)
    assert run("test", file, *ROLES, *FAST, "--json-file", folder / "a.json", "--report", folder / "a.html") == 2
    assert list(folder.iterdir()) == []


def test_warnings_become_notes_each_once():
    said = []
    with noted(said.append) as notes:
        for _ in range(2):
            warnings.warn("little overlap", OverlapWarning, stacklevel=1)
        notes.append("something of our own")
    assert notes == ["little overlap", "something of our own"]
    assert said == ["note: little overlap", "note: something of our own"]


def test_json_has_no_nan(tmp_path, capsys):
    options = Namespace(json=True)
    assert put_json({"a": 1.5}, tmp_path / "a.json", options, lambda _: None)
    assert json.loads((tmp_path / "a.json").read_text()) == json.loads(capsys.readouterr().out) == {"a": 1.5}
    with pytest.raises(ValueError, match="not JSON compliant"):
        put_json({"a": float("nan")}, None, options, lambda _: None)
    assert not put_json({}, None, Namespace(json=False), lambda _: None)


def test_quiet_is_quiet(capsys):
    teller(Namespace(quiet=True))("something")
    assert capsys.readouterr().err == ""
    teller(Namespace(quiet=False))("something")
    assert capsys.readouterr().err == "something\n"


def test_targets_are_not_the_table(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("mine")
    options = Namespace(file=str(table), file2=None, overwrite=True)
    with pytest.raises(ValueError, match=r"--report: .* is the table itself"):
        target_file(str(table), options, "--report")
    (tmp_path / "hard.csv").hardlink_to(table)
    (tmp_path / "soft.csv").symlink_to(table)
    for link in ("hard.csv", "soft.csv"):
        with pytest.raises(ValueError, match=r"--report: .* is the table itself"):
            target_file(str(tmp_path / link), options, "--report")
    with pytest.raises(ValueError, match="--report must be a file"):
        target_file("-", options, "--report")
    assert target_file(str(tmp_path / "r.html"), options, "--report") == tmp_path / "r.html"


def test_columns_by_name_or_by_number():
    assert listed(["age", "bmi"]) == "age, bmi"
    assert listed([f"column {k}" for k in range(9)]) == "9 columns"
