"""Features reproduce the kernel up to the residual that they report."""

import dask.array as da
import numpy as np
import pytest

from condmmd import CMMD, Delta, Gaussian, Laplacian, Linear, Matern, Polynomial, cmmd
from condmmd.embedding import embed, embed_gram
from condmmd.embedding.cholesky import greedy_cholesky
from condmmd.kernels import FromFunction

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))


def test_pivots_of_many_rows_come_from_a_sample_and_then_from_what_it_missed(monkeypatch):
    """Two far clusters of a few rows among 4,000: 200 rows miss them, the rounds after that do not."""
    monkeypatch.setattr("condmmd.embedding.embedding.GREEDY_MAX_ROWS", 200)
    points = np.random.default_rng(1).normal(size=(4000, 2))
    points[1234:1240] += 50.0
    points[77:80] -= 50.0
    kernel = Gaussian(1.0)
    found = embed(kernel, points, tol=1e-6, max_rank=400)
    left = kernel(points).diagonal() - np.einsum("ij,ij->i", found.phi, found.phi)
    assert found.method == "greedy Cholesky of a sample"
    assert found.residual <= 1e-6
    np.testing.assert_allclose(found.residual, left.mean(), rtol=1e-6, atol=1e-12)
    rare = points[[77, 1234]]
    np.testing.assert_allclose(np.sum(found.transform(rare) ** 2, axis=1), 1.0, atol=1e-2)
    assert embed(kernel, points, tol=1e-6, max_rank=20).rank == 20


def test_new_points_get_nystrom_features():
    new = RNG.normal(size=(50, 2)) / 2
    for embedding in (embed(Gaussian(2.0), X, tol=1e-12, max_rank=300), embed_gram(Gaussian(2.0), X)):
        principal, sigma = embedding.principal()
        np.testing.assert_allclose(principal.transform(new) @ principal.phi.T, Gaussian(2.0)(new, X), atol=1e-5)
        C = principal.phi.T @ principal.phi / len(X)
        np.testing.assert_allclose(C, np.diag(sigma), atol=1e-14)
        assert np.all(np.diff(sigma) <= 1e-15)


def test_a_wide_linear_kernel_is_not_expanded():
    wide = RNG.normal(size=(30, 400))
    embedding = embed(Linear(), wide, tol=1e-12, max_rank=30)
    assert embedding.method == "greedy Cholesky"
    assert embedding.rank == 30


def test_large_n_takes_pivots_of_a_sample_and_agrees_with_greedy():
    x = RNG.normal(size=12_000)
    y = np.sin(x) + RNG.normal(size=12_000)
    group = RNG.integers(0, 2, size=12_000)
    large = cmmd(x, y, group, statistic=CMMD(reg=0.01))
    assert large.embedding_x.method == "greedy Cholesky of a sample"
    factor = greedy_cholesky(large.kernel_x, x[:, None], tol=1e-12, max_rank=100)
    assert abs(len(factor.pivots) - large.rank) <= 5
    statistic = CMMD(large.kernel_x, large.kernel_y, reg=0.01, tol=1e-15)
    exact = cmmd(x, y, group, statistic=statistic)
    np.testing.assert_allclose(large.level([0, 1, 2]), exact.level([0, 1, 2]), rtol=1e-8)


def test_unusable_kernels():
    with pytest.raises(ValueError, match="zero on every row"):
        embed(Linear(), np.zeros((5, 1)), tol=0.0, max_rank=0)
    with pytest.raises(ValueError, match=r"k\(x, x\) that is NaN or infinite"):
        embed(Linear(), np.full((5, 1), 1e200), tol=0.0, max_rank=0)
    assert embed(Delta(), np.arange(5.0)[:, None], tol=0.0, max_rank=5).method == "explicit"


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.5), Laplacian(), Matern(nu=2.5), Polynomial(3), Linear(), Delta()], ids=repr
)
def test_full_gram_and_low_rank_embeddings_reproduce_the_kernel(kernel):
    X = np.round(np.random.default_rng(0).normal(size=(60, 2)), 1)
    if isinstance(kernel, Laplacian | Matern):
        kernel = type(kernel)(1.0)
    K = kernel(X)
    for embedding in (embed(kernel, X, tol=0.0, max_rank=60), embed_gram(kernel, X)):
        np.testing.assert_allclose(embedding.phi @ embedding.phi.T, K, atol=1e-12 * K.max())
        np.testing.assert_allclose(embedding.transform(X), embedding.phi, atol=1e-6 * np.sqrt(K.max()))


def test_one_bad_row_of_many_is_seen():
    """A kernel that is negative at one row is refused, though of a chunk only three numbers are looked at."""
    X = np.ones((12_000, 1))
    X[7777] = 0.5
    rows = da.from_array(X, chunks=(5000, 1))
    with pytest.raises(ValueError, match=r"k\(x, x\) = -0.25"):
        embed(FromFunction(lambda A, B: A @ B.T - 0.5), rows, tol=1e-6, max_rank=5)


def test_what_a_result_keeps_gives_the_features_of_new_points():
    whole, _ = embed(Gaussian(1.0), X, tol=1e-9, max_rank=100).principal()
    kept = whole.without_rows()
    assert kept.phi.shape == (0, whole.rank)
    np.testing.assert_array_equal(kept.transform(X[:5]), whole.transform(X[:5]))
    with pytest.raises(ValueError, match="solver='dual' needs the full Gram matrix"):
        embed_gram(Gaussian(1.0), da.from_array(X, chunks=(100, 2)))
