"""Mean shifts and how they vary: estimates that hold when there is a difference."""

import numpy as np
import pytest

from condmmd import cmmd_test
from condmmd.explain.shifts import Means, variation_of


def constant_difference(kind, seed, n=400):
    """Differences that do not vary: shifts over a slope, shifts with few rows of P, another spread."""
    rng = np.random.default_rng(seed)
    e = 0.5 if kind == "slope" else 0.1
    x, group = rng.random((n, 2)), (rng.random(n) < e).astype(int)
    noise = rng.normal(size=n)
    y = {"slope": 4 * x[:, 0] + noise + group, "shift": 0.5 * noise + 3 * group, "spread": noise * (1 + 2 * group)}[
        kind
    ]
    return cmmd_test(x, y, group, propensity=np.full(n, e), n_resamples=99, rng=seed).where()


@pytest.mark.parametrize(("kind", "shift"), [("slope", 1.0), ("shift", 3.0), ("spread", 0.0)])
def test_what_does_not_vary_is_not_said_to_vary(kind, shift):
    """15 draws: at a rate of 5 % four or more would be one case in 200; the intervals cover at 92 to 96 %."""
    found = [constant_difference(kind, seed) for seed in range(15)]
    assert sum(len(where.carriers) > 0 for where in found) <= 3
    covered = [np.abs(p.shift - shift) <= 1.96 * p.error for where in found for p in where.profiles]
    assert 0.88 <= np.concatenate(covered).mean() <= 0.99


def test_a_shift_is_a_difference_of_weighted_means():
    rng = np.random.default_rng(0)
    t, e, r = (rng.random(50) < 0.5).astype(float), rng.uniform(0.2, 0.8, 50), rng.normal(size=50)
    means = Means(r, t * (1 - e), (1 - t) * e, np.arange(50))
    rows = np.arange(10, 40)
    p, q = (t * (1 - e))[rows], ((1 - t) * e)[rows]
    found, error = means.shift(rows)
    assert found == pytest.approx(p @ r[rows] / p.sum() - q @ r[rows] / q.sum())
    assert error > 0
    assert np.isnan(means.shift(np.flatnonzero(t == 1))).all()


def test_rows_of_one_block_deviate_together():
    """Copies of rows add nothing: the error of doubled rows in blocks of two is that of the rows themselves."""
    rng = np.random.default_rng(1)
    t, r = np.repeat([1.0, 0.0], 200), rng.normal(size=400)
    single = Means(r, 0.5 * t, 0.5 * (1 - t), np.arange(400)).shift(np.arange(400))
    double = [np.repeat(part, 2) for part in (r, 0.5 * t, 0.5 * (1 - t), np.arange(400))]
    blocked = Means(*double).shift(np.arange(800))
    assert blocked[0] == pytest.approx(single[0])
    assert blocked[1] == pytest.approx(single[1], rel=0.01)
    assert Means(*double[:3], np.arange(800)).shift(np.arange(800))[1] < 0.8 * single[1]


def test_a_difference_that_varies_is_seen_along_its_covariate():
    rng = np.random.default_rng(2)
    x, group = rng.random((600, 2)), np.repeat([1, 0], 300)
    y = rng.normal(size=600) + 2.0 * group * (x[:, 0] > 0.5)
    evidence = cmmd_test(x, y, group, propensity=None, n_resamples=19, rng=0).evidence
    (first, p_first), (_, p_second) = variation_of(y[:, None], evidence)
    assert first > 3
    assert p_first <= 0.01 < p_second
    strong = y + 4.0 * group * (x[:, 0] > 0.5)
    assert variation_of(strong[:, None], evidence)[0][0] > 199**0.5  # the most that one of 200 has among its own kind


def test_a_slope_is_seen_where_bins_have_too_few_rows():
    """Nine rows of each group: no two bins have five of either."""
    rng = np.random.default_rng(4)
    x, group = rng.normal(size=(18, 2)), np.arange(18) % 2
    y = 0.3 * rng.normal(size=18) + 3.0 * group * x[:, 0]
    evidence = cmmd_test(x, y, group, propensity=np.full(18, 0.5), n_resamples=19, rng=0).evidence
    (first, p_first), (_, p_second) = variation_of(y[:, None], evidence)
    assert first > 3
    assert p_first <= 0.05 < p_second


def test_the_error_of_a_shift_of_equal_weights():
    """Deviations from the mean, each by one row less than there are."""
    rng = np.random.default_rng(3)
    p, q = rng.normal(size=6), rng.normal(size=9)
    r, t = np.concatenate([p, q]), np.repeat([1.0, 0.0], [6, 9])
    error = Means(r, 0.5 * t, 0.5 * (1 - t), np.arange(15)).shift(np.arange(15))[1]
    assert error == pytest.approx(np.sqrt(p.var(ddof=1) / 5 + q.var(ddof=1) / 8))
