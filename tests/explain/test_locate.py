"""Where it differs: the planted region is found, and the null is kept."""

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Asymptotic, Resampling, Signs, SmallSampleWarning, cmmd_test
from condmmd.explain import Where
from tests.explain.planted import planted


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
    assert "the same everywhere? as far as can be seen, yes" in where.summary()


def test_same_labels_same_answer():
    X, y, group = planted(3, n=150)
    first, second = (cmmd_test(X, y, group, n_resamples=99, rng=5).where() for _ in range(2))
    assert first.to_dict() == second.to_dict()
    again = cmmd_test(X, y, group, n_resamples=99, rng=5)
    assert again.where() is again.where()


def test_what_it_cannot_do():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=80), np.repeat([1, 0], 40)
    K = np.exp(-0.5 * np.subtract.outer(x, x) ** 2)
    result = cmmd_test(K, x, group, statistic=CMMD("precomputed"), propensity=None, n_resamples=99)
    with pytest.raises(TypeError, match="precomputed kernel has none"):
        result.where()
    with pytest.raises(ValueError, match="`significance` must be"):
        cmmd_test(x, x, group, propensity=None, n_resamples=99).where(significance=2)


def test_ties_count_with_few_rows():
    """3 + 3 rows have 20 labellings: no p-value can be much below 1/20."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        x, group = rng.normal(size=6), np.array([1, 1, 1, 0, 0, 0])
        result = cmmd_test(x, rng.normal(size=6), group, propensity=None, n_resamples=199, rng=seed)
        assert result.where().pvalue > 0.02


def test_too_few_ways_to_label():
    x = np.random.default_rng(0).normal(size=5)
    with pytest.warns(SmallSampleWarning, match=r"3 \+ 2 rows allow 10 different null draw"):
        cmmd_test(x, x**2, [1, 1, 1, 0, 0], propensity=None, n_resamples=99, rng=0)


def test_labels_enough_for_the_significance():
    X, y, group = planted(0, n=100)
    result = cmmd_test(X, y, group, n_resamples=999, rng=0)
    assert result.where(significance=0.001).n_labels == 999
    with pytest.raises(ValueError, match=r"999 gives no p-value below 0.001, .* at a significance of 0.0005"):
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
            x, y, group, propensity=e, null=Resampling(scheme), residualize=False, statistic=CMMD(kernel_y="linear"),
            n_resamples=99, rng=seed,
        )  # fmt: skip
        found.append(result.where().pvalue <= 0.5)
    assert 29 <= sum(found) <= 51


def test_a_test_without_null_labels_can_be_asked_where():
    """The band has random signs, whose limit the law is."""
    X, y, group = planted(1, n=200, effect=2.0)
    settings = {"propensity": np.full(400, 0.5), "statistic": CMMD(estimator="overlap"), "rng": 0, "n_resamples": 99}
    law = cmmd_test(X, y, group, null=Asymptotic(), **settings)
    drawn = cmmd_test(X, y, group, null=Signs(), **settings)
    assert law.where().to_dict() == drawn.where().to_dict()
    assert law.where().carriers[0] == "x1"
