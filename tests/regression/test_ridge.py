"""The groups' ridge regressions, against each solved by itself."""

import numpy as np
import pytest

from condmmd.backend import HeldLabels
from condmmd.regression.ridge import group_sizes, ridge_difference, ridge_models

RNG = np.random.default_rng(0)


def one_group(phi, psi, rows, lam):
    return np.linalg.solve(phi[rows].T @ phi[rows] + lam * rows.sum() * np.eye(phi.shape[1]), phi[rows].T @ psi[rows])


@pytest.mark.parametrize("r", [5, 60, 128])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_models_are_those_of_each_group_by_itself(two_threads, r, count):
    """Few features as a batch, more one by one, many a label vector at a time; and one label vector alone."""
    phi, psi, T = RNG.normal(size=(301, r)), RNG.normal(size=(301, 3)), (RNG.random((count, 301)) < 0.4).astype(np.int8)
    models = ridge_models(HeldLabels(T), phi, psi, (0.1, 0.2))
    for b, t in enumerate(T):
        for model, rows, lam in ((models[0][b], t == 1, 0.1), (models[1][b], t == 0, 0.2)):
            np.testing.assert_allclose(model, one_group(phi, psi, rows, lam), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("refined", [1, 10**9], ids=["single precision refined", "double precision"])
@pytest.mark.parametrize("reg", [(0.1, 0.2), (1e-7, 1e-7)])
def test_difference_from_the_gram_matrix_is_that_from_features(reg, refined, monkeypatch):
    monkeypatch.setattr("condmmd.backend.linear_algebra.MIN_REFINED", refined)
    phi, psi, T = RNG.normal(size=(90, 7)), RNG.normal(size=(90, 2)), (RNG.random((4, 90)) < 0.3).astype(np.int8)
    found = ridge_difference(T, phi, psi, phi @ phi.T, reg)
    for b, t in enumerate(T):
        expected = one_group(phi, psi, t == 1, reg[0]) - one_group(phi, psi, t == 0, reg[1])
        np.testing.assert_allclose(found[b], expected, rtol=1e-6, atol=1e-8)


def test_an_empty_group_has_the_zero_model_and_size_one():
    phi, psi, T = RNG.normal(size=(20, 3)), RNG.normal(size=(20, 2)), np.ones((2, 20), dtype=np.int8)
    T[1, :5] = 0
    _, of_q = ridge_models(HeldLabels(T), phi, psi, (0.1, 0.1))
    np.testing.assert_allclose(of_q[0], 0.0, atol=1e-12)
    np.testing.assert_array_equal(group_sizes(np.array([20.0, 15.0]), phi), [[20, 15], [1, 5]])
