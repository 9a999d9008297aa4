"""The chosen lambda is the minimiser of an error that is computed here by refitting."""

import numpy as np
import pytest

from condmmd import CMMD, ConditionalMeanEmbedding, Gaussian, Linear, PerGroup, cmmd, cmmd_test
from condmmd.embedding import embed
from condmmd.regression.regularization import (
    Regularization,
    choose_reg,
    cross_sums,
    cross_validation_error,
    largest_near_minimum,
    marginal_likelihood_loss,
    read_reg,
)
from tests import oracle

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, size=(60, 1))
Y = np.sin(3 * X) + 0.3 * RNG.normal(size=(60, 1))
GROUP = np.arange(60) % 2
KERNEL_X, KERNEL_Y = Gaussian(0.6), Gaussian(0.9)


def features():
    x, sigma = embed(KERNEL_X, X, tol=0.0, max_rank=60).principal()
    y = embed(KERNEL_Y, Y, tol=0.0, max_rank=60)
    return x.phi, y.phi, sigma


def test_closed_form_agrees_with_refitting_without_each_row():
    grid = np.array([1e-4, 1e-2, 1.0])
    closed, _ = cross_validation_error(grid, *features())
    refitted = [oracle.leave_one_out_error(KERNEL_X(X), KERNEL_Y(Y), lam) for lam in grid]
    np.testing.assert_allclose(closed, refitted, rtol=1e-8)


@pytest.mark.parametrize("numbers", [1, 200, 2**22])
def test_lambdas_and_rows_in_parts_add_up(numbers, monkeypatch):
    grid = 10.0 ** np.arange(-6.0, 1.0)
    whole = cross_validation_error(grid, *features())
    monkeypatch.setattr("condmmd.regression.regularization.CHUNK_NUMBERS", numbers)
    np.testing.assert_allclose(cross_validation_error(grid, *features()), whole, rtol=1e-12)


def test_generalised_cross_validation_agrees_with_the_hat_matrix():
    K, L, N = KERNEL_X(X), KERNEL_Y(Y), len(X)
    for lam in (1e-3, 0.1):
        H = K @ np.linalg.inv(K + lam * N * np.eye(N))
        expected = np.trace((np.eye(N) - H) @ L @ (np.eye(N) - H).T) / N / (1 - np.trace(H) / N) ** 2
        _, found = cross_validation_error(np.array([lam]), *features())
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize(("rule", "which"), [("loo", 0), ("gcv", 1)])
def test_the_chosen_lambda_is_the_largest_near_the_minimum(rule, which):
    chosen = choose_reg(rule, *features())
    assert chosen.lam_p == chosen.lam_q
    fine = chosen.lam_p * 10.0 ** np.linspace(-3, 3, 601)
    errors = cross_validation_error(fine, *features())[which]
    at = cross_validation_error(np.array([chosen.lam_p]), *features())[which][0]
    assert at <= errors.min() * 1.002
    beyond = cross_validation_error(np.array([chosen.lam_p * 10**0.5]), *features())[which][0]
    assert beyond > errors.min() * 1.001


def test_more_rows_and_less_noise_mean_less_regularisation():
    def chosen(n, noise):
        rng = np.random.default_rng(1)
        x = rng.uniform(-2, 2, size=n)
        return cmmd(x, np.sin(3 * x) + noise * rng.normal(size=n), np.arange(n) % 2).reg.lam_p

    assert chosen(2000, 1.0) < 0.1 * chosen(100, 1.0)
    assert chosen(100, 0.05) < 0.1 * chosen(100, 1.0)


def test_chunks_of_rows_do_not_matter(monkeypatch):
    whole = cmmd(X, Y, GROUP).reg
    monkeypatch.setattr("condmmd.regression.regularization.CHUNK_NUMBERS", 100)
    np.testing.assert_allclose(cmmd(X, Y, GROUP).reg.pair, whole.pair, rtol=1e-6)


