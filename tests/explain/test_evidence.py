"""What a test looked at, in memory: all rows, or some of those in chunks."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pytest

from condmmd import CMMD, Resampling, cmmd_test
from tests.doors.samples import GROUP, OTHER, E, N, X


@pytest.mark.parametrize(
    "place", [np.asarray, strict.asarray, lambda a: da.from_array(a, chunks=50)], ids=["NumPy", "device", "dask"]
)
def test_everything_is_in_memory(place):
    here = cmmd_test(X, OTHER, GROUP, n_resamples=19, rng=0).evidence
    there = cmmd_test(place(X), place(OTHER), place(GROUP), n_resamples=19, rng=0).evidence
    np.testing.assert_array_equal(there.samples.x.values, X[:, None])
    np.testing.assert_array_equal(there.t, GROUP)
    np.testing.assert_allclose(there.e, here.e, rtol=1e-6)
    np.testing.assert_allclose(np.abs(there.x.phi), np.abs(here.x.phi), atol=1e-5)
    assert isinstance(there.y.phi, np.ndarray)
    assert isinstance(there.pooled.fitted, np.ndarray)
    assert there.x.gram is None


def test_some_rows_of_chunks(monkeypatch):
    monkeypatch.setattr("condmmd.explain.evidence.EVIDENCE_ROWS", 60)
    chunked = [da.from_array(a, chunks=50) for a in (X, OTHER, GROUP)]
    evidence = cmmd_test(*chunked, n_resamples=19, rng=0).evidence
    assert len(evidence.t) == len(evidence.e) == len(evidence.x.phi) == len(evidence.y.phi) == 60
    smoother = evidence.pooled.features * evidence.pooled.shrink @ evidence.pooled.features.T
    whole = cmmd_test(X, OTHER, GROUP, n_resamples=19, rng=0).evidence.pooled
    trace = np.trace(whole.features * whole.shrink @ whole.features.T)
    assert np.trace(smoother) == pytest.approx(trace, rel=0.2)  # as much is smoothed with fewer rows


def test_what_it_knows_of_the_labels():
    blocks = np.arange(N) // 4
    evidence = cmmd_test(X, OTHER, GROUP, propensity=None, blocks=blocks, n_resamples=19, rng=0).evidence
    np.testing.assert_array_equal(evidence.blocks, blocks)
    known = cmmd_test(X, OTHER, GROUP, propensity=E, null=Resampling("bernoulli"), n_resamples=19, rng=0).evidence
    np.testing.assert_array_equal(known.e, E)
    np.testing.assert_array_equal(known.blocks, np.arange(N))
    assert known.assumption == ""
    estimated = cmmd_test(X, OTHER, GROUP, n_resamples=19, rng=0).evidence
    assert "estimated propensity" in estimated.assumption
    dual = cmmd_test(X, OTHER, GROUP, statistic=CMMD(solver="dual"), n_resamples=19, rng=0).evidence
    assert dual.x.gram is None  # it is not asked for again
