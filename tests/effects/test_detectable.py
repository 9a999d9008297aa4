"""The smallest effects that would have been seen."""

import json

import numpy as np
import pandas as pd
import pytest

from condmmd import Linear, Overlap, cmmd_test
from condmmd.effects.detectable import DetectableEffect, _next, detect
from condmmd.statistics import CMMD
from tests.effects.trained import table, trained


@pytest.fixture(scope="module")
def found():
    return detect(*trained(*table(160)))


def test_a_shift_is_what_a_test_of_one_mean_would_need_and_a_little_more():
    """One column, the mean over all rows: ``(1.96 + 0.84)`` standard errors, as textbooks have it."""
    rng = np.random.default_rng(0)
    X, Y, group = np.ones((200, 1)), rng.normal(0, 3.0, 200), np.repeat([1, 0], 100)
    statistic = CMMD(kernel_x=Linear(), kernel_y=Linear(), level=0, estimator=Overlap(), reg=1e-6)
    with pytest.warns(UserWarning, match="constant"):
        pair = trained(X, Y, group, statistic=statistic, propensity=None, residualize=False, n_resamples=199)
    shift = detect(*pair).effect("shift")
    assert shift.size == pytest.approx(2.8 * Y.std() * (2 / 100) ** 0.5, rel=0.1)
    assert shift.deviations == pytest.approx(2.8 * (2 / 100) ** 0.5, rel=0.1)


def test_every_kind_is_there_with_a_curve_that_rises(found):
    assert [effect.kind for effect in found.effects] == ["shift", "slope", "spread"]
    for effect in found.effects:
        assert effect.powers == tuple(sorted(effect.powers))
        assert min(effect.sizes) * 0.5 < effect.size < max(effect.sizes) * 2
    assert found.effect("spread").deviations is None
    assert "residual standard deviations" in found.summary()
    json.dumps(found.to_dict(), allow_nan=False)


def test_more_power_needs_more(found):
    more = detect(*trained(*table(160)), power=0.95)
    for small, large in zip(found.effects, more.effects, strict=True):
        assert large.size > small.size


def test_the_next_size_is_on_a_line_of_normal_scores():
    assert _next({1.0: 0.5, 2.0: 0.9772498680518208}, 0.8413447460685429, 9.0) == pytest.approx(1.5)
    assert 1.0 < _next({1.0: 0.3}, 0.8, 9.0) < 3.0
    assert _next({1.0: 0.01}, 0.8, 1.2) == 1.2


def test_nothing_to_be_seen_is_said():
    """Eight rows: not even five deviations."""
    X, Y, group = table(8)
    pair = trained(X, Y, group, propensity=None, significance=0.02)
    effect = detect(*pair, outcomes=["y0"]).effect("spread")
    assert effect.size is None
    assert effect.words.startswith("not even")


def test_several_outcomes_of_several_kinds():
    rng = np.random.default_rng(0)
    X, _, group = table(120)
    Y = pd.DataFrame({"pay": rng.normal(size=120), "town": rng.choice(["a", "b"], 120), "visits": rng.poisson(2, 120)})
    result = cmmd_test(X, Y, group, n_resamples=99, rng=0)
    found = result.detectable(along="x1", outcomes=["town", "visits"])
    assert [(effect.outcome, effect.kind) for effect in found.effects] == [("town", "share"), ("visits", "rate")]
    assert isinstance(found.effect("rate", "visits"), DetectableEffect)
    with pytest.raises(ValueError, match="there is no effect of `kind` 'shift'"):
        found.effect("shift")
    with pytest.raises(ValueError, match="`outcomes` must be a list"):
        result.detectable(outcomes="town")


@pytest.mark.parametrize("power", [0.05, 1.0, "much"])
def test_a_power_that_is_none(power):
    with pytest.raises(ValueError, match="`power` must be between the significance"):
        detect(*trained(*table(60), propensity=None), power=power)
