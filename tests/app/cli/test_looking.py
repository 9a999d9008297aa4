"""``condmmd look``: what it finds in a table made of troubles, and that its command runs."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from tests.app.cli.test_answers import schema_of
from tests.app.command_line import FAST, ROLES, run
from tests.app.schema_check import faults


@pytest.fixture(scope="module")
def messy():
    rng = np.random.default_rng(1)
    n = 240
    data = pd.DataFrame({
        "seqn": np.sort(rng.choice(9000, n, replace=False)), "age": rng.integers(20, 80, n),
        "sex": rng.choice(["m", "f"], n), "school": rng.integers(1, 6, n).astype(float),
        "wt71": rng.normal(70, 12, n).round(2), "country": "US", "void": np.nan,
        "note": [f"text {rng.integers(10**9)}" for _ in range(n)], "quit": rng.integers(2, size=n),
    })  # fmt: skip
    data["wt82"] = (data.wt71 + rng.normal(2, 5, n)).round(2)
    data["wt82_71"] = data.wt82 - data.wt71
    data.loc[rng.random(n) < 0.1, "school"] = np.nan
    data.loc[rng.random(n) < 0.05, "wt71"] = np.nan
    return data


def seen(capsys, *arguments):
    assert run("look", *arguments, "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    assert list(faults(found, schema_of("look"))) == []
    return found


def written(data, path):
    data.to_csv(path, index=False)
    return path


def test_all_troubles(messy, tmp_path, capsys):
    path = written(messy, tmp_path / "t.csv")
    found = seen(capsys, path, "--outcome", "wt82_71", "--group", "quit")
    left_out = {one["name"]: one["left_out"] for one in found["columns"] if one["left_out"]}
    assert left_out == {
        "seqn": "identifier", "country": "constant", "void": "empty", "note": "identifier or text",
        "wt82": "wt82_71 was computed from it",
    }  # fmt: skip
    assert set(found["derived"][0]["covariates"]) == {"wt82", "wt71"}
    assert found["derived"][0]["exact"]
    lacks = messy[["school", "wt71"]].isna()
    assert found["lost"]["rows"] == int(lacks.any(axis=1).sum())
    for name, other in (("school", "wt71"), ("wt71", "school")):
        alone = int((lacks[name] & ~lacks[other]).sum())
        assert found["lost"]["by"][name] == {"missing": int(lacks[name].sum()), "alone": alone}
    kept = messy[~lacks.any(axis=1)]
    assert found["n_obs"] == {"P": int(kept.quit.sum()), "Q": int((1 - kept.quit).sum())}
    assert 0 < found["overlap"]["effective_rows"] <= len(kept)
    assert "pvalue" not in json.dumps(found)


@pytest.mark.parametrize("roles", [(), ("--outcome", "wt82_71"), ("--outcome", "wt82_71", "--group", "sex")])
def test_the_command_runs(messy, tmp_path, capsys, roles):
    command = seen(capsys, written(messy, tmp_path / "a table.csv"), *roles)["command"]
    program, *arguments = shlex.split(command)
    assert program == "condmmd"
    assert run(*arguments, *FAST, "--json", "--quiet") == 0
    told = json.loads(capsys.readouterr().out)
    assert "seqn" not in told["columns"]


def test_text(messy, tmp_path, capsys):
    path = written(messy, tmp_path / "t.csv")
    assert run("look", path) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{path}: 240 rows, 11 columns\n")
    assert "group?" in out
    assert "Other columns of two values: quit." in out
    assert "would be lost: school " in out
    assert "A comparison is worth that of" in out
    assert out.rstrip().splitlines()[-1].startswith("  condmmd test ")
    assert "Try (group and outcome guessed):" in out
    assert max(map(len, out.splitlines()[:-1])) < 140


def test_units_of_several_rows_are_blocks(table, tmp_path, capsys):
    subjects = table.assign(subject_id=[f"s{k // 4}" for k in range(160)])
    found = seen(capsys, written(subjects, tmp_path / "t.csv"), *ROLES)
    assert "--blocks subject_id" in found["command"]
    assert run(*shlex.split(found["command"])[1:], *FAST, "--quiet") == 0
    crossed = table.assign(subject_id=[f"s{k % 40}" for k in range(160)])
    capsys.readouterr()
    path = written(crossed, tmp_path / "u.csv")
    assert "--exclude subject_id" in seen(capsys, path, *ROLES)["command"]
    assert (
        "--blocks: 40 block(s) have rows of both groups"
        in seen(capsys, path, *ROLES, "--blocks", "subject_id")["problem"]
    )


def test_two_files(table, tmp_path, capsys):
    paths = [
        written(table[table.treated == value].assign(**extra), tmp_path / f"{name}.csv")
        for name, value, extra in (("after", 1, {"new": 1.0}), ("before", 0, {}))
    ]
    found = seen(capsys, *paths, "--outcome", "y")
    assert found["labels"] == {"P": "after", "Q": "before"}
    left_out = {one["name"]: one["left_out"] for one in found["columns"]}
    assert left_out["new"] == "in the first file only"
    assert "tells the groups apart" in left_out["treated"]  # it is another number in each file
    assert run(*shlex.split(found["command"])[1:], *FAST, "--quiet") == 0
    assert run("look", *paths, *ROLES) == 2


def test_little_overlap_is_told_with_its_remedy(table, tmp_path, capsys):
    moved = table.assign(age=table.age + 30 * table.treated)
    path = written(moved, tmp_path / "t.csv")
    assert run("look", path, *ROLES) == 0
    out = capsys.readouterr().out
    assert "WARNING" in out
    assert "--trim 0.05" in " ".join(out.split())
    assert seen(capsys, path, *ROLES)["overlap"]["separating"][0]["covariate"] == "age"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x,y\n" + "".join(f"{k / 7},{k * k / 3}\n" for k in range(40)), "no column has two values"),
        ("g,y\n" + "".join(f"{k % 2},{k * k / 3}\n" for k in range(40)), "no column is left to condition on"),
        ("g,x,y\n1,1.5,2.5\n0,2.5,3.5\n1,1.5,4.5\n", "at least 2 are needed"),
    ],
)
def test_no_test_can_be_made(text, problem, tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text(text)
    found = seen(capsys, path)
    assert problem in found["problem"]
    assert found["command"] is None
    assert run("look", path) == 0
    assert "a test would be refused: " in capsys.readouterr().out


def test_refused(file, tmp_path, capsys):
    assert run("look", file, "--outcome", "ages") == 2
    assert "did you mean 'age'?" in capsys.readouterr().err
    (tmp_path / "t.csv").write_text("a,b\n")
    assert run("look", tmp_path / "t.csv") == 2
    assert "no rows" in capsys.readouterr().err
    assert run("look", file, "--max-columns", "2") == 2
