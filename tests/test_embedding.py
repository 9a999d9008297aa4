"""Features reproduce the kernel up to the residual that they report."""

import numpy as np
import pytest

from condmmd import ApproximationWarning, Delta, Gaussian, Laplacian, Linear, cmmd
from condmmd.embedding import embed, embed_gram, greedy_cholesky, plan
from condmmd.data import read_table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))


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
    corner = factor.phi[list(factor.pivots)]
    np.testing.assert_array_equal(corner, np.tril(corner))


def test_greedy_is_near_the_best_rank():
    kernel, K = Gaussian(0.7), Gaussian(0.7)(X)
    spectrum = np.linalg.eigvalsh(K)[::-1]
    best = int(np.argmax(np.cumsum(spectrum) >= (1 - 1e-6) * spectrum.sum())) + 1
    assert best <= len(greedy_cholesky(kernel, X, tol=1e-6, max_rank=300).pivots) <= 1.5 * best


def test_max_rank_is_kept_and_duplicates_take_no_pivot():
    assert len(greedy_cholesky(Laplacian(1.0), X, tol=0.0, max_rank=17).pivots) == 17
    doubled = np.repeat(X[:40], 5, axis=0)
    assert len(greedy_cholesky(Laplacian(1.0), doubled, tol=0.0, max_rank=200).pivots) == 40


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


def test_the_way_is_chosen_by_operations():
    y = RNG.normal(size=300)
    group = [1, 0] * 150
    assert cmmd(X[:, 0], y, group).embedding_x.method == "greedy Cholesky"
    assert cmmd(RNG.normal(size=(300, 10)), y, group).embedding_x.method == "full Gram"
    assert cmmd(X[:, 0].round() == 0, y, group).embedding_x.method == "explicit"
    rank = plan.break_even_rank(300, 20)
    assert plan.primal_flops(300, rank, 20) <= plan.dual_flops(300, 20) < plan.primal_flops(300, rank + 1, 20)


def test_a_wide_linear_kernel_is_not_expanded():
    wide = RNG.normal(size=(30, 400))
    embedding = embed(Linear(), wide, tol=1e-12, max_rank=30)
    assert embedding.method == "greedy Cholesky"
    assert embedding.rank == 30


def test_rank_cap_reports_its_residual():
    y = RNG.normal(size=300)
    d = cmmd(X, y, [1, 0] * 150, max_rank=10)
    assert d.rank == 10
    K = d.kernel_x(X)
    phi = d.embedding_x.phi
    np.testing.assert_allclose(d.embedding_x.residual, 1 - np.sum(phi**2) / np.trace(K), rtol=1e-9)
    assert d.residual >= d.embedding_x.residual > 0.01


def test_many_rows_without_low_rank_warn_and_never_form_the_gram_matrix(monkeypatch):
    monkeypatch.setattr(plan, "GRAM_MAX_ROWS", 100)
    monkeypatch.setattr(plan, "LARGE_MAX_RANK", 20)
    table = read_table(X, "X")
    with pytest.warns(ApproximationWarning, match=r"`X`: with 300 rows, Laplacian.* rank 20, which leaves 0\.\d+"):
        embedding = plan.embed_covariates(Laplacian(1.0), table, tol=1e-8, max_rank=None, solver="auto", outcomes=5)
    assert embedding.gram is None
    assert embedding.rank == 20


def test_large_n_takes_pivots_of_a_sample_and_agrees_with_greedy():
    x = RNG.normal(size=12_000)
    y = np.sin(x) + RNG.normal(size=12_000)
    group = RNG.integers(0, 2, size=12_000)
    large = cmmd(x, y, group, reg=0.01)
    assert large.embedding_x.method == "greedy Cholesky of a sample"
    factor = greedy_cholesky(large.kernel_x, x[:, None], tol=1e-12, max_rank=100)
    assert abs(len(factor.pivots) - large.rank) <= 5
    exact = cmmd(x, y, group, reg=0.01, tol=1e-15, kernel_x=large.kernel_x, kernel_y=large.kernel_y)
    np.testing.assert_allclose(large.level([0, 1, 2]), exact.level([0, 1, 2]), rtol=1e-8)


def test_unusable_kernels():
    with pytest.raises(ValueError, match="zero on every row"):
        embed(Linear(), np.zeros((5, 1)), tol=0.0, max_rank=0)
    with pytest.raises(ValueError, match=r"k\(x, x\) that is NaN or infinite"):
        embed(Linear(), np.full((5, 1), 1e200), tol=0.0, max_rank=0)
    assert embed(Delta(), np.arange(5.0)[:, None], tol=0.0, max_rank=5).method == "explicit"
