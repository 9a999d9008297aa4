"""What the commands do: the answers, the files they write, and when they fail on purpose."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from condmmd import CMMD, cmmd, cmmd_test
from condmmd.app.cli import commands
from tests.app.command_line import FAST, ROLES, answer, run


def test_text_and_notes(file, capsys):
    assert run("test", file, *ROLES, "--categorical", "zip", "--resamples", "99") == 0
    out, err = capsys.readouterr()
    assert out.startswith("The distribution of y given age, town, zip differs between treated = 1 and treated = 0")
    assert "What moved?" in out
    assert "town is a" in out
    assert "covariate  zip: category (3 values)" in err
    assert "covariate  age: number" in err


def test_the_same_as_python(table, file, capsys):
    X = table[["age", "town", "zip"]].astype({"age": float, "zip": float})
    result = cmmd_test(X, table[["y"]], table.treated, n_resamples=99, rng=0)
    assert answer(capsys, file, *ROLES)["pvalue"] == result.pvalue


def test_fail_under(file, table, tmp_path):
    assert run("test", file, *ROLES, *FAST, "--quiet", "--fail-under", "0.05") == 1
    same = tmp_path / "same.csv"
    table.assign(y=table.age + np.random.default_rng(1).normal(size=160)).to_csv(same, index=False)
    assert run("test", same, *ROLES, *FAST, "--quiet", "--fail-under", "0.05") == 0


def test_measure(file, capsys):
    assert run("measure", file, *ROLES, "--level", "0", "1", "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["levels"]["0"] > found["levels"]["1"] > 0
    assert run("measure", file, *ROLES) == 0
    assert "CMMD^2" in capsys.readouterr().out


def test_measure_and_test_say_the_same_of_the_size(file, capsys):
    assert run("measure", file, *ROLES, "--level", "0", "1", "--json", "--quiet") == 0
    measured = json.loads(capsys.readouterr().out)
    tested = answer(capsys, file, *ROLES)["size"]
    assert measured["size"] == tested
    assert measured["squared"]["1"] == [tested["squared"], *tested["squared_interval"]]
    assert run("measure", file, *ROLES, "--level", "1", "--quiet") == 0
    assert f"  1         {tested['squared']:<11.5g}" in capsys.readouterr().out
    assert run("test", file, *ROLES, *FAST, "--quiet") == 0
    assert tested["sentence"] in capsys.readouterr().out


def test_an_assumption_that_the_data_contradict_is_told(table, tmp_path, capsys):
    path = tmp_path / "moved.csv"
    table.assign(age=table.age + 20 * table.treated).to_csv(path, index=False)
    found = answer(capsys, path, *ROLES, "--propensity", "equal")
    assert any("X differs (p = " in note for note in found["notes"])
    assert not any("X differs" in note for note in answer(capsys, path, *ROLES)["notes"])


def test_trimmed_rows_are_left_out_everywhere(table, tmp_path, capsys):
    path = tmp_path / "moved.csv"
    table.assign(age=table.age + 10 * table.treated).to_csv(path, index=False)
    whole, trimmed = answer(capsys, path, *ROLES), answer(capsys, path, *ROLES, "--trim", "0.2")
    assert trimmed["trimmed"] > 0
    assert trimmed["moved"]["X"]["statistic"] != whole["moved"]["X"]["statistic"]
    assert "rows left by trim" in trimmed["verdict"]


def test_the_demo_keeps_what_is_there(tmp_path, capsys):
    (tmp_path / "diabetes.csv").write_text("mine")
    assert run("demo", "--folder", tmp_path) == 2
    assert (tmp_path / "diabetes.csv").read_text() == "mine"
    (tmp_path / "diabetes.csv").unlink()
    (tmp_path / "demo.html").write_text("mine")
    assert run("demo", "--folder", tmp_path) == 2
    assert (tmp_path / "demo.html").read_text() == "mine"


def test_demo(tmp_path, capsys):
    assert run("demo", "--folder", tmp_path) == 0
    assert "The distribution of progression given age, bmi, bp, tc" in capsys.readouterr().out
    assert (tmp_path / "demo.html").stat().st_size > 100_000


def test_the_answer_has_everything(file, tmp_path, capsys):
    """JSON and the report say the same; the command that repeats it is told."""
    report, told = tmp_path / "r.html", tmp_path / "r.json"
    assert run("test", file, *ROLES, "--resamples", "99", "--report", report, "--json-file", told, "--quiet") == 0
    assert capsys.readouterr().err == ""
    found = json.loads(told.read_text())
    page = report.read_text()
    assert found["verdict"] in re.sub(r"\s+", " ", page)
    assert found["repeat"].startswith("condmmd test ")
    assert str(file) in found["repeat"]
    assert set(found["moved"]) == {"X", "Y"}
    assert found["where"]["n_labels"] == 99
    assert found["columns"]["town"] == "category (3 values)"


def test_a_measure_is_that_of_python(table, file, capsys):
    assert run("measure", file, *ROLES, "--level", "1", "2", "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    X = table[["age", "town", "zip"]].astype({"age": float, "zip": float})
    d = cmmd(X, table[["y"]], table.treated, statistic=CMMD(tol=1e-8, max_rank=256))
    np.testing.assert_allclose([found["levels"]["1"], found["levels"]["2"]], d.level([1, 2]), rtol=1e-9)
    assert found["n_obs"] == {"P": 80, "Q": 80}


def test_of_a_population(file, capsys, tmp_path):
    report = tmp_path / "report.html"
    assert run("test", file, *ROLES, *FAST, "--population", "all", "--report", report) == 0
    out, _ = capsys.readouterr()
    assert out.splitlines()[0].startswith("The distribution of y over all rows, adjusted for age, town, zip, differs")
    assert "Y, adjusted for X" in out
    assert "--population all" in out
    assert "over all rows?" in report.read_text()
    found = answer(capsys, file, *ROLES, "--population", "q")
    assert found["population"] == "q"
    assert found["effect"]["population"] == "q"
    assert answer(capsys, file, *ROLES)["population"] is None


@pytest.mark.parametrize(
    ("asked", "rows", "fail_under", "count"),
    [(None, 200_000, None, 999), (None, 200_002, None, 199), (None, 10**6, 0.01, 999), (None, 10**6, 0.02, 499),
     (49, 10**6, None, 49)],
)  # fmt: skip
def test_many_rows_have_fewer_null_labels_unless_more_are_asked_for_or_needed(asked, rows, fail_under, count):
    options = SimpleNamespace(resamples=asked, significance=0.05, fail_under=fail_under)
    job = SimpleNamespace(group=SimpleNamespace(n=rows // 2, m=rows - rows // 2))
    assert commands._resamples(options, job) == count