def test_what_the_result_says():
    assert "pooled leave-one-out" in str(cmmd(X, Y, GROUP).reg)
    assert "generalised" in str(cmmd(X, Y, GROUP, statistic=CMMD(reg="gcv")).reg)
    assert str(cmmd(X, Y, GROUP, statistic=CMMD(reg=PerGroup(0.1, 0.2))).reg) == "0.1 for P, 0.2 for Q (given)"
    assert cmmd(X, Y, GROUP, statistic=CMMD(estimator="joint")).reg is None


def test_where_nothing_is_learnt_lambda_is_large():
    a, b = np.random.default_rng(1).normal(size=(2, 100))
    assert cmmd(a, b, [1, 0] * 50, statistic=CMMD(kernel_x=Gaussian(1e-6))).reg.lam_p >= 1.0


def test_what_may_be_a_lambda():
    assert read_reg(None) == "default"
    assert read_reg("gcv") == "gcv"
    assert read_reg(np.float64(0.5)) == Regularization(0.5, 0.5, "given")
    assert read_reg(PerGroup(1, 2)).pair == (1.0, 2.0)


@pytest.mark.parametrize(
    ("reg", "error", "words"),
    [
        (-1.0, ValueError, r"`reg` must be positive; got -1.0. Use reg='loo'"),
        (0, ValueError, r"`reg` must be positive; got 0"),
        (np.nan, ValueError, r"`reg`"),
        (PerGroup(0.1, 0.0), ValueError, r"`reg` must be positive"),
        ("cv", ValueError, r"'loo', 'gcv', 'marginal likelihood'\]; got 'cv'"),
        (True, TypeError, r"`reg`"),
        (PerGroup("a", 1), TypeError, r"`reg` must be a positive number, PerGroup\(p, q\)"),
    ],
)
def test_what_may_not(reg, error, words):
    with pytest.raises(error, match=words):
        read_reg(reg)


def test_the_default_is_in_units_of_the_mean_of_the_kernel():
    phi, psi, sigma = features()
    assert choose_reg("default", phi, psi, 7 * sigma).lam_p == pytest.approx(0.7)  # the mean of k(x, x) was 1
    given = Regularization(0.3, 0.4, "given")
    assert choose_reg(given, phi, psi, sigma) is given


def test_the_rule_takes_the_largest_that_is_as_good():
    grid = np.array([1.0, 2.0, 3.0, 4.0])
    assert largest_near_minimum(grid, np.array([5.0, 1.0, 1.0005, 1.01])) == 3.0
    phi, psi, _ = features()
    np.testing.assert_allclose(cross_sums(phi, psi), phi.T @ psi, atol=1e-12)


def test_marginal_likelihood_is_that_of_a_gaussian_process():
    rng = np.random.default_rng(8)
    X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 1))
    K, L = oracle.gaussian(1.0)(X, X), oracle.gaussian(0.5)(Y, Y)
    values, U = np.linalg.eigh(K)
    phi, psi = U * np.sqrt(np.maximum(values, 0.0)), np.linalg.cholesky(L + 1e-13 * np.eye(30))
    grid = np.array([1e-3, 1e-2, 0.1, 1.0])
    found = marginal_likelihood_loss(grid, phi, psi, np.maximum(values, 0.0) / 30)
    expected = [oracle.marginal_likelihood_loss(K, L, lam) for lam in grid]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_marginal_likelihood_finds_the_noise(noise):
    """Outcomes drawn from a process with kernel k and noise: lambda is near the noise's variance over the rows."""
    rng = np.random.default_rng(9)
    x = rng.uniform(-3, 3, size=(300, 1))
    K = oracle.gaussian(1.0)(x, x)
    y = np.linalg.cholesky(K + 1e-8 * np.eye(300)) @ rng.normal(size=300) + noise * rng.normal(size=300)
    cme = ConditionalMeanEmbedding(Gaussian(1.0), Linear(), reg="marginal likelihood").fit(x, y)
    assert 0.15 < cme.reg_ * 300 / noise**2 < 6
    result = cmmd_test(
        x, y, np.repeat([1, 0], 150), statistic=CMMD(Gaussian(1.0), reg="marginal likelihood"), propensity=None,
        residualize=False, n_resamples=19, rng=0,
    )  # fmt: skip
    assert "(pooled marginal likelihood)" in result.reg
