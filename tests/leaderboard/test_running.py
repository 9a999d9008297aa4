"""The runs resume, keep to their time, do not depend on workers, and notice what has changed."""

import json
import os
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.leaderboard import packages, running
from benchmarks.leaderboard.methods import drpt, gcm, lee
from benchmarks.leaderboard.packages import Package, last_line
from benchmarks.leaderboard.problems import PAIRED, TWO_SAMPLES, Pairs, Problem, all_problems
from benchmarks.leaderboard.registry import METHODS, OURS, PACKAGE, Method


def heads(data, resamples, rng, *, below=1.0):  # the generator gives a p-value without any data
    return below * rng.random()


def fails(data, resamples, rng):
    raise ArithmeticError("no such luck")


def draw(rng):
    return Pairs(rng.normal(size=(5, 1)), rng.normal(size=5), rng.normal(size=5))


PARTS = ("X", "Y", "group")
COIN = Method("coin", PAIRED, heads, OURS, "")
SURE = Method("sure", PAIRED, partial(heads, below=0.04), OURS, "")
NULL = Problem("null", PAIRED, True, draw, "")
OTHER = Problem("other", PAIRED, False, draw, "")


def options(tmp_path, **changed):
    defaults = {
        "out": tmp_path, "resamples": 9, "fresh": False, "minutes": 10, "trials": 30, "cell_seconds": 60, "limit": 5,
        "jobs": 1,
    }  # fmt: skip
    return SimpleNamespace(**{**defaults, **changed})


def cells(tmp_path, method):
    return json.loads(running.path_of(tmp_path, method).read_text())["problems"]


def go(tmp_path, methods=(COIN, SURE), problems=(NULL, OTHER), **changed):
    said = []
    done = running.run(list(methods), list(problems), options(tmp_path, **changed), said.append)
    return done, said


def test_every_cell_gets_its_trials(tmp_path):
    done, said = go(tmp_path)
    assert done
    assert [len(cells(tmp_path, method)[p.name]["pvalues"]) for method in (COIN, SURE) for p in (NULL, OTHER)] == [
        30
    ] * 4
    assert all(p <= 0.04 for p in cells(tmp_path, SURE)["other"]["pvalues"])
    assert said[:2] == [s for s in said if "of 10," in s][:2]  # first ten of everything
    assert not list(tmp_path.rglob("*.part"))


def test_a_stopped_run_goes_on_with_the_same_numbers(tmp_path):
    go(tmp_path / "whole")
    done, said = go(tmp_path / "parts", minutes=0)
    assert not done
    assert "goes on from here" in said[-1]
    go(tmp_path / "parts", trials=10)
    go(tmp_path / "parts", problems=[NULL])
    go(tmp_path / "parts")
    for problem in ("null", "other"):
        parts, whole = (cells(tmp_path / folder, COIN)[problem]["pvalues"] for folder in ("parts", "whole"))
        assert parts == whole
    assert go(tmp_path / "parts") == (True, [])


def test_workers_do_not_change_the_numbers(tmp_path):
    registered = next(method for method in METHODS if method.call is gcm.two_sample_test)
    problem = next(p for p in all_problems() if registered.applies(p))
    for jobs in (1, 2):
        go(tmp_path / str(jobs), [registered], [problem], trials=10, jobs=jobs)
    one, two = (cells(tmp_path / str(jobs), registered)[problem.name]["pvalues"] for jobs in (1, 2))
    assert one == two


def test_a_dear_cell_gets_fewer_trials(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "seconds_of", lambda cell: 1.0 if cell["seconds"] else None)
    go(tmp_path, cell_seconds=12)
    assert {len(cell["pvalues"]) for cell in cells(tmp_path, COIN).values()} == {12}


def test_a_method_that_fails_is_told_and_not_tried_again(tmp_path):
    broken = Method("broken", PAIRED, fails, OURS, "")
    go(tmp_path, [broken])
    cell = cells(tmp_path, broken)["null"]
    assert cell["error"] == "ArithmeticError: no such luck"
    assert cell["pvalues"] == [None] * 10


def test_a_call_over_the_limit_is_ended(tmp_path):
    def waits(data, resamples, rng):
        while True:
            np.zeros(1)

    record = running.one_trial(Method("slow", PAIRED, waits, OURS, ""), NULL, 0, 9, 1)
    assert record["error"] == "TimeoutError: over 1 s"


def test_what_changed_is_measured_again(tmp_path):
    go(tmp_path)
    again = Problem("null", PAIRED, True, lambda rng: draw(rng)._replace(Y1=np.ones(5)), "")
    _, said = go(tmp_path, [COIN], [again, OTHER])
    assert {line.split(":")[0] for line in said} == {"coin, null"}
    _, said = go(tmp_path, [COIN], resamples=19)
    assert any(line.startswith("coin, other") for line in said)
    _, said = go(tmp_path, [SURE], fresh=True)
    assert any(line.startswith("sure, other") for line in said)


