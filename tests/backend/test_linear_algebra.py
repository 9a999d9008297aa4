"""Systems of positive definite matrices, against NumPy's solution of each by itself."""

import array_api_strict as strict
import numpy as np
import pytest
from scipy.linalg import solve_triangular

from condmmd.backend import (
    LowerTriangle,
    factor_positive,
    linear_algebra,
    solve_in_groups,
    solve_one,
    solve_positive,
    solve_ridge,
    times_each,
    to_host,
)
from condmmd.backend.linear_algebra import RowGroups

RNG = np.random.default_rng(0)


def positive(size, rng=RNG):
    F = rng.normal(size=(size, size + 3))
    return F @ F.T


@pytest.mark.parametrize("size", [4, 60])
@pytest.mark.parametrize("array", [np.array, strict.asarray], ids=["NumPy", "device"])
def test_batches_of_systems(size, array):
    A, M, ridge = np.stack([positive(size) for _ in range(3)]), RNG.normal(size=(3, size, 2)), np.array([0.1, 1.0, 5.0])
    expected = [np.linalg.solve(a + r * np.eye(size), m) for a, m, r in zip(A, M, ridge, strict=True)]
    ridged = A + ridge[:, None, None] * np.eye(size)
    np.testing.assert_allclose(to_host(solve_ridge(array(A), array(M), array(ridge))), expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(to_host(solve_positive(array(ridged), array(M))), expected, rtol=1e-8, atol=1e-10)


def test_one_system_and_one_that_has_no_solution():
    A, b = positive(5), RNG.normal(size=(5, 2))
    np.testing.assert_allclose(solve_one(A.copy(), b, 0.3), np.linalg.solve(A + 0.3 * np.eye(5), b))
    with pytest.raises(np.linalg.LinAlgError, match="`reg` is too small"):
        solve_one(-np.eye(3), b[:3])


@pytest.mark.parametrize("refined", [1, 10**9], ids=["single precision refined", "double precision"])
@pytest.mark.parametrize("lam", [0.1, 1e-9])
@pytest.mark.parametrize("array", [np.asarray, strict.asarray], ids=["NumPy", "device"])
def test_groups_of_rows(lam, array, refined, monkeypatch):
    """Two groups with a lambda and a sign each; zero elsewhere, and for a group that is empty."""
    monkeypatch.setattr(linear_algebra, "MIN_REFINED", refined)
    phi, psi = RNG.normal(size=(30, 40)), RNG.normal(size=(30, 2))
    K, kind = phi @ phi.T / 40, RNG.integers(0, 3, size=(4, 30))
    kind[3] = 2
    groups = (RowGroups(kind == 0, lam, 1.0), RowGroups(kind == 1, 3 * lam, -1.0))
    found = solve_in_groups(array(K), array(psi), groups)
    for b in range(4):
        expected = np.zeros((30, 2))
        for group in groups:
            own = group.members[b]
            ridged = K[np.ix_(own, own)] + group.lam * own.sum() * np.eye(own.sum())
            expected[own] = group.sign * np.linalg.solve(ridged, psi[own])
        np.testing.assert_allclose(to_host(found)[b], expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(
        to_host(times_each(array(phi), found)), np.stack([phi.T @ w for w in to_host(found)]), atol=1e-9
    )


def test_refinement_gains_the_digits_of_double_precision():
    A, b = positive(50) / 50 + np.eye(50), RNG.normal(size=(50, 2))
    found = linear_algebra._solve_refined(np.asfortranarray(A), b, np.linalg.cond(A))
    np.testing.assert_allclose(found, np.linalg.solve(A, b), rtol=1e-10, atol=1e-12)


def test_triangles():
    L, K = np.linalg.cholesky(positive(6)), RNG.normal(size=(4, 6))
    expected = solve_triangular(L, K.T, lower=True).T
    np.testing.assert_allclose(LowerTriangle(L)(K), expected)
    np.testing.assert_allclose(to_host(LowerTriangle(L)(strict.asarray(K))), expected, atol=1e-9)


@pytest.mark.parametrize("array", [np.asarray, strict.asarray], ids=["NumPy", "device"])
def test_factors_of_low_rank(array):
    F = RNG.normal(size=(20, 4))
    K = F @ F.T
    found = factor_positive(array(K))
    assert found.phi.shape == (20, 4)
    np.testing.assert_allclose(to_host(found.phi) @ to_host(found.phi).T, K, atol=1e-10)
    assert found.worst < 1e-10
    if found.pivots is not None:
        assert len(found.pivots) == 4
    else:
        np.testing.assert_allclose(K @ to_host(found.whiten), to_host(found.phi), atol=1e-9)
    assert factor_positive(array(np.diag([1.0, -1.0]))).worst > 0.4
