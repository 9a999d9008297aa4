"""The pooled regression finds structure of several kinds, blind to labels."""

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Gaussian, Linear
from condmmd.data import read_samples
from condmmd.embedding import embed
from condmmd.nuisance import regress_pooled

RNG = np.random.default_rng(0)
N = 400


def rows_of(X):
    """The rows of a test with these covariates; the regression looks at nothing else of them."""
    return read_samples(X, np.arange(len(X)), np.arange(len(X)) % 2)


@pytest.mark.parametrize(
    ("X", "signal", "word"),
    [
        (x := RNG.uniform(-2, 2, size=(N, 1)), np.sin(4 * x[:, 0]), "Gaussian"),
        (x := RNG.standard_cauchy(size=(N, 2)), np.tanh(x[:, 0]), ""),
        (x := RNG.normal(size=(N, 20)), x[:, 0] ** 2, ""),
        (x := RNG.normal(size=(N, 10)), x[:, 0] * x[:, 1], ""),
        (x := RNG.normal(size=(N, 20)), 2 * x.mean(axis=1), ""),
        (100 * RNG.integers(0, 3, size=(N, 1)) + (z := RNG.normal(size=(N, 1))), np.tanh(2 * z[:, 0]), "columns"),
    ],
    ids=["wave", "heavy tails", "one square of 20", "a product", "a mean of 20", "three far clusters"],
)
def test_structure_of_many_kinds_is_found(X, signal, word):
    Y = signal + 0.3 * signal.std() * RNG.normal(size=N)
    found = regress_pooled(embed(Linear(), Y[:, None], tol=0.0, max_rank=5).phi, rows_of(X))
    assert np.corrcoef(found.fitted[:, 0], signal)[0, 1] > 0.9
    assert found.explained > 0.7
    assert word in found.model
    assert np.abs(np.corrcoef(found.prognostic()[:, 0], signal)[0, 1]) > 0.9


def test_categories_alone_and_with_numbers():
    frame = pd.DataFrame({"kind": RNG.choice(["a", "b", "c"], N), "flag": RNG.random(N) < 0.5})
    signal = (frame["kind"] == "a").to_numpy() + 2.0 * frame["flag"].to_numpy()
    psi = (signal + 0.1 * RNG.normal(size=N))[:, None]
    assert regress_pooled(psi, rows_of(frame)).explained > 0.9
    assert regress_pooled(psi, rows_of(frame.assign(x=RNG.normal(size=N)))).explained > 0.9


def test_nothing_is_explained_where_nothing_is_there():
    found = regress_pooled(RNG.normal(size=(N, 1)), rows_of(RNG.normal(size=(N, 3))))
    assert abs(found.explained) < 0.05
    constant = regress_pooled(np.ones((N, 2)), rows_of(RNG.normal(size=(N, 3))))
    np.testing.assert_array_equal(constant.fitted, 1.0)


def test_many_rows_select_on_some_and_fit_on_all():
    x = RNG.uniform(-2, 2, size=(3000, 1))
    psi = np.sin(3 * x) + 0.1 * RNG.normal(size=(3000, 1))
    found = regress_pooled(psi, rows_of(x))
    assert len(found.fitted) == 3000
    assert found.explained > 0.95


def test_labels_and_outcomes_of_the_rows_are_not_looked_at():
    x, psi = RNG.normal(size=N), RNG.normal(size=(N, 2))
    first = regress_pooled(psi, read_samples(x, RNG.normal(size=N), np.arange(N) % 2))
    second = regress_pooled(psi, read_samples(x, RNG.normal(size=N), np.arange(N) > 100))
    np.testing.assert_array_equal(first.fitted, second.fitted)
    assert first.model == second.model


def test_a_gram_matrix_is_the_only_kernel():
    x = RNG.uniform(-2, 2, size=N)
    psi = (np.sin(2 * x) + 0.1 * RNG.normal(size=N))[:, None]
    samples = read_samples(Gaussian(0.5)(x), x, np.arange(N) % 2, precomputed_x=True)
    found = regress_pooled(psi, samples)
    assert found.model.startswith("pooled ridge, the given Gram matrix")
    assert found.explained > 0.9
    assert found.scores.columns == ()


