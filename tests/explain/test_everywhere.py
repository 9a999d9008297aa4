"""Is it the same shift everywhere: the statistic written out, its size, its power, and what is said of it."""

import warnings

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Family, cmmd_test
from condmmd.data.warning_types import CondmmdWarning
from condmmd.explain.everywhere import Constancy, _Directions, _principal
from condmmd.explain.shifts import Means
from tests.explain.planted import planted


def constant(seed, shift=2.0, where=None, n=240, share=0.2):
    """One group is rare; covariates move; the outcomes differ by ``shift``, everywhere or where x0 > 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    e = 1 / (1 + np.exp(-x[:, 1])) * 2 * share
    group = (rng.random(n) < e).astype(int)
    there = 1.0 if where is None else x[:, 0] > 0
    y = np.sin(2 * x[:, 0]) + x[:, 1] + rng.normal(size=n) + shift * group * there
    return cmmd_test(x, y, group, propensity=e, n_resamples=99, rng=seed).where()


def test_the_statistic_written_out():
    """For each vector: estimate the constant, take it away, and look along directions without a constant part."""
    rng = np.random.default_rng(0)
    n, q = 40, 2
    values, phi, gains = rng.normal(size=(n, q)), rng.normal(size=(n, 3)), np.array([1, 2, 3])
    R = rng.normal(size=(5, n))
    found = Constancy((_Directions(phi, gains),), (values,))(R)
    for b in range(5):
        expected = 0.0
        for k in range(q):
            delta = np.sum(R[b] * values[:, k]) / np.sum(R[b] ** 2)
            left = values[:, k] - delta * R[b]
            assert np.sum(R[b] * left) == pytest.approx(0, abs=1e-10)
            expected += sum(gains[j] * np.sum(R[b] * phi[:, j] * left) ** 2 for j in range(3))
        assert found[b, 0] == pytest.approx(expected)


def test_directions_have_no_constant_part():
    rng = np.random.default_rng(1)
    phi, weights = rng.normal(size=(60, 4)) + 3, rng.uniform(0.1, 0.25, 60)
    found, gains = _principal(phi, weights)
    np.testing.assert_allclose(weights @ found, 0, atol=1e-10)
    second = (found * weights[:, None]).T @ found / weights.sum()
    np.testing.assert_allclose(second, np.diag(np.diag(second)), atol=1e-10)
    sigma = np.diag(second)
    np.testing.assert_allclose(gains, sigma / (sigma + 0.1 * sigma.sum()) ** 2)
    assert _principal(np.full((60, 2), 3.0), weights) is None


def test_a_constant_shift_is_the_same_everywhere():
    """20 draws at 10 %, one group rare: more than 6 has probability 0.002; intervals cover at about 95 %."""
    found = [constant(seed).everywhere for seed in range(20)]
    assert sum(coarse.pvalue <= 0.1 for coarse in found) <= 6
    assert sum(coarse.pvalue <= 0.5 for coarse in found) >= 4
    covered = [abs(coarse.shift - 2.0) <= 1.96 * coarse.error for coarse in found]
    assert sum(covered) >= 16


def test_a_shift_in_one_half_is_not_the_same_everywhere():
    found = [constant(seed, where="half") for seed in range(5)]
    assert sum(where.everywhere.pvalue <= 0.05 for where in found) >= 4


def test_a_spread_that_varies_is_not_the_same_everywhere():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=(600, 2)), np.repeat([1, 0], 300)
    noise = rng.normal(size=600)
    local = cmmd_test(x, noise * (1 + 2 * group * (x[:, 0] > 0)), group, propensity=None, n_resamples=99, rng=0)
    alike = cmmd_test(x, noise * (1 + 2 * group), group, propensity=None, n_resamples=99, rng=0)
    assert local.where().varies
    assert not alike.where().varies


def test_a_constant_shift_is_said_to_be_one_and_no_region_is_suggested():
    rng = np.random.default_rng(0)
    X, group = pd.DataFrame(rng.random((600, 2)), columns=["age", "size"]), np.repeat([1, 0], 300)
    y = pd.Series(rng.normal(size=600) + group, name="cost")
    where = cmmd_test(X, y, group, statistic=Family(), n_resamples=99, rng=0).where()
    first, second = where.statements()
    assert first.startswith("over 300 + 300 rows: mean of cost +")
    assert second.startswith("is it the same everywhere? as far as can be seen, yes (p = 0.")
    assert where.contrasts == ()
    assert where.regions
    assert where.carriers == ()
    assert not any(region.condition in where.summary() for region in where.regions)
    assert where.to_dict()["everywhere"]["shift"] == where.everywhere.shift


def test_regions_come_after_the_coarse_answer():
    where = cmmd_test(*planted(1, n=300), n_resamples=99, rng=0).where()
    lines = where.statements()
    assert where.varies
    assert lines[0].startswith("over 300 + 300 rows")
    assert "it varies with the covariates" in lines[1]
    assert where.contrasts[0].parts[0].condition in "\n".join(lines[2:])


@pytest.mark.parametrize("kind", ["several", "categories", "gram"])
def test_outcomes_that_are_not_one_number(kind):
    rng = np.random.default_rng(2)
    x, group = rng.normal(size=(300, 2)), np.repeat([1, 0], 150)
    moved = 1.5 * group * (x[:, 0] > 0)
    Y = rng.normal(size=(300, 2)) + moved[:, None]
    statistic = CMMD()
    if kind == "categories":
        Y = pd.Series(np.where(Y[:, 0] > 0.5, "high", "low"))
    elif kind == "gram":
        Y, statistic = Y @ Y.T, CMMD(kernel_y="precomputed")
    coarse = cmmd_test(x, Y, group, propensity=None, statistic=statistic, n_resamples=99, rng=0).where().everywhere
    assert coarse.shift is coarse.error is None
    assert coarse.n_obs == (150, 150)
    assert coarse.pvalue <= 0.05


def test_covariates_or_outcomes_that_are_constant():
    rng = np.random.default_rng(0)
    group, y = np.repeat([1, 0], 30), rng.normal(size=60)
    for x, outcome in ((np.ones(60), y), (y, np.ones(60))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CondmmdWarning)
            where = cmmd_test(x, outcome, group, propensity=None, n_resamples=19, rng=0, significance=0.05).where()
        assert where.everywhere.pvalue == 1.0


def test_what_is_held_fixed_has_lost_the_constant_difference():
    """Left in, the shift would be noise at null labels, and the test blind to what varies."""
    rng = np.random.default_rng(2)
    x, group = rng.normal(size=(200, 2)), np.arange(200) % 2
    y = x[:, 0] + rng.normal(size=200) + 4.0 * group
    evidence = cmmd_test(x, y, group, propensity=np.full(200, 0.5), n_resamples=19, rng=0).evidence
    means = Means.of(evidence)
    own = Constancy.of(evidence, means).views[0][:, 0]
    tau = evidence.t - 0.5
    assert abs(tau @ means.residual / (tau @ tau)) > 2.0
    assert abs(tau @ own / (tau @ tau)) < 1e-9
