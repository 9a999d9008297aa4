"""The outcomes with an effect are what a test would see in a table that has it."""

import numpy as np
import pytest

from condmmd import CMMD, PooledRidge
from condmmd.effects.power import Power
from condmmd.statistics.outcome_scale import outcome_scale
from tests.effects.trained import table, trained


@pytest.fixture(scope="module")
def found():
    X, Y, group = table()
    return Power.of(*trained(X, Y, group, propensity=None, residualize=False)), Y


def centred(values):
    return values - values.mean(axis=0)


def test_of_rows_of_p_and_q_together_they_are_the_features_of_the_changed_outcomes(found):
    power, Y = found
    t = np.random.default_rng(3).permutation(np.repeat([1.0, 0.0], 60))
    more = power.views.with_effect((Y + 0.4)[:, None])
    with_effect = (Y + 0.4 * t)[:, None]
    scale = power.trained.labels.samples.y.once(outcome_scale).further()
    kernel = power.trained.fitted.outcomes.transform(with_effect)
    for view, (base, change), features in zip(power.views.each, more, (scale(with_effect), None, kernel), strict=True):
        if features is not None:
            seen = base + t[:, None] * change
            np.testing.assert_allclose(centred(seen), centred(features) @ view.rotation, atol=1e-5)


def test_the_spread_is_that_of_residuals_that_have_the_effect_in_them(found):
    power, Y = found
    t = np.random.default_rng(3).permutation(np.repeat([1.0, 0.0], 60))
    base, change = power.views.with_effect((Y + 2 * (Y - Y.mean()))[:, None])[1]
    scale = power.trained.labels.samples.y.once(outcome_scale).further()
    both = scale(np.concatenate([Y, Y + 2 * (Y - Y.mean())])[:, None])[:, 0]
    own, other = np.split(both - both.mean(), 2)
    squares = np.where(t == 1, other, own) ** 2
    bent = squares / squares.mean() / (1 + squares / squares.mean())
    assert np.corrcoef((base + t[:, None] * change)[:, 0], bent)[0, 1] > 0.98


def test_without_an_effect_nothing_changes(found):
    power, Y = found
    for view, (base, change) in zip(power.views.each, power.views.with_effect(Y[:, None]), strict=True):
        np.testing.assert_allclose(base, view.reduced, atol=1e-5)
        assert np.abs(change).max() == 0


def test_a_statistic_of_the_kernel_alone_has_one_view():
    X, Y, group = table(80)
    power = Power.of(*trained(X, Y, group, statistic=CMMD(estimator="overlap", level=[0, 1])))
    assert [view.kind for view in power.views.each] == ["distribution"]
    assert power.seen((Y + 1.5)[:, None]).share() > power.seen(Y[:, None]).share() + 0.4


def test_models_take_their_part_of_the_effect_from_every_row():
    """Of an effect that X predicts next to nothing is left on average over labels, as in a table that has it."""
    X, Y, group = table()
    power = Power.of(*trained(X, Y, group, propensity=None, residualize=PooledRidge()))
    base, change = power.views.with_effect((Y + 0.2 * X[:, 0])[:, None])[0]
    left = base + 0.5 * change - power.views.each[0].reduced
    assert np.mean(left**2) < 0.1 * np.mean((0.5 * change) ** 2)
