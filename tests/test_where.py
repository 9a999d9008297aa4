"""Where it differs: the planted region is found, the null is kept, and the pieces are what they say."""

import numpy as np
import pandas as pd
import pytest

from condmmd import OverlapWarning, SmallSampleWarning, cmmd_test
from condmmd.data import Column
from condmmd.explain import Region, Stratum, Where
from condmmd.explain.strata import _holm
from condmmd.explain.windows import MAX_BINS, make_windows


def planted(seed, n=1000, effect=1.0):
    """Three uniform covariates; outcomes differ by ``effect`` noise standard deviations where x1 > 0.5."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((2 * n, 3)), columns=["x1", "x2", "x3"])
    group = np.repeat([1, 0], n)
    return X, np.sin(3 * X.x1) + X.x2 + effect * group * (X.x1 > 0.5) + rng.normal(size=2 * n), group


def coverage(where: Where):
    """Share of (0.5, 1) in the region of the leading covariate, and share of that region outside."""
    grid = np.linspace(0, 1, 4001)
    inside = np.zeros(len(grid), dtype=bool)
    for region in where.profiles[0].regions:
        inside |= (grid >= region.low) & (grid <= region.high)
    return inside[grid > 0.5].mean(), (inside & (grid <= 0.5)).sum() / max(1, inside.sum())


@pytest.mark.parametrize("seed", range(4))
def test_planted_region(seed):
    X, y, group = planted(seed)
    where = cmmd_test(X, y, group, n_resamples=199, rng=seed).where()
    covered, beyond = coverage(where)
    assert covered >= 0.8
    assert beyond <= 0.1
    assert where.carriers[0] == where.profiles[0].covariate == "x1"
    for region in where.regions:
        if region.covariate == "x1" and sum(region.n_obs) > 500:
            assert region.shift == pytest.approx(1.0, abs=4 * region.error)


def test_null_marks_nothing_too_often():
    """60 nulls at 10 %, X moved: 2 to 13 marked has probability 0.99 at the nominal rate."""
    marked = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = np.concatenate([rng.normal(-0.3, 1, (60, 2)), rng.normal(0.3, 1, (60, 2))])
        group = np.repeat([1, 0], 60)
        e = 1 / (1 + np.exp(0.6 * x.sum(axis=1)))
        result = cmmd_test(x, x[:, 0] + rng.normal(size=120), group, propensity=e, n_resamples=99, rng=seed)
        where = result.where(significance=0.1)
        anything = bool(where.outside.any() or any(p.outside.any() for p in where.profiles))
        assert anything == (where.pvalue <= 0.1)
        marked += anything
    assert 1 <= marked <= 13


def test_marks_are_those_above_the_band():
    X, y, group = planted(1, n=200)
    where = cmmd_test(X, y, group, n_resamples=199, rng=0).where()
    for profile in where.profiles:
        np.testing.assert_array_equal(profile.outside, profile.size > profile.band)
        assert profile.n_obs.sum() == 400
    np.testing.assert_array_equal(where.outside, where.size > where.band)


def test_categories_and_several_outcomes():
    rng = np.random.default_rng(3)
    kind = np.array(["red", "green", "blue"])[rng.integers(3, size=600)]
    X = pd.DataFrame({"kind": kind, "z": rng.normal(size=600)})
    group = rng.integers(2, size=600)
    Y = rng.normal(size=(600, 2)) + 1.5 * (group * (kind == "red"))[:, None]
    where = cmmd_test(X, Y, group, n_resamples=199, rng=0).where()
    assert where.carriers[0] == "kind"
    assert where.regions[0].condition == "kind is red"
    assert where.regions[0].shift is None
    with pytest.raises(ValueError, match="one numeric outcome"):
        where.map()
    with pytest.raises(ValueError, match="no covariate 'colour'"):
        where.profile("colour")


def test_constant_difference_varies_along_nothing():
    rng = np.random.default_rng(0)
    x, group = rng.random((800, 2)), np.repeat([1, 0], 400)
    where = cmmd_test(x, rng.normal(size=800) + 0.8 * group, group, n_resamples=199, rng=0).where()
    assert where.pvalue <= 0.05
    assert where.carriers == ()
    assert "does not detectably vary" in where.summary()


def test_map_is_signed():
    X, y, group = planted(2)
    where = cmmd_test(X, y, group, n_resamples=99, rng=0).where()
    profile, outcomes, values = where.map("x1")
    right = profile.middle > 0.6
    high, low = outcomes > np.quantile(y, 0.8), outcomes < np.quantile(y, 0.2)
    assert values[np.ix_(right, high)].mean() > 0 > values[np.ix_(right, low)].mean()


def test_same_labels_same_answer():
    X, y, group = planted(3, n=150)
    first, second = (cmmd_test(X, y, group, n_resamples=99, rng=5).where() for _ in range(2))
    assert first.to_dict() == second.to_dict()
    again = cmmd_test(X, y, group, n_resamples=99, rng=5)
    assert again.where() is again.where()


def test_windows_keep_equal_values_together():
    values = np.repeat([0.0, 1.0, 5.0, 9.0], [50, 3, 100, 47])
    windows = make_windows(values, Column("v"))
    assert windows.low.tolist() == windows.high.tolist() == [0.0, 1.0, 5.0, 9.0]
    many = np.random.default_rng(0).normal(size=3000)
    windows = make_windows(many, Column("v"))
    assert windows.count == MAX_BINS
    assert (windows.high[:-1] < windows.low[1:]).all()
    assert np.bincount(windows.of_row).min() >= 70
    lumpy = np.concatenate([np.zeros(500), np.random.default_rng(1).random(500) + 1])
    windows = make_windows(lumpy, Column("v"))
    assert windows.low[0] == windows.high[0] == 0.0
    assert np.bincount(windows.of_row)[0] == 500


def test_strata_hold_holm():
    X, y, group = planted(5, n=400)
    X["half"] = np.where(X.x1 > 0.5, "upper", "lower")
    result = cmmd_test(X, y, group, n_resamples=199, rng=0)
    strata = {s.name: s for s in result.by_stratum("half")}
    assert strata["half is upper"].holm_pvalue <= 0.05 < strata["half is lower"].holm_pvalue
    binned = result.by_stratum("x1", bins=4)
    assert [s.holm_pvalue <= 0.05 for s in binned] == [False, False, True, True]
    assert sum(sum(s.n_obs) for s in binned) == 800
    with pytest.raises(ValueError, match="must be one of"):
        result.by_stratum("colour")


def test_holm():
    strata = [Stratum(name, (9, 9), p, None) for name, p in (("a", 0.04), ("b", 0.01), ("c", None), ("d", 0.03))]
    assert [s.holm_pvalue for s in _holm(strata)] == [
        pytest.approx(0.06),
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
    ]


def test_region_in_words():
    assert Region("age", 20.0, 31.5, (), (3, 4), None, None).condition == "age from 20 to 31.5"
    assert Region("kind", None, None, ("a", "b"), (3, 4), None, None).condition == "kind is a or b"


def test_what_it_cannot_do():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=80), np.repeat([1, 0], 40)
    result = cmmd_test(x, x, group, propensity=np.full(80, 0.5), estimator="orthogonal", null="gamma")
    with pytest.raises(ValueError, match="null='resampling'"):
        result.where()
    K = np.exp(-0.5 * np.subtract.outer(x, x) ** 2)
    result = cmmd_test(K, x, group, kernel_x="precomputed", propensity=None, n_resamples=99)
    with pytest.raises(TypeError, match="precomputed kernel has none"):
        result.where()
    with pytest.raises(ValueError, match="`significance` must be"):
        cmmd_test(x, x, group, propensity=None, n_resamples=99).where(significance=2)


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


def test_strata_are_told_apart_and_keep_their_scheme():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"day": 20240101.0 + np.arange(400), "cell": rng.choice(list("abcdef"), 400)})
    group = rng.integers(2, size=400)
    result = cmmd_test(X, rng.normal(size=400), group, n_resamples=99, rng=0)
    names = [s.name for s in result.by_stratum("day", bins=4)]
    assert len(set(names)) == 4
    assert names[0] == "day from 20240101 to 20240200"
    cells = pd.DataFrame({"cell": X["cell"], "size": np.where(np.arange(400) < 360, "big", "rare")})
    result = cmmd_test(cells, rng.normal(size=400), group, n_resamples=99, rng=0)
    assert result.scheme == "permutation within strata"
    assert result.evidence.again((cells["size"] == "rare").to_numpy(), 99).scheme == "permutation within strata"
    assert result.evidence.again((cells["size"] == "rare").to_numpy(), 99).n_obs[0] == group[360:].sum()


def test_one_stratum_without_overlap_does_not_stop_the_others():
    rng = np.random.default_rng(1)
    part = np.repeat(["mixed", "apart"], 100)
    x = rng.normal(size=200)
    group = np.where(part == "mixed", rng.integers(2, size=200), x > 0).astype(int)
    e = np.where(part == "mixed", 0.5, np.where(x > 0, 1 - 1e-9, 1e-9))
    X = pd.DataFrame({"x": x, "part": part})
    with pytest.warns(OverlapWarning, match="part in"):
        result = cmmd_test(X, rng.normal(size=200), group, propensity=e, rng=0)
    strata = {s.name: s for s in result.by_stratum("part")}
    assert strata["part is mixed"].holm_pvalue is not None
    assert "no overlap" in strata["part is apart"].note


def test_ties_count_with_few_rows():
    """3 + 3 rows have 20 labellings: no p-value can be much below 1/20."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        x, group = rng.normal(size=6), np.array([1, 1, 1, 0, 0, 0])
        result = cmmd_test(x, rng.normal(size=6), group, propensity=None, n_resamples=199, rng=seed)
        assert result.where().pvalue > 0.02


