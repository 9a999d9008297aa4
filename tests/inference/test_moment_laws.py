"""Weights of the laws: the eigenvalues of the moments' covariance, by whichever way they are found."""

import numpy as np
import pytest

from condmmd.inference import moment_laws
from condmmd.inference.chi_squares import upper_tail
from condmmd.inference.moment_laws import laws_of, stacked_laws
from condmmd.labels import Multipliers
from condmmd.labels.fits import ByColumns
from condmmd.regression.logistic import LogisticFit
from condmmd.statistics import Products

RNG = np.random.default_rng(0)
N, R, Q = 120, 10, 7
PHI = RNG.normal(size=(N, R)) * 0.7 ** np.arange(R)
PSI = RNG.normal(size=(N, Q)) * 0.8 ** np.arange(Q)
WEIGHTS = np.stack([np.ones(R), 0.8 ** np.arange(R)])
E = RNG.uniform(0.1, 0.9, N)
A, FIT = RNG.normal(size=N), ByColumns.of(LogisticFit(RNG.normal(size=(N, 3)), E, np.zeros(4), C=1.0), E * (1 - E))
NOISE = Multipliers(A, FIT)
PRODUCTS = Products(PHI, PSI, WEIGHTS)


def literal(weights):
    """Eigenvalues of the covariance of every scaled product over random signs, written out."""
    P = FIT.at(np.eye(N))
    V = P @ np.diag(A**2 / FIT.left()) @ P.T
    X = np.stack([np.outer(phi * weights**0.5, psi).ravel() for phi, psi in zip(PHI, PSI, strict=True)])
    return np.sort(np.linalg.eigvalsh(X.T @ V @ X))[::-1]


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
    """Signs change no square of a row, so a sum of many such squares hardly moves."""
    K = np.eye(N) + 0.005
    (law,) = laws_of(Products(K, np.ones((N, 1)), np.ones((1, N))), Multipliers(np.full(N, 0.5)))
    drawn = np.sum((0.5 * RNG.choice([-1.0, 1.0], size=(4000, N)) @ K) ** 2, axis=1)
    variance = 2 * law.weights**2 @ law.degrees
    normal = 2 * np.sum(np.linalg.eigvalsh(0.25 * K @ K) ** 2)
    assert abs(variance - drawn.var()) < 0.5 * abs(normal - drawn.var())
