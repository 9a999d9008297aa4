"""A cluster without workers is not waited for forever."""

import threading
import time

import dask
import dask.array as da
import distributed
import numpy as np
import pytest
from dask.distributed import Client, LocalCluster

from condmmd import mmd_test
from condmmd.backend.clusters import compute_parts

SETTINGS = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}  # any port that is free


def test_whatever_computes():
    parts = [da.arange(6, chunks=2).sum(), da.ones(3, chunks=1) * 2]
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            total, twos = compute_parts(parts)
        assert total == 15
        np.testing.assert_array_equal(twos, [2, 2, 2])
    with LocalCluster(n_workers=1, processes=False, **SETTINGS) as cluster, Client(cluster):
        total, twos = compute_parts(parts)
        np.testing.assert_array_equal(twos, [2, 2, 2])
        with pytest.raises(ZeroDivisionError):
            compute_parts([dask.delayed(lambda: 1 / 0)()])


def test_no_worker_ever_comes():
    with LocalCluster(n_workers=0, processes=False, **SETTINGS) as cluster, Client(cluster):
        start = time.perf_counter()
        with (
            dask.config.set({"condmmd.no-workers-timeout": "300ms"}),
            pytest.raises(
                TimeoutError, match=r"has had no workers for 0\.3 seconds, so nothing can be computed. Start"
            ),
        ):
            compute_parts([da.arange(6, chunks=2).sum()])
        assert time.perf_counter() - start < 20
        cluster.scale(1)  # one that is late, but comes
        assert compute_parts([da.arange(6, chunks=2).sum()]) == [15]


@pytest.mark.filterwarnings("ignore")
def test_all_workers_go():
    """In the middle of a test, and nobody starts them again."""
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(400, 2)), np.repeat([1, 0], 200)
    chunks = da.from_array(X, chunks=(100, 2)), da.from_array(t, chunks=100)
    with LocalCluster(n_workers=2, processes=False, **SETTINGS) as cluster, Client(cluster):
        leaving = threading.Timer(0.2, cluster.scale, (0,))
        leaving.start()
        with (
            dask.config.set({"condmmd.no-workers-timeout": 1}),
            pytest.raises(TimeoutError, match="no workers for 1 s"),
        ):
            [mmd_test(*chunks, n_resamples=19, rng=0) for _ in range(200)]
        leaving.join()


@pytest.mark.filterwarnings("ignore")
def test_workers_go_with_the_results_that_were_done(monkeypatch):
    with LocalCluster(n_workers=1, processes=False, **SETTINGS) as cluster, Client(cluster) as client:
        done = distributed.wait

        def then_they_go(futures, timeout):
            done(futures, timeout=timeout)
            cluster.scale(0)
            while client.nthreads():
                time.sleep(0.02)

        monkeypatch.setattr("distributed.wait", then_they_go)
        with (
            dask.config.set({"condmmd.no-workers-timeout": "500ms"}),
            pytest.raises(TimeoutError, match="no workers for"),
        ):
            compute_parts([da.arange(6, chunks=2).sum()])
