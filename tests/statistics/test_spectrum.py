"""Eigenvalues of the mixed covariance, and levels from energies, against NumPy's own."""

import numpy as np
import pytest

from condmmd.backend import HeldLabels
from condmmd.statistics.spectrum import level_values, mixture_spectrum

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("mixture", [0.0, 0.3, 1.0])
def test_the_mixture_is_decomposed(mixture):
    phi, T = RNG.normal(size=(30, 4)), (RNG.random((3, 30)) < 0.4).astype(float)
    sigma, U = mixture_spectrum(HeldLabels(T), phi, mixture)
    assert np.all(np.diff(sigma, axis=1) <= 0)
    for b, t in enumerate(T):
        P, Q = phi[t == 1], phi[t == 0]
        C = mixture * P.T @ P / len(P) + (1 - mixture) * Q.T @ Q / len(Q)
        np.testing.assert_allclose((U[b] * sigma[b]) @ U[b].T, C, atol=1e-12)


def test_eigenvalues_that_are_rounding_are_zero():
    phi = np.zeros((10, 3))
    phi[:, 0] = RNG.normal(size=10)
    sigma, _ = mixture_spectrum(HeldLabels(np.repeat([[1.0, 0.0]], 5, axis=1)), phi, 0.5)
    assert sigma[0, 0] > 0
    np.testing.assert_array_equal(sigma[0, 1:], 0.0)


def test_levels_from_shared_and_from_own_eigenvalues():
    sigma, energies, s = RNG.random((3, 4)) + 0.1, RNG.random((3, 4)), np.array([2.0, 2.5, 4.0])
    own = [[np.sum(sigma[b] ** (level - 2) * energies[b]) for level in s] for b in range(3)]
    np.testing.assert_allclose(level_values(sigma, energies, s, 2), own)
    shared = [[np.sum(sigma[0] ** level * energies[b]) for level in s] for b in range(3)]
    np.testing.assert_allclose(level_values(sigma[0], energies, s, 0), shared)
