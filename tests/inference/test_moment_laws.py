"""Weights of the laws: the eigenvalues of the moments' covariance, by whichever way they are found."""

from types import SimpleNamespace

import numpy as np
import pytest

from condmmd.inference import moment_laws
from condmmd.inference.chi_squares import upper_tail
from condmmd.inference.label_noise import label_noise
from condmmd.inference.moment_laws import laws_of, stacked_laws
from condmmd.statistics import Products

RNG = np.random.default_rng(0)
N, R, Q = 120, 10, 7
PHI = RNG.normal(size=(N, R)) * 0.7 ** np.arange(R)
PSI = RNG.normal(size=(N, Q)) * 0.8 ** np.arange(Q)
WEIGHTS = np.stack([np.ones(R), 0.8 ** np.arange(R)])
E = RNG.uniform(0.1, 0.9, N)
NOISE = label_noise(SimpleNamespace(kind="fixed-size", strata=None), E, None)
PRODUCTS = Products(PHI, PSI, WEIGHTS)


def literal(weights):
    """Eigenvalues of the covariance of every scaled product, written out."""
    w = E * (1 - E)
    V = (np.diag(w) - np.outer(w, w) / w.sum()) * np.sqrt(np.outer(*2 * [np.full(N, N / (N - 1))]))
    A = np.stack([np.outer(phi * weights**0.5, psi).ravel() for phi, psi in zip(PHI, PSI, strict=True)])
    return np.sort(np.linalg.eigvalsh(A.T @ V @ A))[::-1]


@pytest.mark.parametrize("exact", [1200, 121, 10], ids=["over features", "over rows", "leading only"])
def test_weights_are_eigenvalues_of_the_covariance(exact, monkeypatch):
    monkeypatch.setattr(moment_laws, "EXACT", exact)
    monkeypatch.setattr(moment_laws, "LEADING", 20)
    monkeypatch.setattr(moment_laws, "RANGE", 20)
    monkeypatch.setattr(moment_laws, "LUMPED", 0.0)
    if exact == 121:
        monkeypatch.setattr(moment_laws, "CHUNK_NUMBERS", 1)
    for law, weights in zip(laws_of(PRODUCTS, NOISE), WEIGHTS, strict=True):
        expected = literal(weights)
        np.testing.assert_allclose(law.weights[:10], expected[:10], rtol=2e-3 if exact == 10 else 1e-3)
        assert law.weights @ law.degrees == pytest.approx(expected.sum(), rel=1e-9)
        assert law.exact == (exact > 10)
        assert 20 < law.rows < N


def test_all_ways_give_one_tail(monkeypatch):
    points = np.array([3.0, 2.0]) * [literal(w).sum() for w in WEIGHTS]
    exact = upper_tail(points, stacked_laws(laws_of(PRODUCTS, NOISE)))
    monkeypatch.setattr(moment_laws, "EXACT", 10)
    np.testing.assert_allclose(upper_tail(points, stacked_laws(laws_of(PRODUCTS, NOISE))), exact, rtol=0.1)


def test_few_weights_say_what_all_of_them_say(monkeypatch):
    few = stacked_laws(laws_of(PRODUCTS, NOISE))
    monkeypatch.setattr(moment_laws, "LUMPED", 0.0)
    many = stacked_laws(laws_of(PRODUCTS, NOISE))
    assert few.weights.shape[1] < many.weights.shape[1]
    points = 4 * many.mean
    np.testing.assert_allclose(upper_tail(points, few), upper_tail(points, many), rtol=0.1)


def test_a_narrow_kernel_has_less_variance_than_normal_moments():
    """Of fair coins a row's square is its own mean, so a sum of many such squares hardly moves."""
    noise = label_noise(SimpleNamespace(kind="bernoulli", strata=None), np.full(N, 0.5), None)
    (law,) = laws_of(Products(np.eye(N) + 0.05, np.ones((N, 1)), np.ones((1, N))), noise)
    T = RNG.integers(0, 2, size=(4000, N)) - 0.5
    drawn = np.sum((T @ (np.eye(N) + 0.05)) ** 2, axis=1)
    variance = 2 * law.weights**2 @ law.degrees
    normal = 2 * np.sum(np.linalg.eigvalsh(0.25 * (np.eye(N) + 0.05) @ (np.eye(N) + 0.05)) ** 2)
    assert abs(variance - drawn.var()) < abs(normal - drawn.var())


def test_a_rare_group_stretches_the_law():
    """Labels that are one in twenty: the variance of the statistic is that of draws, not of normal moments."""
    noise = label_noise(SimpleNamespace(kind="bernoulli", strata=None), np.full(N, 0.05), None)
    A = RNG.normal(size=(N, 30))
    (law,) = laws_of(Products(A, np.ones((N, 1)), np.ones((1, 30))), noise)
    drawn = np.sum((((RNG.random((40_000, N)) < 0.05) - 0.05) @ A) ** 2, axis=1)
    variance = 2 * law.weights**2 @ law.degrees
    assert law.scale**2 * variance == pytest.approx(drawn.var(), rel=0.1)
    assert drawn.var() > 1.3 * variance
