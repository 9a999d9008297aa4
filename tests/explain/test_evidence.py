"""What a test looked at, in memory: all rows, or some of those in chunks."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import CMMD, PooledRidge, Resampling, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.inference.joining import join_columns
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
    own = evidence.labels.multipliers
    np.testing.assert_allclose(own.a, evidence.a, atol=1e-12)
    assert own.fit is None  # most of what is known of the propensity is known from other rows
    assert next(evidence.draws(64)).shape == (64, 60)
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


def test_its_draws_are_those_of_the_test():
    """Random signs where the propensity was estimated, labels less their means where it is known."""
    estimated = cmmd_test(X, OTHER, GROUP, n_resamples=39, rng=0)
    evidence, fitted = estimated.evidence, estimated._trained.fitted
    np.testing.assert_allclose(evidence.a, evidence.t - evidence.e)
    drawn = np.concatenate(list(evidence.draws(39)))
    found = join_columns(fitted, fitted(HeldLabels(np.concatenate([evidence.a[None], drawn]))))
    np.testing.assert_allclose(found[1:], estimated.null_distribution, rtol=1e-6)
    known = cmmd_test(X, OTHER, GROUP, propensity=E, n_resamples=39, rng=0).evidence
    labels = np.concatenate(list(known.draws(39))) + known.e
    np.testing.assert_allclose(labels, np.round(labels), atol=1e-12)
    np.testing.assert_allclose(labels.sum(axis=1), GROUP.sum())
    np.testing.assert_array_equal(evidence.sign_of_row, np.arange(N))
    assert evidence.signs.signs.shape == (999, N)


def test_the_one_numeric_outcome():
    assert cmmd_test(X, OTHER, GROUP, n_resamples=19, rng=0).evidence.outcome is not None
    two = cmmd_test(X, np.column_stack([OTHER, X]), GROUP, n_resamples=19, rng=0).evidence
    assert two.outcome is None


def test_rows_that_are_left_keep_their_signs():
    evidence = cmmd_test(X, OTHER, GROUP, trim=0.3, n_resamples=19, rng=0).evidence
    own = evidence.labels.multipliers
    assert len(evidence.t) == len(own.kept) < N
    np.testing.assert_array_equal(evidence.sign_of_row, own.kept)
    np.testing.assert_allclose(own.a[own.kept], evidence.a, atol=1e-12)
