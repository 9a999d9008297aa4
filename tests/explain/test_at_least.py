"""The estimation band: what is said to be at least there is there."""

import json

import numpy as np
import pytest

from condmmd import CMMD, Linear, Overlap, PooledRidge, cmmd_test
from condmmd.explain.at_least import deviations, lower_bounds, multiplier_radii
from condmmd.explain.windows import make_windows


def looked(seed, effect, n=100):
    """The windows of one covariate that has moved, and the mean difference that is in each of them."""
    rng = np.random.default_rng([seed, 3])
    x = np.concatenate([rng.normal(-0.4, 1, n), rng.normal(0.4, 1, n)])
    e, group = 1 / (1 + np.exp(0.8 * x)), np.repeat([1, 0], n)
    y = np.sin(x) + effect * group * (x > 0) + 0.5 * rng.normal(size=2 * n)
    result = cmmd_test(
        x, y, group, statistic=CMMD(kernel_y=Linear(), estimator=Overlap()), propensity=e, residualize=PooledRidge(),
        n_resamples=99, rng=seed,
    )  # fmt: skip
    where = result.where()
    windows, w = make_windows(x, result._samples.x.columns[0]), e * (1 - e)
    part = np.bincount(windows.of_row, weights=w * effect * (x > 0))
    truth = windows.join @ part / (windows.join @ np.bincount(windows.of_row, weights=w))
    return where, truth


def test_bounds_hold_for_all_windows_at_once():
    """24 tables at 5 %: more than 4 misses have a chance of 0.0060."""
    missed, found = 0, 0
    for seed in range(24):
        where, truth = looked(seed, 1.0)
        at_least = where.profiles[0].at_least
        missed += bool((at_least > truth + 1e-9).any())
        found += bool(at_least.max() > 0.3)
    assert missed <= 4
    assert found >= 21


def test_nothing_is_at_least_there_where_nothing_differs():
    """12 tables at 5 %: more than 3 have a chance of 0.0022."""
    said = 0
    for seed in range(12):
        where, _ = looked(seed, 0.0)
        said += bool(where.profiles[0].at_least.max() > 0 or where.at_least.max() > 0)
        assert len(where.at_least) == len(where.size)
        assert (where.at_least <= where.size).all()
    assert said <= 3
    assert json.loads(json.dumps(where.to_dict()))["points"]["at_least"] == where.at_least.tolist()


def test_deviations_are_of_the_differences_that_the_other_rows_show():
    rng = np.random.default_rng(0)
    phi, psi, t = rng.normal(size=(20, 3)), rng.normal(size=(20, 2)), rng.integers(0, 2, size=20)
    tau, weights = t - 0.4, np.full(20, 0.24)
    found = deviations(phi, psi, tau, weights, 0.7)
    for i in range(20):
        rest = np.arange(20) != i
        A = (phi[rest] * weights[rest, None]).T @ phi[rest] + 0.7 * np.eye(3)
        D = np.linalg.solve(A, phi[rest].T @ (tau[rest, None] * psi[rest]))
        np.testing.assert_allclose(found[i], tau[i] * (psi[i] - tau[i] * phi[i] @ D))


def test_one_sign_for_each_block_and_a_factor_for_all_places():
    blocks = np.repeat(np.arange(100), 2)
    seen = []

    def squares(multipliers):
        seen.append(multipliers)
        return multipliers[:, ::2] ** 2 * np.array([1.0, 4.0] * 50)

    normal = np.random.default_rng(0).normal(size=(1200, 100))  # in place of signs, to know the law
    scale, factor = multiplier_radii(squares, normal, blocks, 0.05)
    drawn = np.concatenate(seen)
    assert drawn.shape[1] == 200
    np.testing.assert_array_equal(drawn[:199, ::2], normal[:199])
    np.testing.assert_array_equal(drawn[:, ::2], drawn[:, 1::2])
    np.testing.assert_allclose(scale[::2].mean(), 1.0, atol=0.05)
    np.testing.assert_allclose(scale[1::2].mean(), 2.0, atol=0.1)
    assert 3.2 < factor < 3.9  # the largest of 100 absolute normals is below 3.48 in 95 of 100 cases
    assert multiplier_radii(squares, normal, blocks, 0.001)[1] > factor
    np.testing.assert_allclose(lower_bounds(np.array([1.0, 5.0]), (np.array([1.0, 1.0]), 3.0)), [0.0, 2.0])


@pytest.mark.parametrize("significance", [0.01, 0.2])
def test_a_smaller_chance_to_be_wrong_says_less(significance):
    rng = np.random.default_rng(1)
    x, group = rng.normal(size=200), np.repeat([1, 0], 100)
    result = cmmd_test(x, x + 2 * group + rng.normal(size=200), group, residualize=PooledRidge(), n_resamples=99, rng=1)
    usual, other = result.where(), result.where(significance=significance)
    assert (other.at_least.sum() < usual.at_least.sum()) == (significance < 0.05)