def test_too_few_ways_to_label():
    x = np.random.default_rng(0).normal(size=5)
    with pytest.warns(SmallSampleWarning, match=r"3 \+ 2 rows can be labelled in 10 way"):
        cmmd_test(x, x**2, [1, 1, 1, 0, 0], propensity=None, n_resamples=99, rng=0)


def test_labels_enough_for_the_significance():
    X, y, group = planted(0, n=100)
    result = cmmd_test(X, y, group, n_resamples=999, rng=0)
    assert result.where(significance=0.001).n_labels == 999
    with pytest.raises(ValueError, match="needs more than the 999 null labels"):
        result.where(significance=0.0005)


@pytest.mark.parametrize("scheme", ["bernoulli", "fixed-size"])
def test_centre_is_that_of_the_scheme(scheme):
    """P(p <= 0.5) is near one half under either scheme, which a centre that follows the labels would not give."""
    found = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=60)
        e = 1 / (1 + np.exp(-x))
        group = (rng.random(60) < e).astype(int)
        y = 3 + 0.3 * rng.normal(size=60)
        result = cmmd_test(
            x, y, group, propensity=e, scheme=scheme, residualize=False, kernel_y="linear", n_resamples=99, rng=seed
        )
        found.append(result.where().pvalue <= 0.5)
    assert 29 <= sum(found) <= 51
