"""From the arguments to two samples."""

import numpy as np
import pytest

from condmmd import cmmd_test
from condmmd.app.cli.parser import make_parser
from condmmd.app.cli.reading import MAX_SHOWN, describe_job, read_job
from tests.app.command_line import FAST, ROLES, answer, run


def job_of(*arguments):
    return read_job(make_parser().parse_args(["test", *map(str, arguments)]))


def test_two_files(table, tmp_path, capsys):
    for name, value in (("after", 1), ("before", 0)):
        table[table.treated == value].drop(columns="treated").to_csv(tmp_path / f"{name}.csv", index=False)
    one = answer(capsys, tmp_path / "after.csv", tmp_path / "before.csv", "--outcome", "y")
    assert one["labels"] == {"P": "after", "Q": "before"}
    assert one["n_obs"] == {"P": 80, "Q": 80}
    assert run("test", tmp_path / "after.csv", tmp_path / "before.csv", *ROLES) == 2


def test_groups(table, tmp_path, capsys):
    path = tmp_path / "t.csv"
    table.drop(columns="treated").to_csv(path, index=False)
    assert run("test", path, "--outcome", "y", "--group", "town") == 2
    assert "it has 3: 'a', 'b', 'c'. Name the two to compare: --groups P Q." in capsys.readouterr().err
    found = answer(capsys, path, "--outcome", "y", "--group", "town", "--groups", "c", "a")
    assert found["labels"] == {"P": "town = c", "Q": "town = a"}
    assert run("test", path, "--outcome", "y", "--group", "town", "--groups", "c", "z") == 2


def test_missing_values(table, tmp_path, capsys):
    path = tmp_path / "t.csv"
    table.assign(age=table.age.where(table.age > 22)).to_csv(path, index=False)
    gone = int((table.age <= 22).sum())
    assert gone
    assert run("test", path, *ROLES, *FAST) == 2
    assert f"{gone} of 160 rows have missing values (age {gone})" in capsys.readouterr().err
    found = answer(capsys, path, *ROLES, "--drop-missing")
    assert sum(found["n_obs"].values()) == 160 - gone
    assert f"{gone} rows with missing values were left out" in found["notes"]


def test_roles_of_the_columns(table, file):
    job = job_of(file, *ROLES)
    assert job.covariates == ["age", "town", "zip"]
    assert job.outcomes == ["y"]
    np.testing.assert_array_equal(job.group.t, table.treated)
    assert (job.group.p_label, job.group.q_label) == ("treated = 1", "treated = 0")
    some = job_of(file, *ROLES, "--covariates", "town", "--categorical", "zip")
    assert some.X.column_names == ["town"]
    with pytest.raises(ValueError, match="no column left to condition on"):
        job_of(file, "--outcome", "y", "age", "town", "zip", "--group", "treated")


def test_two_files_of_one_name(table, tmp_path):
    """Then their folders tell them apart."""
    paths = []
    for folder, value in (("after", 1), ("before", 0)):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "t.csv")
        table[table.treated == value].to_csv(paths[-1], index=False)
    job = job_of(*paths, "--outcome", "y", "--covariates", "age")
    assert (job.group.p_label, job.group.q_label) == tuple(map(str, paths))
    np.testing.assert_array_equal(job.group.t, np.repeat([1.0, 0.0], 80))
    with pytest.raises(ValueError, match="standard input can be read once"):
        job_of("-", "-", "--outcome", "y")


def test_what_was_read_is_told(table, tmp_path):
    path = tmp_path / "wide.csv"
    wide = table.assign(**{f"c{k}": table.age + k for k in range(MAX_SHOWN + 3)})
    wide.to_csv(path, index=False)
    lines = describe_job(job_of(path, *ROLES))
    assert lines[0] == "P: treated = 1, 80 rows; Q: treated = 0, 80 rows"
    assert "  outcome    y: number" in lines
    assert lines[-1] == "  covariate  ... and 6 more"


def test_all_columns_but_some(table, file):
    job = job_of(file, *ROLES, "--exclude", "zip", "--exclude", "y")
    assert job.covariates == ["age", "town"]
    with pytest.raises(ValueError, match=r"no column 'ages'; did you mean 'age'\?"):
        job_of(file, *ROLES, "--exclude", "ages")
    with pytest.raises(ValueError, match="give one of the two"):
        job_of(file, *ROLES, "--covariates", "age", "--exclude", "zip")
    with pytest.raises(ValueError, match="no column left to condition on"):
        job_of(file, *ROLES, "--exclude", "zip", "age", "town")


def test_blocks(table, tmp_path, capsys):
    path = tmp_path / "t.csv"
    subjects = np.arange(160) // 4
    table.assign(subject=subjects).to_csv(path, index=False)
    job = job_of(path, *ROLES, "--blocks", "subject")
    assert job.covariates == ["age", "town", "zip"]
    assert job.blocks.tolist() == [str(k) for k in subjects]
    assert "  blocks     subject: 40 of them, each with one label" in describe_job(job)
    X = table[["age", "town", "zip"]].astype({"age": float, "zip": float})
    expected = cmmd_test(X, table[["y"]], table.treated, blocks=subjects, n_resamples=99, rng=0)
    assert answer(capsys, path, *ROLES, "--blocks", "subject")["pvalue"] == expected.pvalue
    with pytest.raises(ValueError, match="'treated' can have one role only"):
        job_of(path, *ROLES, "--blocks", "treated")
    assert run("test", path, *ROLES, *FAST, "--blocks", "subject", "--trim", "0.1") == 2
    assert "--trim and --blocks cannot be used together" in capsys.readouterr().err


def test_blocks_of_two_files_and_missing_ones(table, tmp_path):
    paths = []
    for name, value in (("after", 1), ("before", 0)):
        paths.append(tmp_path / f"{name}.csv")
        own = table[table.treated == value].drop(columns="treated")
        own.assign(subject=[f"{name}{k // 2}" for k in range(len(own))]).to_csv(paths[-1], index=False)
    job = job_of(*paths, "--outcome", "y", "--blocks", "subject")
    assert len(set(job.blocks)) == 80
    assert job.covariates == ["age", "town", "zip"]
    lines = paths[0].read_text().splitlines()
    paths[0].write_text("\n".join([lines[0], lines[1].rsplit(",", 1)[0] + ",", *lines[2:]]) + "\n")
    with pytest.raises(ValueError, match=r"1 of 160 rows have missing values \(subject 1\)"):
        job_of(*paths, "--outcome", "y", "--blocks", "subject")


def test_groups_are_called_what_the_user_calls_them(table, file, tmp_path, capsys):
    named = answer(capsys, file, *ROLES, "--names", "smokers", " non-smokers")
    assert named["labels"] == {"P": "smokers", "Q": "non-smokers"}
    assert "between smokers and non-smokers" in named["verdict"]
    assert "--names smokers ' non-smokers'" in named["repeat"]
    for pair in (("a", "a"), ("a", " ")):
        assert run("test", tmp_path / "none.csv", *ROLES, "--names", *pair) == 2
        assert "--names must be two different names" in capsys.readouterr().err
