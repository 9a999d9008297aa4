"""Distances to a reference, against means written out; and pairs of candidates that share it."""

import numpy as np
import pytest

from condmmd.effects.common_ground import CommonGround
from condmmd.effects.distances import distances_of, pairs_of


def ground(seed, shifts, n=80, copied=False):
    """Candidates whose two outcomes are shifted, over one direction: a constant."""
    rng = np.random.default_rng(seed)
    sample = np.repeat(np.arange(1 + len(shifts)), n)
    rho = rng.normal(size=(len(sample), 2)) + np.array([0.0, *shifts])[sample, None]
    if copied:
        rho[sample == 2] = rho[sample == 1]
    ones = np.ones(len(sample))
    return CommonGround(sample, ones[:, None], rho, ones, ones, ("", ""), 1.0)


def test_over_all_rows_alike_it_is_a_difference_of_means():
    own = ground(0, [0.5, 1.0])
    means = [own.rho[own.sample == k].mean(axis=0) for k in range(3)]
    variances = [own.rho[own.sample == k].var(axis=0, ddof=1).sum() for k in range(3)]
    for k, found in enumerate(distances_of(own), start=1):
        seen = np.sum((means[k] - means[0]) ** 2)
        assert found.norm.seen == pytest.approx(seen)
        assert found.norm.bias == pytest.approx((variances[k] + variances[0]) / 80)
        assert found.within == pytest.approx((variances[k] + variances[0]) / 2)
        along = (means[k] - means[0]) / seen**0.5
        both = sum(np.cov(own.rho[own.sample == j].T) for j in (0, k)) / 80
        assert np.std(found.norm.along) == pytest.approx((along @ both @ along) ** 0.5, rel=0.08)


def test_a_candidate_is_as_far_as_its_copy():
    (pair,) = pairs_of(distances_of(ground(1, [0.5, 0.5], copied=True)))
    assert pair.difference == pytest.approx(0, abs=1e-12)
    assert pair.pvalue > 0.9


def test_what_the_reference_has_of_its_own_cancels():
    """Both candidates are shifted alike: their distances go together, through the reference."""
    one, other = (d.norm.along for d in distances_of(ground(2, [2.0, 2.0])))
    assert np.corrcoef(one, other)[0, 1] == pytest.approx(0.5, abs=0.1)


def test_equal_candidates_are_rarely_told_apart_and_unequal_ones_are():
    equal = [pairs_of(distances_of(ground(seed, [0.6, 0.6])))[0].pvalue for seed in range(100)]
    nothing = [pairs_of(distances_of(ground(seed, [0.0, 0.0])))[0].pvalue for seed in range(100)]
    unequal = [pairs_of(distances_of(ground(seed, [0.2, 0.8])))[0].pvalue for seed in range(20)]
    assert np.mean(np.array(equal) <= 0.05) <= 0.12  # binomial(100, 0.05): 0.12 has a chance of 0.004
    assert np.mean(np.array(nothing) <= 0.05) <= 0.12
    assert np.mean(np.array(unequal) <= 0.05) >= 0.8


def test_over_several_pairs_a_pvalue_grows():
    pairs = pairs_of(distances_of(ground(3, [0.1, 0.5, 0.9])))
    assert len(pairs) == 3
    assert all(pair.adjusted >= pair.pvalue - 0.02 for pair in pairs)
    for pair in pairs_of(distances_of(ground(5, [0.5, 0.5, 0.5]))):  # between 0.2 and 0.8 each, and three of them
        assert pair.pvalue + 0.1 < pair.adjusted < 3 * pair.pvalue
    assert pairs_of(distances_of(ground(4, [0.5]))) == []


def test_over_which_rows_a_difference_is_averaged_is_chance_too():
    """A difference in proportion to x: its mean square is that of the rows, and varies as theirs does."""
    rng = np.random.default_rng(5)
    sample, x = np.repeat([0, 1], 150), rng.normal(size=300)
    x = (x - x.mean()) / x.std()
    rho = rng.normal(size=(300, 1)) + (2.0 * x * sample)[:, None]
    u, ones = np.column_stack([np.ones(300), x]), np.ones(300)
    (found,) = distances_of(CommonGround(sample, u, rho, ones, ones, ("", ""), 1.0))
    one, other = (np.linalg.lstsq(u[sample == k], rho[sample == k, 0], rcond=None)[0] for k in (0, 1))
    squares = (u @ (other - one)) ** 2
    assert found.norm.drift.std() == pytest.approx(squares.std() / squares.mean() / 300**0.5, rel=0.08)
