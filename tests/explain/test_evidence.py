"""What a test looked at, in memory: all rows, or some of those in chunks."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import CMMD, PooledRidge, Resampling, cmmd_test
from condmmd.nuisance.folds import fold_parts, shuffled_folds
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
    np.testing.assert_allclose(np.sum(there.compared**2), np.sum(here.compared**2), rtol=1e-5)
    assert there.explained == pytest.approx(here.explained, abs=1e-5)


def test_some_rows_of_chunks(monkeypatch):
    monkeypatch.setattr("condmmd.explain.evidence.EVIDENCE_ROWS", 60)
    chunked = [da.from_array(a, chunks=50) for a in (X, OTHER, GROUP)]
    evidence = cmmd_test(*chunked, n_resamples=19, rng=0).evidence
    assert len(evidence.compared) == 60
    assert len(evidence.t) == len(evidence.e) == len(evidence.x.phi) == len(evidence.y.phi) == 60
    held = evidence.labels.propensity.fit.elsewhere  # most of what is known of the propensity is known from other rows
    assert np.linalg.eigvalsh(held)[0] > 0
    assert evidence.residual_labels(evidence.t[None, :]).shape == (1, 60)
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


def test_residuals_of_any_columns_are_by_the_models_of_the_test():
    """A regressor is cross-fitted for these columns too; the ridge leaves each row out; without either, the mean."""
    values = np.column_stack([X**2, OTHER])
    line = cmmd_test(X, OTHER, GROUP, residualize=LinearRegression(), n_resamples=19, rng=0).evidence
    expected = np.empty_like(values)
    for rows, train in fold_parts(N, shuffled_folds(N, 5, np.argsort(X))):
        design = np.column_stack([np.ones(N), X])
        beta = np.linalg.lstsq(design[train], values[train], rcond=None)[0]
        expected[rows] = values[rows] - design[rows] @ beta
    np.testing.assert_allclose(line.residuals(values), expected, atol=1e-10)
    ridge = cmmd_test(X, OTHER, GROUP, residualize=PooledRidge(), n_resamples=19, rng=0).evidence
    np.testing.assert_array_equal(ridge.residuals(values)[:, 1], ridge.pooled.residuals(values[:, 1]))
    plain = cmmd_test(X, OTHER, GROUP, residualize=False, propensity=None, n_resamples=19, rng=0).evidence
    np.testing.assert_allclose(plain.residuals(values), values - values.mean(axis=0))


def test_labels_are_less_a_propensity_that_was_refitted_to_them():
    """The Newton step written out; at the observed labels, whose fit it is, there is none."""
    evidence = cmmd_test(X, OTHER, GROUP, n_resamples=19, rng=0).evidence
    fit, e, t = evidence.labels.propensity.fit, evidence.e, evidence.t
    design, w = np.column_stack([np.ones(N), fit.Z]), e * (1 - e)
    ridge = np.concatenate([[0.0], np.full(fit.Z.shape[1], 1 / fit.C)])
    T = np.random.default_rng(0).permutation(t)
    step = np.linalg.solve((design * w[:, None]).T @ design + np.diag(ridge), design.T @ (T - e) - ridge * fit.beta)
    found = evidence.residual_labels(np.stack([T, t]))
    np.testing.assert_allclose(found[0], T - e - w * (design @ step), atol=1e-9)
    np.testing.assert_allclose(found[1], t - e, atol=1e-4)


def test_the_one_numeric_outcome():
    assert cmmd_test(X, OTHER, GROUP, n_resamples=19, rng=0).evidence.outcome is not None
    two = cmmd_test(X, np.column_stack([OTHER, X]), GROUP, n_resamples=19, rng=0).evidence
    assert two.outcome is None
