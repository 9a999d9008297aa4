"""Made-up effects are of the size that they say, and leave an outcome the kind that it is."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import poisson

from condmmd.data import read_table
from condmmd.effects.alternatives import _poisson_quantiles, alternatives_of

RNG = np.random.default_rng(0)
N = 4000
X = RNG.normal(size=(N, 2)) * [1.0, 5.0]
WEIGHTS = np.full(N, 0.25)


def less_mean(values):
    return values - values.mean(axis=0)


def effects_on(y, along=None, weights=WEIGHTS):
    found = alternatives_of(read_table(y, "Y"), read_table(X, "X"), weights, less_mean, along)
    return {one.kind: one for one in found}


def test_a_number_is_shifted_tilted_or_spread():
    y = RNG.normal(3.0, 2.0, N)
    found = effects_on(y, along="x1")
    assert set(found) == {"shift", "slope", "spread"}
    np.testing.assert_allclose(found["shift"].change(0.7)[:, 0] - y, 0.7)
    slope = np.polyfit(X[:, 1], found["slope"].change(0.7)[:, 0] - y, 1)[0]
    assert slope * X[:, 1].std() == pytest.approx(0.7)
    assert found["spread"].change(1.5).std() == pytest.approx(1.5 * y.std())
    assert found["shift"].deviation == pytest.approx(y.std())
    assert found["slope"].along == "x1"


def test_the_slope_is_along_the_covariate_that_varies_where_the_groups_overlap():
    weights = np.where(np.abs(X[:, 0]) < 0.5, 0.25, 0.0)  # the first hardly does there
    assert effects_on(RNG.normal(size=N), weights=weights)["slope"].along == "x1"
    with pytest.raises(ValueError, match="`along` must be a covariate that is a number"):
        effects_on(RNG.normal(size=N), along="nothing")


def test_the_share_of_a_class_rises_and_classes_stay_classes():
    y = (RNG.random(N) < 0.2).astype(float)
    share = effects_on(y)["share"]
    changed = share.change(0.1)[:, 0]
    assert set(changed) == {0.0, 1.0}
    assert changed.mean() - y.mean() == pytest.approx(0.1, abs=0.005)
    assert (changed >= y).all()
    words = pd.DataFrame({"town": RNG.choice(["a", "b", "b", "c"], N)})
    found = effects_on(words)
    assert list(found) == ["share"]
    assert "town = b" in found["share"].words


@pytest.mark.parametrize("zeros", [False, True])
def test_counts_have_a_higher_rate_and_stay_counts(zeros):
    y = RNG.poisson(3.0, N) * (RNG.random(N) > 0.5 * zeros)
    found = effects_on(y.astype(float))
    assert list(found) == ["rate"]
    changed = found["rate"].change(1.5)[:, 0]
    np.testing.assert_array_equal(changed, np.round(changed))
    assert changed.mean() / y.mean() == pytest.approx(1.5, rel=0.03)
    if zeros:
        assert (changed[y == 0] == 0).all()


def test_quantiles_of_a_poisson_law():
    u, mean = RNG.random(200), RNG.random(200) * 6
    np.testing.assert_array_equal(_poisson_quantiles(u, mean), poisson.ppf(u, mean))


def test_a_stronger_effect_is_never_less():
    share = effects_on((RNG.random(N) < 0.2).astype(float))["share"]
    assert (share.change(0.2) >= share.change(0.1)).all()


def test_a_constant_outcome_has_none():
    assert effects_on(np.ones(N)) == {}