def test_a_method_is_its_code_that_of_what_it_imports_and_its_keywords():
    codes = {call: len(running.code_of(Method("", TWO_SAMPLES, call, OURS, ""))) for call in (
        gcm.two_sample_test, drpt.two_sample_test, lee.linear_test
    )}  # fmt: skip
    assert codes == {gcm.two_sample_test: 2, drpt.two_sample_test: 2, lee.linear_test: 2}
    assert len({running.settings_of(method, 199) for method in METHODS}) == len(METHODS)


def test_committed_records_are_of_the_committed_methods():
    """The page in the repository was made from this code."""
    folder = running.METHODS.parent
    committed = [method for method in METHODS if running.path_of(folder, method).exists()]
    assert len(committed) > 30
    for method in committed:
        record = json.loads(running.path_of(folder, method).read_text())
        assert record["settings"] == running.settings_of(method, record["resamples"]), method.name


def test_names_are_of_one_file_each():
    files = [running.path_of(".", method) for method in METHODS]
    assert len(set(files)) == len(files)


# ---- packages -------------------------------------------------------------------------------------------------------


THEIRS = Method("theirs", PAIRED, Package("interactions", ("no-such-package==1",)), PACKAGE, "")


def test_a_package_that_cannot_be_had_is_listed_with_the_reason(tmp_path, monkeypatch):
    def shell(*command):
        failed = "install" in map(str, command)
        return SimpleNamespace(
            returncode=int(failed), stdout="", stderr="Looking at https://host/x\nERROR: no package\n"
        )

    monkeypatch.setattr(packages, "ENVIRONMENTS", tmp_path / "environments")
    monkeypatch.setattr(packages, "shell", shell)
    done, said = go(tmp_path, [THEIRS])
    record = json.loads(running.path_of(tmp_path, THEIRS).read_text())
    assert done
    assert record["missing"] == "ERROR: no package"
    assert said == ["theirs could not be had: ERROR: no package"]


def test_calls_of_a_package_come_from_its_process(monkeypatch):
    """The last one took too long: the process was ended by its alarm."""
    seen = {}

    def shell(python, script, source, target):
        with np.load(source) as stored:
            seen.update(stored)
        calls = [{"seconds": 0.5, "pvalue": 0.2, "error": None}]
        target.write_text(json.dumps({"versions": {"theirs": "1"}, "calls": calls}))
        return SimpleNamespace(returncode=-packages.signal.SIGALRM, stdout="", stderr="")

    monkeypatch.setattr(packages, "environment", lambda package: "python")
    monkeypatch.setattr(packages, "shell", shell)
    calls, versions = packages.run(THEIRS.call, {3: NULL.data(3), 4: NULL.data(4)}, 9, 5)
    np.testing.assert_array_equal(seen["Y13"], NULL.data(3).Y1)
    assert versions == {"theirs": "1"}
    assert [call["error"] for call in calls] == [None, "over 5 s"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nERROR: see https://some.host/simple/x\n", "ERROR: see ..."),
        ("9.9 Requires-Python >=3.13\nERROR: none", "9.9 Requires-Python >=3.13; ERROR: none"),
        ("", "no message"),
        ("File /home/a/b.py: broken", "File ... broken"),
    ],
)
def test_errors_are_told_without_addresses(text, expected):
    assert last_line(text) == expected


def test_a_script_reports_every_call(tmp_path):
    """A p-value, a decision, an error and a p-value that is none, by the seed."""
    script = tmp_path / "script.py"
    script.write_text(
        "from job import run\n"
        "ANSWERS = {0: 0.5, 1: 0.25, 2: True, 3: float('nan')}\n"
        "run(lambda X, Y, group, resamples, seed: ANSWERS[seed], 'numpy')\n"
    )
    group = np.repeat([1, 0], 4)
    arrays = {f"{part}{seed}": group[:, None] if part != "group" else group for seed in range(1, 5) for part in PARTS}
    np.savez(tmp_path / "in.npz", **arrays, seeds=[1, 2, 3, 4], resamples=9, limit=5)
    jobs = str(packages.HERE / "jobs")
    command = [sys.executable, str(script), str(tmp_path / "in.npz"), str(tmp_path / "out.json")]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": jobs})  # noqa: S603
    report = json.loads((tmp_path / "out.json").read_text())
    assert [call["pvalue"] for call in report["calls"]] == [0.25, 0.0, None, None]
    assert [call["error"] for call in report["calls"]] == [None, None, "p-value nan", "KeyError: 4"]
    assert report["versions"] == {"numpy": np.__version__}
