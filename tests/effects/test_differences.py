"""Squared differences against the formula written out, their noise against redrawn labels, influence against nudges."""

from dataclasses import replace

import numpy as np
import pytest

from condmmd.effects.differences import Rows, _drift, _principal, directions, leading_pairs, squared_difference
from condmmd.inference import SignDraws
from condmmd.labels import Multipliers
from condmmd.labels.fits import ByColumns


def rows_of(seed, count=60, e=0.5, effect=0.0, blocks=None):
    rng = np.random.default_rng(seed)
    t = (rng.random(count) < e).astype(float)
    phi = np.column_stack([np.ones(count), rng.normal(size=(count, 2))])
    tau = t - e
    rho = rng.normal(size=(count, 2)) + effect * tau[:, None] * (1 + phi[:, 1:2])
    return made(tau, phi, rho, e, blocks)


def made(tau, phi, rho, e=0.5, blocks=None):
    """Rows whose labels are drawn one by one with chance e; of blocks, whose rows have one label."""
    own = tau if blocks is None else tau[np.unique(blocks, return_index=True)[1]]
    draws = SignDraws(Multipliers(own, None, blocks), 0, 1999)
    return Rows(tau, np.full(len(tau), e * (1 - e)), phi, rho, draws)


def written_out(rows, level, lam, weight=1.0):
    tau2 = weight * rows.tau**2
    C = sum(w * np.outer(p, p) for w, p in zip(tau2, rows.phi, strict=True)) / tau2.sum()
    M = sum(np.outer(p, r) * t for p, r, t in zip(rows.phi, rows.rho, weight * rows.tau, strict=True)) / tau2.sum()
    D = np.linalg.solve(C + lam * np.eye(len(C)), M)
    values, U = np.linalg.eigh(C)
    return float(np.trace(D.T @ U @ np.diag(values**level) @ U.T @ D))


@pytest.mark.parametrize(("level", "lam"), [(1.0, 0.0), (0.0, 0.3), (0.5, 0.1), (1.0, 0.2), (2.0, 0.1)])
def test_what_is_seen_is_the_formula(level, lam):
    rows = rows_of(0, e=0.3, effect=1.0)
    found = squared_difference(rows, level, lam)
    assert found.norm.seen == pytest.approx(written_out(rows, level, lam), rel=1e-10)


@pytest.mark.parametrize(("level", "lam"), [(1.0, 0.0), (0.0, 0.3), (1.0, 0.2), (2.0, 0.1)])
def test_influence_is_the_derivative_by_the_weight_of_a_row(level, lam):
    rows = rows_of(1, e=0.3, effect=1.0)
    sigma, phi = _principal(rows.phi, rows.tau**2)
    M = phi.T @ (rows.tau[:, None] * rows.rho) / (rows.tau @ rows.tau)
    influence = _drift(rows, sigma, phi, (level, lam), M)
    for i in (0, 7, 31):
        weight = np.ones(len(rows.tau))
        ends = []
        for nudge in (-1e-5, 1e-5):
            weight[i] = 1 + nudge
            ends.append(written_out(rows, level, lam, weight))
        assert influence[i] == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize(("level", "lam"), [(1.0, 0.0), (0.0, 0.3)])
def test_where_nothing_differs_the_estimate_is_zero_on_average(level, lam):
    found = [squared_difference(rows_of(seed), level, lam).norm for seed in range(150)]
    bias, seen = np.mean([one.bias for one in found]), np.array([one.seen for one in found])
    assert bias == pytest.approx(seen.mean(), abs=3 * seen.std() / 150**0.5)
    assert bias > 5 * abs(seen.mean() - bias)  # it is a bias worth taking away
    spread = np.mean([one.square.std() for one in found])
    assert spread == pytest.approx(seen.std(), rel=0.25)


def test_a_difference_is_found_without_bias_and_with_the_error_that_it_has():
    """delta(x) = 1 + x in each of two outcomes, so the mean of its square is 4."""
    found = [squared_difference(rows_of(seed, 200, effect=1.0), 1.0, 0.0) for seed in range(100)]
    estimates = np.array([one.norm.estimate for one in found])
    assert estimates.mean() == pytest.approx(4, abs=3 * estimates.std() / 10)
    errors = [np.std(one.norm.draws(4.0)) for one in found]
    assert np.mean(errors) == pytest.approx(estimates.std(), rel=0.2)
    assert np.mean([one.within for one in found]) == pytest.approx(2, rel=0.05)  # two outcomes of variance 1


def test_copies_of_rows_in_one_block_know_no_more_than_one_of_them():
    once = rows_of(4, 80, effect=0.5)
    copies = [np.repeat(part, 3, axis=0) for part in (once.tau, once.phi, once.rho)]
    thrice = made(*copies, blocks=np.repeat(np.arange(80), 3))
    alone, together = squared_difference(once, 1.0, 0.0), squared_difference(thrice, 1.0, 0.0)
    assert together.norm.seen == pytest.approx(alone.norm.seen)
    assert together.norm.bias == pytest.approx(alone.norm.bias, rel=0.1)  # leverages differ
    assert thrice.count == 80


