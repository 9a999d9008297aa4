"""Residuals that trees have seen: nothing predicted for a row has seen it, edges and lines are taken away."""

import numpy as np
import pytest

from condmmd import CMMD, Family, Forests, Gaussian, PooledRidge, cmmd_test
from condmmd.data import read_samples
from condmmd.nuisance import forests, regress_pooled, residual_model

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 5))
GROUP = np.repeat([1.0, 0.0], N // 2)
FEW = Forests(trees=20)


def residuals_of(y, model=FEW):
    samples = read_samples(X, y, GROUP)
    embedded = CMMD(kernel_y="linear").embed_outcomes(samples)
    pooled = regress_pooled(embedded.phi, samples)
    fit = residual_model(model, FEW, gram=False).fit(embedded, samples, pooled)
    return fit.outcomes.phi[:, 0], fit.how


def test_an_edge_is_explained_better_than_by_the_pooled_kernel():
    y = 3.0 * (X[:, 0] > 0) * (X[:, 1] > 0) + 0.3 * RNG.normal(size=N)
    how, by_kernel = residuals_of(y)[1], residuals_of(y, PooledRidge())[1]
    assert how.explained > 0.85
    assert how.explained > by_kernel.explained + 0.05
    assert "a forest of 20 trees with leaves of 5" in how.model


def test_a_line_is_taken_away_by_the_ridge():
    y = X @ np.array([1.0, -1.0, 0.5, 0.5, 2.0]) + 0.3 * RNG.normal(size=N)
    assert residuals_of(y, Forests())[1].explained > 0.92  # 0.99 of it is no noise; the forest alone explains about 0.8


def test_a_row_has_next_to_no_part_in_its_own_prediction():
    """None in the trees' nor in the ridge's; through what other rows leave to the ridge it has a little."""
    y = X[:, 0] + RNG.normal(size=N)
    before = y - residuals_of(y)[0]
    parts = []
    for row in range(0, N, 60):
        changed = y.copy()
        changed[row] += 0.5
        parts.append(((changed - residuals_of(changed)[0])[row] - before[row]) / 0.5)
    assert np.abs(np.mean(parts)) < 0.05


def test_further_columns_lose_what_x_says_of_them():
    """The squares of noise whose spread has an edge: the forest that never saw them predicts them where it split."""
    y = 3.0 * (X[:, 0] > 0) + 0.3 * RNG.normal(size=N)
    samples = read_samples(X, y, GROUP)
    embedded = CMMD(kernel_y="linear").embed_outcomes(samples)
    fit = FEW.fit(embedded, samples, regress_pooled(embedded.phi, samples))
    column = np.where(X[:, 0] > 0, 2.0, 1.0) + 0.1 * RNG.normal(size=N)
    left = fit.further(column[:, None])[:, 0]
    assert left.var() < 0.15 * column.var()
    np.testing.assert_allclose(left.mean(), 0.0, atol=0.02)


def test_a_column_of_which_the_outcomes_know_nothing_has_trees_of_its_own():
    """An edge in the spread along a covariate that moves no mean; and a column that the outcomes tell all of."""
    rng = np.random.default_rng(5)
    y = 3.0 * (X[:, 0] > 0) + 0.3 * rng.normal(size=N)
    samples = read_samples(X, y, GROUP)
    embedded = CMMD(kernel_y="linear").embed_outcomes(samples)
    fit = FEW.fit(embedded, samples, regress_pooled(embedded.phi, samples))
    own = (np.where(X[:, 3] > 0, 2.0, 0.5) * rng.normal(size=N) ** 2)[:, None]
    left, known = fit.anew(own), fit.further(own)
    edge = np.where(X[:, 3] > 0, 1.0, -1.0)
    assert abs(edge @ left[:, 0]) < 0.5 * abs(edge @ known[:, 0])
    assert np.var(fit.anew(y[:, None])) < 1.05 * np.var(fit.further(y[:, None]))


def test_noise_is_left_as_it_is():
    y = RNG.normal(size=N)
    residual, how = residuals_of(y, Forests())
    assert np.corrcoef(residual, y)[0, 1] > 0.95
    assert how.explained < 0.05


def test_an_edge_that_drives_labels_and_outcomes_is_no_alarm():
    """One threshold of five covariates: without trees the same test rejects nearly always."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 5))
    group = (rng.random(600) < 1 / (1 + np.exp(-2 * np.sign(x[:, 0])))).astype(int)
    y = 4.0 * (x[:, 0] > 0) + rng.normal(size=600)
    options = {"statistic": Family(), "n_resamples": 99, "rng": 0}
    assert cmmd_test(x, y, group, residualize=Forests(trees=30), **options).pvalue > 0.05
    assert cmmd_test(x, y, group, residualize=PooledRidge(), **options).pvalue <= 0.05


def test_what_it_cannot_take():
    with pytest.raises(TypeError, match="a regressor needs the columns of X"):
        cmmd_test(
            Gaussian(1.0)(X),
            X[:, 0],
            GROUP,
            statistic=CMMD(kernel_x="precomputed"),
            residualize=Forests(),
            n_resamples=19,
        )


def test_the_ridge_predicts_a_row_by_all_others(monkeypatch):
    """With one lambda to choose from: the regression of the other rows, written out."""
    monkeypatch.setattr(forests, "GRID", np.array([0.01]))
    features = np.linalg.qr(RNG.normal(size=(40, 6)))[0] * np.array([3.0, 2.0, 1.0, 1.0, 0.5, 0.2])
    left = RNG.normal(size=(40, 2))
    centred = left - left.mean(axis=0)
    ridge = 0.01 * (features**2).sum() * np.eye(6)
    residual = forests._less_ridge(features, left)
    for row in (0, 17):
        others = np.arange(40) != row
        F = features[others]
        beta = np.linalg.solve(F.T @ F + ridge, F.T @ centred[others])
        np.testing.assert_allclose(residual[row], centred[row] - features[row] @ beta, rtol=1e-9)


def test_leading_directions_hold_nearly_all_of_the_variance():
    psi = RNG.normal(size=(400, 12)) * 0.5 ** np.arange(12) + 3.0
    centred = psi - psi.mean(axis=0)
    V, spread = forests._directions(psi, psi.mean(axis=0))
    variances = np.linalg.svd(centred, compute_uv=False) ** 2 / 400
    count = int(np.argmax(np.cumsum(variances) >= 0.99 * variances.sum())) + 1
    assert V.shape[1] == count
    np.testing.assert_allclose(np.mean((centred @ V) ** 2, axis=0), variances[:count], rtol=1e-9)
    np.testing.assert_allclose(spread, variances.sum())
