"""Where along a covariate the difference changes."""

import numpy as np
import pandas as pd
import pytest

from condmmd import cmmd_test
from tests.explain.planted import planted

N = 900
RNG = np.random.default_rng(3)
X = pd.DataFrame({"age": RNG.uniform(20, 80, N), "region": RNG.choice(list("abcdef"), N)})
T = np.where(RNG.random(N) < 0.5, "new", "old")
NOISE = RNG.normal(size=N)


def contrast(Y):
    where = cmmd_test(X, Y, T, n_resamples=99, rng=0).where()
    return where.contrasts[0]


def test_a_number_is_cut_where_its_difference_changes():
    found = contrast(pd.Series(NOISE + 1.2 * (T == "old") * (X.age > 60), name="cost"))
    low, high = found.parts
    assert (found.covariate, found.measure) == ("age", "mean of cost")
    assert low.high == pytest.approx(60, abs=6)
    assert high.low == X.age[X.age > low.high].min()
    assert abs(high.shift) == pytest.approx(1.2, abs=3 * high.error)
    assert abs(low.shift) < 3 * low.error
    assert sum(low.n_obs) + sum(high.n_obs) == N


def test_its_shift_is_a_difference_of_weighted_means():
    """Labels by a coin, so that both groups are alike and the plain difference of means is near."""
    y = NOISE + 1.2 * (T == "old") * (X.age > 60)
    high = contrast(pd.Series(y, name="cost")).parts[1]
    inside = X.age >= high.low
    first = y[inside & (T == "old")].mean() - y[inside & (T == "new")].mean()
    assert abs(high.shift) == pytest.approx(first, abs=0.15)
    groups = [y[inside & (label == T)] for label in ("old", "new")]
    plain = np.sqrt(sum(own.var(ddof=1) / len(own) for own in groups))
    assert high.error == pytest.approx(plain, rel=0.15)


def test_categories_are_put_together_by_their_differences():
    moved = X.region.isin(["b", "e"]) & (T == "old")
    found = contrast(pd.Series(NOISE + 1.5 * moved, name="cost"))
    assert found.covariate == "region"
    assert ("b", "e") in [part.categories for part in found.parts]


def test_a_spread_that_changes():
    found = contrast(pd.Series(NOISE * (1 + 2.0 * (T == "old") * (X.age > 50)), name="cost"))
    assert (found.covariate, found.measure) == ("age", "mean deviation of cost")


def test_shares_of_classes_and_several_outcomes():
    chance = RNG.random(N)
    answer = np.where(chance < 0.3 + 0.4 * (T == "old") * (X.age > 50), "yes", np.where(chance < 0.85, "no", "maybe"))
    found = contrast(pd.Series(answer, name="answer"))
    assert found.covariate == "age"
    assert found.measure in ("share of answer yes", "share of answer no")
    several = pd.DataFrame({"one": RNG.normal(size=N), "two": NOISE + 1.5 * (T == "old") * (X.age > 60)})
    assert contrast(several).measure == "mean of two"


def test_the_true_one_of_many_covariates_leads():
    Z, y, group = planted(0, n=400, effect=1.5)
    noise = pd.DataFrame(np.random.default_rng(1).random((800, 60)), columns=[f"z{k}" for k in range(60)])
    where = cmmd_test(pd.concat([noise, Z], axis=1), y, group, n_resamples=99, rng=0).where()
    assert where.contrasts[0].covariate == "x1"
    assert where.contrasts[0].parts[1].low == pytest.approx(0.5, abs=0.07)


def test_of_many_columns_and_few_rows_the_true_one_is_in_front():
    """200 columns, 100 + 100 rows: too few to say that it varies, and the column along which it does leads."""
    rng = np.random.default_rng(0)
    Z = pd.DataFrame(rng.normal(size=(200, 200)), columns=[f"feature_{j}" for j in range(200)])
    group, true = np.repeat([1, 0], 100), f"feature_{int(rng.integers(200))}"
    y = pd.Series(Z.iloc[:, 0] + Z.iloc[:, 1] + 2.0 * group * (Z[true] > 0) + rng.normal(size=200), name="y")
    where = cmmd_test(Z, y, group, n_resamples=39, rng=0).where()
    assert where.profiles[0].covariate == true
    assert where.courses[0].covariate == true
    assert where.regions[0].covariate == true
    assert not where.varies
    assert any("as far as can be seen, yes" in line for line in where.statements())
