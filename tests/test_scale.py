"""Rows in blocks: dask's arrays and data frames, real clusters, and Parquet files read in parts."""

import json
import os
import signal
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dask.distributed import Client, LocalCluster
from pyarrow import parquet

from condmmd import cmmd, cmmd_test, mmd_test
from condmmd.backend import total
from condmmd.app.cli import main
from condmmd.embedding import embed
from condmmd.kernels import Delta, FromFunction
from condmmd.labels import Drawn, HalvingSampler
from condmmd.data import read_table

ONE_THREAD = {"scheduler": "synchronous"}


def data(n, d, seed=0):
    """Rows in no order."""
    rng = np.random.default_rng(seed)
    t = rng.permutation(np.repeat([1, 0], n))
    X = rng.normal(size=(2 * n, d)) + 0.3 * t[:, None]
    return X, np.sin(2 * X[:, 0]) + 0.15 * t * X[:, 0] + 0.5 * rng.normal(size=2 * n), t


def test_one_bad_row_of_many_is_seen():
    """A kernel that is negative at one row is refused, though of a block only three numbers are looked at."""
    X = np.ones((12_000, 1))
    X[7777] = 0.5
    (rows,) = in_blocks(X, rows=5000)
    with pytest.raises(ValueError, match=r"k\(x, x\) = -0.25"):
        embed(FromFunction(lambda A, B: A @ B.T - 0.5), rows, tol=1e-6, max_rank=5)


def in_blocks(*arrays, rows):
    return tuple(da.from_array(a, chunks=(rows, *a.shape[1:])) for a in arrays)


SETTINGS = {
    "default": {},
    "equal marginals": {"propensity": None},
    "joint": {"propensity": None, "estimator": "joint"},
    "orthogonal": {"estimator": "orthogonal"},
    "doubly robust": {"estimator": "doubly_robust"},
    "independent labels": {"scheme": "bernoulli"},
    "a mixture": {"mixture": 0.3},
    "leave-one-out": {"reg": "loo"},
    "not residualised": {"residualize": False},
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_blocks_change_nothing(setting):
    X, y, t = data(150, 2)
    here = cmmd_test(X, y, t, rng=1, n_resamples=39, **SETTINGS[setting])
    with dask.config.set(ONE_THREAD):
        for rows in (300, 101):
            there = cmmd_test(*in_blocks(X, y, t, rows=rows), rng=1, n_resamples=39, **SETTINGS[setting])
            np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-8, atol=1e-9)
            assert there.pvalue == here.pvalue


@pytest.mark.parametrize("options", [{}, {"propensity": None}], ids=str)
def test_many_rows_in_blocks_of_any_size(options):
    """Labels made block by block and pivots of a sample; a block of one row, and one block more than a branch has."""
    X, y, t = data(5500, 1)
    here = cmmd_test(X, y, t, rng=1, n_resamples=19, **options)
    for rows in (10_999, 1223):
        there = cmmd_test(*in_blocks(X, y, t, rows=rows), rng=1, n_resamples=19, **options)
        np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-8, atol=1e-9)
        assert there.pvalue == here.pvalue
        assert there.propensity_summary["model"] == here.propensity_summary["model"]


def test_null_labels_of_blocks_are_those_of_the_whole():
    log_odds = np.random.default_rng(0).normal(size=10_001)
    whole = HalvingSampler.of(log_odds, 4000).draw(5, np.random.default_rng(3))
    drawn = HalvingSampler.of(da.from_array(log_odds, chunks=3000), 4000).draw(5, np.random.default_rng(3))
    assert isinstance(drawn, Drawn)
    blocks = [drawn.make(*(row.blocks[k].compute() for row in drawn.rows)) for k in range(drawn.rows[0].numblocks[0])]
    np.testing.assert_array_equal(np.concatenate(blocks, axis=1), whole)


