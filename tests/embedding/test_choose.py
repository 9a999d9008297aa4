"""Low rank or full Gram matrix, and what a cap of the rank leaves out."""

import numpy as np
import pytest

from condmmd import CMMD, ApproximationWarning, Laplacian, cmmd
from condmmd.data import read_samples, read_table
from condmmd.embedding import choose
from condmmd.nuisance import Learned

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))


def test_the_way_is_chosen_by_operations():
    y = RNG.normal(size=300)
    group = [1, 0] * 150
    assert cmmd(X[:, 0], y, group).embedding_x.method == "greedy Cholesky"
    assert cmmd(RNG.normal(size=(300, 10)), y, group).embedding_x.method == "full Gram"
    assert cmmd(X[:, 0].round() == 0, y, group).embedding_x.method == "explicit"
    rank = choose.break_even_rank(300, 20)
    assert choose.primal_flops(300, rank, 20) <= choose.dual_flops(300, 20) < choose.primal_flops(300, rank + 1, 20)


def test_rank_cap_reports_its_residual():
    y = RNG.normal(size=300)
    statistic = CMMD(max_rank=10)
    d = cmmd(X, y, [1, 0] * 150, statistic=statistic)
    assert d.rank == 10
    K = d.kernel_x(X)
    samples = read_samples(X, y, [1, 0] * 150)
    phi = statistic.measure(samples, Learned(statistic.embed_measured(samples))).x.phi
    np.testing.assert_allclose(d.embedding_x.residual, 1 - np.sum(phi**2) / np.trace(K), rtol=1e-9)
    assert d.residual >= d.embedding_x.residual > 0.01


def test_many_rows_without_low_rank_warn_and_never_form_the_gram_matrix(monkeypatch):
    monkeypatch.setattr(choose, "GRAM_MAX_ROWS", 100)
    monkeypatch.setattr(choose, "LARGE_MAX_RANK", 20)
    table = read_table(X, "X")
    with pytest.warns(
        ApproximationWarning, match=r"`X`: with 300 rows, the kernel was cut off at rank 20, which leaves 0\.\d+"
    ):
        embedding = choose.embed_covariates(Laplacian(1.0), table, tol=1e-8, max_rank=None, solver="auto", outcomes=5)
    assert embedding.gram is None
    assert embedding.rank == 20


def test_a_cap_that_was_asked_for_is_not_warned_about():
    table = read_table(X, "X")
    options = {"tol": 1e-8, "max_rank": 20}  # warnings are errors here
    assert choose.embed_outcomes(Laplacian(1.0), table, **options).rank == 20
    with pytest.warns(ApproximationWarning, match="rank 20"):
        choose.embed_outcomes(Laplacian(1.0), table, **options, warn=True)


def test_affordable_rank_falls_with_the_root_of_the_rows():
    assert [choose.affordable_rank(n, 128) for n in (10, 20_000, 80_000, 10**9)] == [128, 128, 64, 48]
    assert choose.affordable_rank(10**9, 20) == 20
