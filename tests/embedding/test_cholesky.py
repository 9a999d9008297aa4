"""Pivoted Cholesky: an approximation from below, exact at the pivots, with the residual that it reports."""

import numpy as np
import pytest

from condmmd import Gaussian, Laplacian, Linear
from condmmd.embedding import cholesky
from condmmd.embedding.cholesky import check_diagonal, greedy_cholesky
from condmmd.kernels import FromFunction

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))


@pytest.fixture(autouse=True, params=[0, 1000], ids=["one by one", "LAPACK"])
def whole_rows(request, monkeypatch):
    """Few rows are factored by LAPACK from the whole matrix, more of them one pivot at a time."""
    monkeypatch.setattr(cholesky, "WHOLE_ROWS", request.param)


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.7), Laplacian(2.0), Gaussian(1.0).on(0) * Laplacian(1.0).on(1)], ids=repr
)
@pytest.mark.parametrize("tol", [1e-1, 1e-4, 1e-12])
def test_residual_is_the_trace_left_out_and_meets_tol(kernel, tol):
    K = kernel(X)
    factor = greedy_cholesky(kernel, X, tol=tol, max_rank=300)
    left = K - factor.phi @ factor.phi.T
    np.testing.assert_allclose(factor.residual, np.trace(left) / np.trace(K), rtol=1e-6, atol=1e-13)
    assert factor.residual <= tol
    assert np.linalg.eigvalsh(left)[0] > -1e-10  # an approximation from below
    np.testing.assert_allclose(left[:, list(factor.pivots)], 0, atol=1e-10)  # exact on the pivots
    corner = factor.corner
    np.testing.assert_array_equal(corner, np.tril(corner))
    pivots = X[list(factor.pivots)]
    np.testing.assert_allclose(corner @ corner.T, kernel(pivots), atol=1e-10)


def test_greedy_is_near_the_best_rank():
    kernel, K = Gaussian(0.7), Gaussian(0.7)(X)
    spectrum = np.linalg.eigvalsh(K)[::-1]
    best = int(np.argmax(np.cumsum(spectrum) >= (1 - 1e-6) * spectrum.sum())) + 1
    assert best <= len(greedy_cholesky(kernel, X, tol=1e-6, max_rank=300).pivots) <= 1.5 * best


def test_max_rank_is_kept_and_duplicates_take_no_pivot():
    assert len(greedy_cholesky(Laplacian(1.0), X, tol=0.0, max_rank=17).pivots) == 17
    doubled = np.repeat(X[:40], 5, axis=0)
    assert len(greedy_cholesky(Laplacian(1.0), doubled, tol=0.0, max_rank=200).pivots) == 40


def test_the_first_rows_are_pivots_in_any_case():
    assert greedy_cholesky(Gaussian(1.0), X, tol=1e-3, max_rank=300, first=4).pivots[:4] == (0, 1, 2, 3)


def test_kernels_of_which_no_features_can_come():
    for diagonal, words in (
        ([1.0, np.nan], "NaN or infinite"),
        ([1.0, -0.5], r"not positive semi-definite: k\(x, x\) = -0.5"),
        ([0.0, 0.0], "zero on every row"),
        ([1.0, 1e80], "outside of what double precision can square"),
    ):
        with pytest.raises(ValueError, match=words):
            check_diagonal(Linear(), np.array(diagonal))
    assert check_diagonal(Linear(), np.array([1.0, 2.0])) == (2.0, 3.0)
    indefinite = FromFunction(lambda A, B: 2.0 * (A[:, :1] != B[:, :1].T) + 1.0 * (A[:, :1] == B[:, :1].T))
    with pytest.raises(ValueError, match=r"its Gram matrix on 2 of the rows has the eigenvalue -1"):
        greedy_cholesky(indefinite, np.arange(5.0)[:, None], tol=0.0, max_rank=5)