def test_rows_that_alternate_are_shuffled_or_refused():
    """Every other row sure of its label: halves of the rows as they come would hardly ever fit together."""
    log_odds = np.where(np.arange(20_000) % 2, 30.0 * (-1.0) ** (np.arange(20_000) // 2), 0.0)
    sampler = HalvingSampler.of(log_odds, 10_000)
    assert sampler.order is not None
    draws = sampler.draw(3, np.random.default_rng(0))
    assert np.all(draws.sum(axis=1) == 10_000)
    np.testing.assert_array_equal(draws[:, 1::2], np.tile(log_odds[1::2] > 0, (3, 1)))
    with pytest.raises(ValueError, match="shuffle the rows"):
        HalvingSampler.of(da.from_array(log_odds, chunks=5000), 10_000)


def test_sums_over_many_blocks():
    """Numbers of blocks at which a tree of sums has a last branch of one."""
    for blocks in (1, 2, 8, 9, 65):
        rows = da.arange(blocks, chunks=1)
        assert float(total(rows)) == blocks * (blocks - 1) / 2


@pytest.fixture
def table():
    X, y, t = data(400, 1, seed=2)
    frame = pd.DataFrame({"age": X[:, 0], "town": np.where(X[:, 0] + y > 0, "Bonn", "Ulm"), "pay": y, "wave": t})
    frame["wave"] = np.where(frame["wave"] == 1, "new", "old")
    return frame


def test_data_frames(table):
    """Categories that some partitions lack, an empty partition, a series as outcome, labels of text."""
    table = table.sort_values("town").reset_index(drop=True)
    parts = [table.iloc[:300], table.iloc[:0], table.iloc[300:]]
    lazy = dd.from_delayed([dask.delayed(part) for part in parts], meta=table.iloc[:0])
    here = cmmd_test(table[["age", "town"]], table["pay"], table["wave"], rng=1, n_resamples=39)
    there = cmmd_test(lazy[["age", "town"]], lazy["pay"], lazy["wave"], rng=1, n_resamples=39)
    np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-8, atol=1e-9)
    assert there.labels == here.labels == ("old", "new")
    assert there.question() == here.question()
    measured = [cmmd(f[["age", "town"]], f["pay"], f["wave"]).level([0, 1, 2]) for f in (table, lazy)]
    np.testing.assert_allclose(measured[1], measured[0], rtol=1e-8)
    moved = [mmd_test(f[["age"]], f["wave"], rng=0, n_resamples=39).pvalue for f in (table, lazy)]
    assert moved[0] == moved[1]
    assert there.where().pvalue == here.where().pvalue  # on all rows, as they are few
    np.testing.assert_allclose(there.where().profile().size, here.where().profile().size, rtol=1e-6)
    read = read_table(lazy[["town"]], "X")
    assert read.columns[0].categories == ("Bonn", "Ulm")
    assert Delta().feature_map(read.values).size == 2


def test_further_questions_are_asked_of_a_sample(monkeypatch):
    monkeypatch.setattr("condmmd.inference.further.EVIDENCE_ROWS", 200)
    X, y, t = data(300, 1)
    result = cmmd_test(*in_blocks(X, y, t, rows=250), rng=1, n_resamples=39)
    assert len(result.evidence.samples.groups.t) == 200
    assert np.isfinite(result.where().pvalue)
    assert result.marginal()["X"].n_obs == (300, 300)  # that one is asked of all


def test_what_needs_all_rows_is_refused(table):
    from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: PLC0415

    X, y, t = in_blocks(*data(50, 1), rows=30)
    for options, name in (
        ({"blocks": np.arange(100)}, "blocks"),
        ({"trim": 0.1}, "trim"),
        ({"propensity": LogisticRegression()}, "propensity"),
        ({"residualize": LinearRegression()}, "residualize"),
        ({"estimator": "doubly_robust", "outcome_fit": 2}, "outcome_fit"),
        ({"null": "gamma", "estimator": "orthogonal"}, "null"),
    ):
        with pytest.raises(TypeError, match=rf"`.*{name}.*`: this needs all rows in memory"):
            cmmd_test(X, y, t, **options)
    with pytest.raises(ValueError, match="solver='dual' needs the full Gram matrix"):
        cmmd(X, y, t, solver="dual")
    bad = table.astype({"pay": float})
    bad.loc[7, "pay"] = np.nan
    lazy = dd.from_pandas(bad, npartitions=3)
    with pytest.raises(ValueError, match="`Y`"):
        cmmd_test(lazy[["age"]], lazy["pay"], lazy["wave"])


def test_clusters_of_any_size_and_a_worker_that_dies():
    """1, 2 and 4 processes, and 2 of which one is killed in the middle: the numbers of a run in memory."""
    X, y, t = data(6000, 1)
    here = cmmd_test(X, y, t, rng=1, n_resamples=39)

    def run():
        there = cmmd_test(*in_blocks(X, y, t, rows=3000), rng=1, n_resamples=39)
        np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-8, atol=1e-9)
        assert there.pvalue == here.pvalue

    for workers in (1, 2, 4):
        settings = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with LocalCluster(**settings, silence_logs=50) as cluster, Client(cluster):
            run()
            if workers == 2:
                victim = next(iter(cluster.workers.values())).pid
                killer = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
                killer.start()
                start = time.perf_counter()
                run()
                killer.join()
                assert time.perf_counter() - start > 1.0  # it died while the test ran
                pids = {worker.pid for worker in cluster.workers.values()}
                assert victim not in pids


def write(path, table, rows=150):
    parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), path, row_group_size=rows)
    return str(path)


def answer(capsys, *arguments):
    status = main([*arguments, "--json", "--quiet", "--resamples", "39"])
    out = capsys.readouterr()
    assert status == 0, out.err
    return json.loads(out.out)


def test_a_file_in_parts(tmp_path, table, capsys, monkeypatch):
    """The same answer as from the file read at once: groups told, two files, missing values; and by its size alone."""
    table["wave"] = np.where(np.arange(len(table)) % 9 == 0, "other", table["wave"])
    table.loc[5, "age"] = None
    path = write(tmp_path / "all.parquet", table)
    roles = ["--outcome", "pay", "--covariates", "age", "town"]
    grouped = [*roles, "--group", "wave", "--groups", "new", "old", "--drop-missing"]
    for arguments in (
        ["test", path, *grouped],
        [
            "test",
            write(tmp_path / "a.parquet", table[:300].dropna()),
            write(tmp_path / "b.parquet", table[300:]),
            *roles,
        ],
    ):
        whole, parts = answer(capsys, *arguments), answer(capsys, *arguments, "--stream")
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
    assert any("read in parts" in note for note in answer(capsys, "test", path, *grouped)["notes"])


def test_parts_are_checked_like_files(tmp_path, table, capsys):
    path = write(tmp_path / "all.parquet", table)
    for arguments, told in (
        (["--outcome", "pay", "--group", "nothing"], "has no column 'nothing'"),
        (["--outcome", "wage", "--group", "wave"], "has no column 'wage'"),
        (["--outcome", "pay", "--group", "town", "--groups", "Bonn", "Rome"], "two different values of 'town'"),
    ):
        assert main(["test", path, *arguments, "--stream"]) == 2
        assert told in capsys.readouterr().err
    text = tmp_path / "a.csv"
    table.to_csv(text)
    assert main(["test", str(text), "--outcome", "pay", "--group", "wave", "--stream"]) == 2
    assert "--stream needs Parquet" in capsys.readouterr().err
