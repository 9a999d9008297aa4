"""Parquet files read in parts give the answer of the file read at once."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from condmmd.app import streaming
from condmmd.app.streaming import group_values, open_streams, stream
from condmmd.backend import to_host
from condmmd.data import read_table
from tests.app.command_line import run
from tests.test_scale import data


@pytest.fixture
def people():
    X, y, t = data(400, 1, seed=2)
    frame = pd.DataFrame({"age": X[:, 0], "town": np.where(X[:, 0] + y > 0, "Bonn", "Ulm"), "pay": y, "wave": t})
    frame["wave"] = np.where(frame["wave"] == 1, "new", "old")
    return frame


def streamed(capsys, *arguments):
    assert run(*arguments, "--json", "--quiet", "--resamples", "39") == 0
    return json.loads(capsys.readouterr().out)


def write(path, table, rows=150):
    parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), path, row_group_size=rows)
    return str(path)


def test_a_file_in_parts(tmp_path, people, capsys, monkeypatch):
    """The same answer as from the file read at once: groups told, two files, missing values; and by its size alone."""
    people["wave"] = np.where(np.arange(len(people)) % 9 == 0, "other", people["wave"])
    people.loc[5, "age"] = None
    path = write(tmp_path / "all.parquet", people)
    roles = ["--outcome", "pay", "--covariates", "age", "town"]
    grouped = [*roles, "--group", "wave", "--groups", "new", "old", "--drop-missing"]
    for arguments in (
        ["test", path, *grouped],
        [
            "test",
            write(tmp_path / "a.parquet", people[:300].dropna()),
            write(tmp_path / "b.parquet", people[300:]),
            *roles,
        ],
    ):
        whole, parts = streamed(capsys, *arguments), streamed(capsys, *arguments, "--stream")
        assert parts["pvalue"] == whole["pvalue"]
        assert parts["n_obs"] == whole["n_obs"]
        assert parts["labels"] == whole["labels"]
        assert parts["where"]["pvalue"] == whole["where"]["pvalue"]
        assert [r["condition"] for r in parts["where"]["regions"]] == [
            r["condition"] for r in whole["where"]["regions"]
        ]
        assert any("read in parts" in note for note in parts["notes"])
        assert not any("read in parts" in note for note in whole["notes"])
    monkeypatch.setattr("condmmd.app.streaming.STREAM_BYTES", 1)
    assert any("read in parts" in note for note in streamed(capsys, "test", path, *grouped)["notes"])


def test_parts_are_checked_like_files(tmp_path, people, capsys):
    path = write(tmp_path / "all.parquet", people)
    for arguments, told in (
        (["--outcome", "pay", "--group", "nothing"], "has no column 'nothing'"),
        (["--outcome", "wage", "--group", "wave"], "has no column 'wage'"),
        (["--outcome", "pay", "--group", "town", "--groups", "Bonn", "Rome"], "two different values of 'town'"),
    ):
        assert run("test", path, *arguments, "--stream") == 2
        assert told in capsys.readouterr().err
    text = tmp_path / "a.csv"
    people.to_csv(text)
    assert run("test", text, "--outcome", "pay", "--group", "wave", "--stream") == 2
    assert "--stream needs Parquet" in capsys.readouterr().err


def test_parts_of_a_file(tmp_path, people):
    """Rows, labels and what was left out; files that are small, or no Parquet, are not streamed."""
    path = write(tmp_path / "all.parquet", people)
    assert open_streams([path]) is None
    (source,) = open_streams([path], always=True)
    assert source.rows == 800
    assert len(source.parts) == 6
    assert group_values(source, "town") == ["Bonn", "Ulm"]
    found = stream([source], ["age"], ["pay"], ("wave", "new", "old"), ("new", "old"))
    np.testing.assert_array_equal(to_host(read_table(found.X, "X").values)[:, 0], people["age"])
    np.testing.assert_array_equal(to_host(found.groups.t), people["wave"] == "new")
    assert found.left_out == 0
    assert found.types == {"age": "number", "pay": "number", "wave": "group"}
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(streaming.PARQUET + b"and then nothing")
    assert open_streams([str(broken)]) is None
    assert open_streams(["-"]) is None