def test_directions_are_orthonormal_and_begin_with_a_constant():
    rng = np.random.default_rng(0)
    phi, weights = rng.normal(size=(200, 6)), rng.random(200)
    u = directions(phi, weights, 4, [weights**2])
    np.testing.assert_allclose((u * weights[:, None]).T @ u / weights.sum(), np.eye(4), atol=1e-10)
    np.testing.assert_array_equal(u[:, 0], 1)
    assert directions(np.ones((200, 3)), weights, 4, [weights**2]).shape == (200, 1)


def test_a_direction_that_two_rows_carry_is_left_out():
    rng = np.random.default_rng(0)
    even = rng.choice([-1.0, 1.0], size=300)
    edge = np.zeros(300)
    edge[:2] = 30.0  # the leading direction, of two rows
    ones = np.ones(300)
    u = directions(np.column_stack([even, edge]), ones, 3, [ones])
    assert u.shape[1] == 2
    assert abs(np.corrcoef(u[:, 1], even)[0, 1]) > 0.99
    rare = np.where(even > 0, 200.0, 1.0)  # of many rows, but worth three of them in one of the sums
    assert directions(even[:, None], ones, 2, [ones]).shape[1] == 2
    assert directions(even[:, None], ones, 2, [ones, rare]).shape[1] == 1


def test_the_largest_products_come_first():
    one, other = np.array([[1.0, 3.0]]), np.array([[2.0, 1.0]])
    j, k = leading_pairs(one, other, 1)
    assert list(zip(j, k, strict=True)) == [(1, 0), (1, 1), (0, 0), (0, 1)]


def along_a_constant(seed, count, e, effect):
    rng = np.random.default_rng(seed)
    tau = (rng.random(count) < e) - e
    rho = rng.normal(size=(count, 2)) + effect * tau[:, None]
    return made(tau, np.ones((count, 1)), rho, e)


def test_along_a_constant_the_noise_is_that_of_a_regression():
    """Of rho on tau, without a constant: squared residuals, each by one less its leverage (HC2), written out."""
    rows = along_a_constant(5, 15, 0.3, 1.0)
    total = np.sum(rows.tau**2)
    expected = 0.0
    for outcome in rows.rho.T:
        slope = np.sum(rows.tau * outcome) / total
        for t, y in zip(rows.tau, outcome, strict=True):
            expected += t**2 * (y - t * slope) ** 2 / (1 - t**2 / total) / total**2
    assert squared_difference(rows, 1.0, 0.0).norm.bias == pytest.approx(expected, rel=1e-9)


def test_a_ratio_has_the_noise_of_its_scale():
    """Ten deviations apart the squared difference itself hardly varies, and what varies is the scale."""
    found = [squared_difference(along_a_constant(seed, 100, 0.5, 10.0), 1.0, 0.0) for seed in range(150)]
    ratios = np.array([one.norm.estimate / one.within for one in found])
    claimed = np.mean([np.std(one.in_scale.draws(200.0)) / 200 for one in found])
    assert claimed == pytest.approx(ratios.std() / ratios.mean(), rel=0.2)
    assert np.mean([np.std(one.norm.draws(200.0)) / 200 for one in found]) < 0.5 * claimed


def test_both_groups_vary_within_alike_however_rare_one_is():
    """One row of P for four of Q, with variances 9 and 1: their mean, as if both groups were equally likely."""
    rng = np.random.default_rng(6)
    t = np.arange(20_000) % 5 == 0
    rho = rng.normal(size=(20_000, 1)) * np.where(t, 3.0, 1.0)[:, None]
    found = squared_difference(made(t - 0.2, np.ones((20_000, 1)), rho, 0.2), 1.0, 0.0)
    assert found.within == pytest.approx((rho[t].var() + rho[~t].var()) / 2, rel=1e-3)


def test_what_a_ridge_holds_back_is_no_noise():
    """Half of a difference of ten deviations is left among the residuals by lambda 1, in every row alike."""
    found = [squared_difference(along_a_constant(seed, 100, 0.5, 10.0), 1.0, 1.0).norm for seed in range(150)]
    seen = np.array([one.seen for one in found])
    claimed = np.mean([np.std(one.draws(one.estimate)) for one in found])
    assert claimed == pytest.approx(seen.std(), rel=0.2)


def test_what_a_propensity_was_fitted_to_is_no_noise():
    """With the outcomes among its columns nothing is left that labels could have done to them."""
    rows = along_a_constant(7, 80, 0.5, 0.0)
    X = np.column_stack([np.ones(80), rows.rho])
    fit = ByColumns(rows.rho, rows.w, np.linalg.inv((X * rows.w[:, None]).T @ X))
    fitted = replace(rows, draws=SignDraws(Multipliers(rows.tau, fit), 0, 1999))
    free, left = (squared_difference(one, 1.0, 0.0).norm for one in (rows, fitted))
    assert left.bias < 0.05 * free.bias
    assert left.square.mean() < 0.05 * free.square.mean()
