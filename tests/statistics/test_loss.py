"""The losses against their definitions, and what makes them losses: unbiased, and least at the truth."""

from itertools import product

import array_api_strict as strict
import numpy as np
import pytest

from condmmd import Delta, Gaussian, Linear, Polynomial, cmmd_loss
from condmmd.backend import to_host
from condmmd.statistics.loss import joint_weights, kernel_score, ridge_weights, weighted_distance
from tests import oracle

RNG = np.random.default_rng(0)
X, Y, Z = RNG.normal(size=(7, 2)), RNG.normal(size=(7, 2)), RNG.normal(size=(7, 3, 2))
XZ, Z2 = RNG.normal(size=(5, 2)), RNG.normal(size=(5, 3, 2))
LAM = 0.05
K, L = Gaussian(0.9), Gaussian(0.7) + Polynomial(2, 0.5)


@pytest.mark.parametrize("unbiased", [True, False])
def test_the_kernel_score_draw_by_draw(unbiased):
    def similarity(a, b):
        return L([a], [b])[0, 0]

    rows = []
    for y, draws in zip(Y, Z, strict=True):
        pairs = [(a, b) for a, b in product(range(3), repeat=2) if a != b or not unbiased]
        within = np.mean([similarity(draws[a], draws[b]) for a, b in pairs])
        rows.append(within - 2 * np.mean([similarity(y, z) for z in draws]))
    np.testing.assert_allclose(kernel_score(L, Y, Z, unbiased=unbiased), np.mean(rows), rtol=1e-12)


def residual_products(unbiased):
    """``H_ij = <psi(y_i) - mean psi(z_i), psi(y_j) - mean psi(z_j)>``, its diagonal without a draw meeting itself."""
    H = L(Y, Y) - 2 * np.mean([(L(Y, Z[:, a]) + L(Y, Z[:, a]).T) / 2 for a in range(3)], axis=0)
    H += np.mean([L(Z[:, a], Z[:, b]) for a, b in product(range(3), repeat=2)], axis=0)
    if unbiased:
        for i in range(7):
            own = L(Z[i], Z[i])
            H[i, i] += (own.sum() - np.trace(own)) / 6 - own.mean()
    return H


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_same_covariates(level, unbiased):
    """Every level is one matrix of residual products, weighted."""
    gram, H = K(X, X), residual_products(unbiased and level < 2)
    if level == 2:
        weights = joint_weights(K, X, None, unbiased=unbiased)
        V = (gram - np.eye(7)) / 42 if unbiased else gram / 49
    else:
        weights = ridge_weights(K, X, None, lam=LAM, level=level)
        W = np.linalg.inv(gram + 7 * LAM * np.eye(7))
        V = W @ gram @ W if level == 0 else W @ gram @ gram @ W / 7
    found = weighted_distance(weights, L, Y, Z, unbiased=unbiased)
    np.testing.assert_allclose(found, np.sum(V * H), rtol=1e-9)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_other_covariates_against_the_paper_written_literally(level):
    formula = oracle.gaussian(0.9**-2)
    naive = oracle.Naive(X, Y, XZ, Z2[:, 0], formula, oracle.gaussian(0.7**-2), LAM, LAM)
    if level == 2:
        weights, expected = joint_weights(K, X, XZ, unbiased=False), naive.joint()
    else:
        weights, expected = ridge_weights(K, X, XZ, lam=LAM, level=level), naive.cmmd_s(level)
    found = weighted_distance(weights, Gaussian(0.7), Y, Z2[:, :1], unbiased=False)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_unbiased_of_two_samples_leaves_out_rows_that_meet_themselves():
    weights = joint_weights(K, X, XZ, unbiased=True)
    found = weighted_distance(weights, L, Y, Z2[:, :1], unbiased=True)
    blocks = (K(X, X) * L(Y, Y), K(X, XZ) * L(Y, Z2[:, 0]), K(XZ, XZ) * L(Z2[:, 0], Z2[:, 0]))
    np.testing.assert_allclose(found, oracle.mmd_unbiased(*blocks), rtol=1e-9)


def test_the_score_is_proper():
    """Over all outcomes and pairs of draws of two laws on three values: squared MMD, less a term without draws."""
    values, p, q = np.array([[0.0], [1.0], [3.0]]), np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.4, 0.2])
    gram = Gaussian(1.0)(values, values)
    mean = sum(
        p[i] * q[a] * q[b] * kernel_score(Gaussian(1.0), values[[i]], values[[a, b]][None], unbiased=True)
        for i, a, b in product(range(3), repeat=3)
    )
    np.testing.assert_allclose(mean, (p - q) @ gram @ (p - q) - p @ gram @ p, rtol=1e-12)


@pytest.mark.parametrize("kernel", [Linear(), Delta(), Gaussian((0.5, 2.0)), "energy"], ids=str)
@pytest.mark.parametrize("level", [0, 1, 2])
def test_libraries_agree(level, kernel):
    options = {"level": level, "kernel_y": kernel}
    here = cmmd_loss(X, Y, Z, **options)
    there = cmmd_loss(*(strict.asarray(part) for part in (X, Y, Z)), **options)
    assert isinstance(here, float)
    assert there.shape == ()
    np.testing.assert_allclose(to_host(there), here, rtol=1e-9)