def test_the_smoother_fits_and_its_residuals_leave_one_out():
    """``features * shrink @ features^T`` is the ridge smoother; residuals are those of refits without each row."""
    x = RNG.uniform(-2, 2, size=60)
    y = np.sin(2 * x) + 0.3 * RNG.normal(size=60)
    found = regress_pooled(y[:, None], rows_of(x))
    H = found.features * found.shrink @ found.features.T
    np.testing.assert_allclose(H @ (y - y.mean()) + y.mean(), found.fitted[:, 0], atol=1e-9)
    misfit = y - y.mean() - H @ (y - y.mean())
    np.testing.assert_allclose(found.residuals(y), misfit / (1 - np.diag(H)), rtol=1e-9)


def test_prognostic_directions_are_standardised():
    x = RNG.uniform(-2, 2, size=(N, 2))
    psi = np.column_stack([np.sin(2 * x[:, 0]), x[:, 1], x[:, 0] * x[:, 1]]) + 0.2 * RNG.normal(size=(N, 3))
    directions = regress_pooled(psi, rows_of(x)).prognostic()
    np.testing.assert_allclose(directions.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(directions.T @ directions / N, np.eye(directions.shape[1]), atol=1e-6)


def test_other_columns_are_less_what_the_same_regression_says_of_them():
    """The smoother written out: what depends on x goes, what does not stays."""
    rng = np.random.default_rng(4)
    x, noise = rng.uniform(-2, 2, 300), rng.normal(size=300)
    samples = read_samples(x, np.sin(x) + 0.3 * noise, np.arange(300) % 2)
    y = CMMD().embed_outcomes(samples)
    pooled = regress_pooled(y.phi, samples)
    columns = np.column_stack([5 + np.cos(x), noise])
    centred = columns - columns.mean(axis=0)
    smoother = (pooled.features * pooled.shrink) @ pooled.features.T
    left = pooled.less_fitted(columns)
    np.testing.assert_allclose(left, centred - smoother @ centred, atol=1e-10)
    assert left[:, 0].std() < 0.1 * centred[:, 0].std()
    assert left[:, 1].std() > 0.9 * centred[:, 1].std()


def test_at_some_rows_it_is_the_ridge_with_the_same_features_and_lambda():
    x = np.random.default_rng(5).normal(size=(120, 2))
    psi = np.sin(2 * x[:, :1]) + 0.3 * np.random.default_rng(6).normal(size=(120, 1))
    whole, rows = regress_pooled(psi, rows_of(x)), np.flatnonzero(x[:, 0] > 0)
    F, own = whole.features[rows], psi[rows] - psi[rows].mean()
    ridge = (1 / whole.shrink - np.sum(whole.features**2, axis=0))[0] / 120  # lambda, in the units of the features
    expected = own - F @ np.linalg.solve(F.T @ F + ridge * len(rows) * np.eye(F.shape[1]), F.T @ own)
    np.testing.assert_allclose(whole.on_rows(rows).less_fitted(psi[rows]), expected, atol=1e-8)
    np.testing.assert_array_equal(whole.on_rows(rows).fitted, whole.fitted[rows])
    constant = regress_pooled(np.ones((120, 1)), rows_of(x)).on_rows(rows)
    np.testing.assert_array_equal(constant.less_fitted(psi[rows]), own)


def test_a_regression_that_follows_every_row_is_no_prognostic_score():
    """Where Y has nothing to do with X a narrow kernel fits the noise of the rows: the outcomes themselves."""
    kept = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, noise = rng.normal(size=(160, 1)), rng.normal(size=(160, 1))
        samples = read_samples(x, noise, np.arange(160) % 2)
        scores = regress_pooled(noise, samples).prognostic()
        kept += scores.shape[1] and abs(np.corrcoef(scores[:, 0], noise[:, 0])[0, 1]) > 0.5
        line = regress_pooled(x + 0.3 * noise, samples).prognostic()
        assert abs(np.corrcoef(line[:, 0], x[:, 0])[0, 1]) > 0.95
    assert kept == 0
