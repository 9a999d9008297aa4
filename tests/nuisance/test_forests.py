"""Residuals that trees have seen: nothing predicted for a row has seen it, edges and lines are taken away."""

import numpy as np
import pytest

from condmmd import CMMD, Family, Forests, Gaussian, cmmd_test
from condmmd.data import read_samples
from condmmd.nuisance import regress_pooled, residual_model
from condmmd.nuisance.folds import shuffled_folds

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 5))
GROUP = np.repeat([1.0, 0.0], N // 2)
FEW = Forests(trees=20)


def residuals_of(y, model=FEW):
    samples = read_samples(X, y, GROUP)
    embedded = CMMD(kernel_y="linear").embed_outcomes(samples)
    found, how = residual_model(model, gram=False).fit(embedded, samples, regress_pooled(embedded.phi, samples))
    return found.phi[:, 0], how


def test_an_edge_is_explained_better_than_by_the_pooled_kernel():
    y = 3.0 * (X[:, 0] > 0) * (X[:, 1] > 0) + 0.3 * RNG.normal(size=N)
    how, by_kernel = residuals_of(y)[1], residuals_of(y, True)[1]
    assert how.explained > 0.85
    assert how.explained > by_kernel.explained + 0.05
    assert "forests of 20 trees" in how.model


def test_a_line_is_taken_away_by_the_ridge():
    y = X @ np.array([1.0, -1.0, 0.5, 0.5, 2.0]) + 0.3 * RNG.normal(size=N)
    assert residuals_of(y)[1].explained > 0.92  # 0.99 of it is no noise; the forest alone explains about 0.8


def test_a_row_is_predicted_by_models_that_have_not_seen_it():
    y = X[:, 0] + RNG.normal(size=N)
    folds = shuffled_folds(N, 5)
    row = int(np.flatnonzero(folds == 2)[0])
    changed = y.copy()
    changed[row] += 0.5
    samples = [read_samples(X, v, GROUP) for v in (y, changed)]
    embedded = [CMMD(kernel_y="linear").embed_outcomes(s) for s in samples]
    pooled = regress_pooled(embedded[0].phi, samples[0])  # its features, which no outcome enters, are held fixed
    first, second = (
        v - FEW.fit(e, s, pooled)[0].phi[:, 0] for v, e, s in zip((y, changed), embedded, samples, strict=True)
    )
    same = folds == 2
    np.testing.assert_array_equal(first[same], second[same])
    assert np.abs(first - second)[~same].max() > 0


def test_noise_is_left_as_it_is():
    y = RNG.normal(size=N)
    residual, how = residuals_of(y)
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
    assert cmmd_test(x, y, group, **options).pvalue <= 0.05


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
