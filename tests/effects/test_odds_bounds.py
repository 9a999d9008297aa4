"""Bounds against linear programs, closed forms, and what must hold whatever the quantiles are."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import ndtri
from scipy.stats import norm

from condmmd.effects.odds_bounds import Difference, LocationScale, TwoValues, largest_factor
from condmmd.explain.shifts import Means

GAMMA = 1.7


def small(seed, n=24):
    rng = np.random.default_rng(seed)
    t = (np.arange(n) % 3 == 0).astype(float)
    return rng.normal(size=n), t, rng.uniform(0.2, 0.8, n), rng.uniform(0.5, 2.0, n)


def program(r, weight, moved, spread, gamma):
    """The largest weighted mean over factors in the box that are 1 on average, weighted by the spread."""
    cost = weight * moved * r
    found = linprog(
        -cost,
        A_eq=[weight * moved * spread],
        b_eq=[(weight * moved * spread).sum()],
        bounds=[(1 / gamma, gamma)] * len(r),
    )
    return (weight @ r - cost.sum() - found.fun) / weight.sum()


def fractional_program(r, weight, moved, gamma):
    """The largest ratio with any factors in the box (Charnes and Cooper): no balance but that of the weights."""
    n = len(r)
    fixed, free = weight * (1 - moved), weight * moved  # the weights are fixed + free lam; lam and 1 are scaled by s
    box = np.vstack(
        [np.column_stack([np.eye(n), -gamma * np.ones(n)]), np.column_stack([-np.eye(n), np.ones(n) / gamma])]
    )
    found = linprog(
        -np.append(free * r, fixed @ r), A_ub=box, b_ub=np.zeros(2 * n), A_eq=[np.append(free, fixed.sum())],
        b_eq=[1.0], bounds=[(0, None)] * (n + 1),
    )  # fmt: skip
    return -found.fun


@pytest.mark.parametrize("seed", range(5))
def test_the_bounds_are_those_of_a_linear_program(seed):
    r, t, e, spread = small(seed)
    difference = Difference(r, t, e, np.arange(len(r)))
    centred = r - difference.location
    of_location = sum(s * w @ difference.location / w.sum() for s, w in ((1, t * (1 - e)), (-1, (1 - t) * e)))
    high = (
        program(centred, t * (1 - e), 1 - e, spread, GAMMA)
        + program(-centred, (1 - t) * e, e, spread, GAMMA)
        + of_location
    )
    low = (
        -program(-centred, t * (1 - e), 1 - e, spread, GAMMA)
        - program(centred, (1 - t) * e, e, spread, GAMMA)
        + of_location
    )
    bounds = difference.bounds(LocationScale(difference.location, spread))
    assert bounds.largest(GAMMA).value == pytest.approx(high, abs=1e-8)
    assert bounds.smallest(GAMMA).value == pytest.approx(low, abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_they_lie_within_those_that_balance_nothing(seed):
    r, t, e, _ = small(seed)
    own = Difference(r, t, e, np.arange(len(r))).bounds(LocationScale(0 * r, np.ones(len(r))))
    high = fractional_program(r, t * (1 - e), 1 - e, GAMMA) + fractional_program(-r, (1 - t) * e, e, GAMMA)
    assert own.largest(GAMMA).value <= high + 1e-9
    assert own.largest(GAMMA).value > own.largest(1.0).value


def many(seed=0, n=60_000):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    e = 1 / (1 + np.exp(-x))
    return rng, x, e, (rng.random(n) < e).astype(float)


@pytest.mark.parametrize("gamma", [1.3, 3.0])
def test_of_normal_outcomes_they_are_the_known_sharp_ones(gamma):
    """At every x the sharp bounds are ``shift +- sigma (G - 1 / G) phi(quantile)``, whatever the propensity."""
    rng, x, e, t = many()
    sigma = np.exp(0.5 * x)
    r = (t - e) * 0.4 + sigma * rng.normal(size=len(x))
    difference = Difference(r, t, e, np.arange(len(x)))
    w = e * (1 - e)
    half = (w @ sigma / w.sum()) * (gamma - 1 / gamma) * norm.pdf(ndtri(gamma / (1 + gamma)))
    sharp = difference.bounds(LocationScale(difference.location, sigma))
    assert sharp.largest(gamma).value == pytest.approx(0.4 + half, abs=0.03)
    assert sharp.smallest(gamma).value == pytest.approx(0.4 - half, abs=0.03)
    wide = difference.bounds(LocationScale(difference.location, np.ones(len(x))))
    assert wide.largest(gamma).value > sharp.largest(gamma).value + 0.01 * (gamma - 1.3)


@pytest.mark.parametrize("gamma", [1.3, 3.0])
def test_of_shares_they_are_the_known_sharp_ones(gamma):
    """The largest share of P at x is ``e p + (1 - e) (p / G + (1 - 1 / G) min(1, (1 + G) p))``."""
    rng, x, e, t = many(1)
    p = 1 / (1 + np.exp(-1.5 * x))
    y = (rng.random(len(x)) < p).astype(float)
    w = e * (1 - e)

    def most(p, reach):
        return (1 - reach) * p + reach * (p / gamma + (1 - 1 / gamma) * np.minimum(1, (1 + gamma) * p))

    high = w @ (most(p, 1 - e) - (1 - most(1 - p, e))) / w.sum()
    bounds = Difference(y - p, t, e, np.arange(len(x))).bounds(TwoValues(p, p))
    assert bounds.largest(gamma).value == pytest.approx(high, abs=0.015)


def test_a_wrong_quantile_makes_them_wider_never_narrower():
    rng, x, e, t = many(2)
    r = rng.normal(size=len(x))
    difference = Difference(r, t, e, np.arange(len(x)))
    sharp = difference.bounds(LocationScale(0 * r, np.ones(len(r)))).largest(2.0).value
    for wrong in (0.5 * x, -np.ones(len(x)), np.sin(5 * x)):
        assert difference.bounds(lambda arm, factor, q=wrong: arm.sign * q).largest(2.0).value > sharp


def test_with_the_odds_as_they_are_they_are_the_estimate_of_where():
    r, t, e, spread = small(0)
    expected = Means(r, t * (1 - e), (1 - t) * e, np.arange(len(r))).shift(np.arange(len(r)))
    bounds = Difference(r, t, e, np.arange(len(r))).bounds(LocationScale(0 * r, spread))
    assert bounds.largest(1.0) == pytest.approx(expected)
    assert bounds.smallest(1.0) == pytest.approx(expected)


def test_copies_in_a_block_are_one_row():
    r, t, e, spread = small(3, 60)
    single = Difference(r, t, e, np.arange(60)).bounds(LocationScale(0 * r, spread))
    r, t, e, spread = (np.tile(part, 2) for part in (r, t, e, spread))
    twice = Difference(r, t, e, np.tile(np.arange(60), 2)).bounds(LocationScale(0 * r, spread))
    assert twice.largest(GAMMA) == pytest.approx(single.largest(GAMMA))
    rows = Difference(r, t, e, np.arange(120)).bounds(LocationScale(0 * r, spread))
    assert rows.largest(GAMMA).error < 0.75 * single.largest(GAMMA).error


def test_blocks_share_a_label_so_their_bounds_are_narrower():
    rng, _, e, t = many(4, 4000)
    r = rng.normal(size=4000)
    of_row = np.repeat(np.arange(1000), 4)
    t, e = t[::4][of_row], e[::4][of_row]
    ends = [
        Difference(r, t, e, b).bounds(LocationScale(0 * r, np.ones(4000))).largest(2.0)
        for b in (of_row, np.arange(4000))
    ]
    assert ends[0].value < ends[1].value - 0.1


@pytest.mark.parametrize("end", [1.0, 1.01, 1.24, 1.25, 1.26, 3.07, 99.99])
def test_the_largest_factor_is_found_to_a_hundredth(end):
    assert largest_factor(lambda factor: factor <= end + 1e-9) == pytest.approx(end)


def test_the_largest_factor_has_an_end_and_may_not_be_there():
    assert largest_factor(lambda _: True) == 100.0
    assert largest_factor(lambda _: False) is None


def test_errors_are_those_of_many_tables():
    """Of skewed outcomes and a large factor, so that most of the noise is in what the odds move."""
    ends = []
    for seed in range(200):
        rng, _, e, t = many([7, seed], 1000)
        r = rng.exponential(size=1000) - 1
        ends.append(Difference(r, t, e, np.arange(1000)).bounds(LocationScale(0 * r, np.ones(1000))).largest(10.0))
    values, errors = np.array(ends).T
    assert errors.mean() == pytest.approx(values.std(), rel=0.15)
