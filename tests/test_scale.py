"""Rows in chunks: dask's arrays and data frames, and real clusters."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster

from condmmd import CMMD, Asymptotic, DoublyRobust, Resampling, cmmd, cmmd_test, mmd_test
from condmmd.data import read_table
from condmmd.kernels import Delta

ONE_THREAD = {"scheduler": "synchronous"}


def data(n, d, seed=0):
    """Rows in no order."""
    rng = np.random.default_rng(seed)
    t = rng.permutation(np.repeat([1, 0], n))
    X = rng.normal(size=(2 * n, d)) + 0.3 * t[:, None]
    return X, np.sin(2 * X[:, 0]) + 0.15 * t * X[:, 0] + 0.5 * rng.normal(size=2 * n), t


def in_chunks(*arrays, rows):
    return tuple(da.from_array(a, chunks=(rows, *a.shape[1:])) for a in arrays)


SETTINGS = {
    "default": {},
    "equal marginals": {"propensity": None},
    "joint": {"propensity": None, "statistic": CMMD(estimator="joint")},
    "orthogonal": {"statistic": CMMD(estimator="orthogonal")},
    "doubly robust": {"statistic": CMMD(estimator="doubly_robust")},
    "independent labels": {"null": Resampling("bernoulli")},
    "a mixture": {"statistic": CMMD(mixture=0.3)},
    "leave-one-out": {"statistic": CMMD(reg="loo")},
    "not residualised": {"residualize": False},
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_chunks_change_nothing(setting):
    X, y, t = data(150, 2)
    here = cmmd_test(X, y, t, rng=1, n_resamples=39, **SETTINGS[setting])
    with dask.config.set(ONE_THREAD):
        for rows in (300, 101):
            there = cmmd_test(*in_chunks(X, y, t, rows=rows), rng=1, n_resamples=39, **SETTINGS[setting])
            np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-8, atol=1e-9)
            assert there.pvalue == here.pvalue


@pytest.mark.parametrize("options", [{}, {"propensity": None}], ids=str)
def test_many_rows_in_chunks_of_any_size(options):
    """Labels made chunk by chunk and pivots of a sample; a chunk of one row, and one chunk more than a branch has."""
    X, y, t = data(5500, 1)
    here = cmmd_test(X, y, t, rng=1, n_resamples=19, **options)
    for rows in (10_999, 1223):
        there = cmmd_test(*in_chunks(X, y, t, rows=rows), rng=1, n_resamples=19, **options)
        np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-8, atol=1e-9)
        assert there.pvalue == here.pvalue
        assert there.propensity_summary["model"] == here.propensity_summary["model"]


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
    monkeypatch.setattr("condmmd.explain.evidence.EVIDENCE_ROWS", 200)
    X, y, t = data(300, 1)
    result = cmmd_test(*in_chunks(X, y, t, rows=250), rng=1, n_resamples=39)
    assert len(result.evidence.samples.groups.t) == 200
    assert np.isfinite(result.where().pvalue)
    assert result.marginal()["X"].n_obs == (300, 300)  # that one is asked of all


def test_what_needs_all_rows_is_refused(table):
    from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: PLC0415

    X, y, t = in_chunks(*data(50, 1), rows=30)
    for options, name in (
        ({"blocks": np.arange(100)}, "blocks"),
        ({"trim": 0.1}, "trim"),
        ({"propensity": LogisticRegression()}, "propensity"),
        ({"residualize": LinearRegression()}, "residualize"),
        ({"statistic": CMMD(estimator=DoublyRobust(folds=2))}, "estimator"),
    ):
        with pytest.raises(TypeError, match=rf"`.*{name}.*`: this needs all rows in memory"):
            cmmd_test(X, y, t, **options)
    with pytest.raises(ValueError, match="solver='dual' needs the full Gram matrix"):
        cmmd(X, y, t, statistic=CMMD(solver="dual"))
    bad = table.astype({"pay": float})
    bad.loc[7, "pay"] = np.nan
    lazy = dd.from_pandas(bad, npartitions=3)
    with pytest.raises(ValueError, match="`Y`"):
        cmmd_test(lazy[["age"]], lazy["pay"], lazy["wave"])


def test_the_asymptotic_law_needs_all_rows():
    """Its weights are the eigenvalues of a matrix over rows, or over features that are held."""
    X, y, t = in_chunks(*data(50, 1), rows=30)
    with pytest.raises(TypeError, match=r"`.*null.*`: this needs all rows in memory"):
        cmmd_test(X, y, t, null=Asymptotic(), statistic=CMMD(estimator="overlap"))


def test_clusters_of_any_size_and_a_worker_that_dies():
    """1, 2 and 4 processes, and 2 of which one is killed in the middle: the numbers of a run in memory."""
    X, y, t = data(6000, 1)
    here = cmmd_test(X, y, t, rng=1, n_resamples=39)

    def run():
        there = cmmd_test(*in_chunks(X, y, t, rows=3000), rng=1, n_resamples=39)
        np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-8, atol=1e-9)
        assert there.pvalue == here.pvalue

    for workers in (1, 2, 4):
        settings = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
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
