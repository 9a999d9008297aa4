"""Effects of a test against independent computations, and what must not change them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from condmmd import cmmd_test
from condmmd.effects import StrataEffects, estimate_effects
from condmmd.effects.adjusted import Noise
from condmmd.effects.estimate import _log_slopes
from condmmd.effects.scores import Weights
from tests.effects.tables import SETTINGS, N, T, X, Y, default


def least_squares(design, y):
    """The first coefficient and its standard error (HC2), written out."""
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ y
    leverage = np.sum(design @ inverse * design, axis=1)
    scores = (design @ inverse) * ((y - design @ beta) / np.sqrt(1 - leverage))[:, None]
    return beta[0], np.sqrt(np.sum(scores[:, 0] ** 2))


def test_a_linear_design_as_least_squares_sees_it():
    """The two differ by what their regressions differ, with no lean to one side."""
    apart, ratios = [], []
    for seed in range(5, 9):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(1000, 3))
        t = (rng.random(1000) < 1 / (1 + np.exp(-0.5 * x[:, 0]))).astype(int)
        y = x @ [1.0, 0.5, -0.5] + 0.3 * t + rng.normal(size=1000)
        mean = cmmd_test(x, y, t, **SETTINGS).effect()["mean"]
        beta, error = least_squares(np.column_stack([t, np.ones(1000), x]), y)
        apart.append((mean.estimate - beta) / error)
        ratios.append(mean.error / error)
    assert np.abs(apart).max() < 0.4
    assert abs(np.mean(apart)) < 0.2
    np.testing.assert_allclose(ratios, 1.0, atol=0.1)


@pytest.mark.parametrize("population", ["p", "q", "all"])
def test_the_error_over_another_population_is_that_of_the_difference_of_influences(population):
    adjusted = default()._adjusted
    levels = Weights.of(population, adjusted).levels(adjusted, adjusted.means)
    expected = np.sqrt(np.sum((levels.of_p[:, 0] - levels.of_q[:, 0]) ** 2))
    assert default().effect(population)["mean"].error == pytest.approx(expected)


def test_swapping_the_groups_turns_the_sign():
    other = cmmd_test(X, Y, 1 - T, **SETTINGS).effect()
    for one, two in zip(default().effect(), other, strict=True):
        expected = 1 / one.estimate if one.is_ratio else -one.estimate
        assert two.estimate == pytest.approx(expected, rel=1e-3, abs=1e-3)
        assert two.error == pytest.approx(one.error, rel=1e-3, abs=1e-6)
        np.testing.assert_allclose(two.levels, one.levels[::-1], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("population", ["overlap", "p"])
def test_units(population):
    """In other units differences and their errors scale, levels move too, and ratios stay."""
    there = cmmd_test(X, 10 * Y + 3, T, **SETTINGS).effect(population)
    for one, two in zip(default().effect(population), there, strict=True):
        if one.kind == "spread":
            assert two.estimate == pytest.approx(one.estimate, rel=1e-3)
            continue
        assert two.estimate == pytest.approx(10 * one.estimate, rel=1e-3, abs=1e-3)
        assert two.error == pytest.approx(10 * one.error, rel=1e-3)
        np.testing.assert_allclose(two.levels, 10 * np.array(one.levels) + 3, rtol=1e-3, atol=1e-2)
        np.testing.assert_allclose(two.interval, 10 * np.array(one.interval), rtol=1e-2, atol=1e-2)


def test_a_constant_that_is_added_to_one_group_is_found_exactly():
    """By the same smoother: labels go through it as outcomes do, so what it smooths away is not lost."""
    one = cmmd_test(X, Y, T, residualize=False, **SETTINGS).effect()["mean"]
    two = cmmd_test(X, Y + 2.0 * T, T, residualize=False, **SETTINGS).effect()["mean"]
    assert two.estimate - one.estimate == pytest.approx(2.0, rel=0.02)  # the propensity has seen other outcomes
    assert two.error == pytest.approx(one.error, rel=0.05)


def test_spread_of_known_deviations():
    """P twice as wide: the ratio of deviations, whatever X explains."""
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(3000, 2)), np.arange(3000) % 2
    y = np.sin(2 * x[:, 0]) + x[:, 1] + rng.normal(size=3000) * np.where(t == 1, 1.0, 0.5)
    spread = cmmd_test(x, y, t, **SETTINGS).effect()["spread"]
    assert spread.interval[0] < 2.0 < spread.interval[1]
    assert spread.error < 0.05
    np.testing.assert_allclose(spread.levels, np.sqrt(2 / np.pi) * np.array([1.0, 0.5]), rtol=0.08)


def test_noise_of_predictions_is_taken_out_of_deviations():
    """A fifth of the squares is due to the models: both deviations lose that fifth of their mean square."""
    adjusted = default()._adjusted
    H = (T - adjusted.e) ** 2 / np.sum((T - adjusted.e) ** 2)
    ones = np.ones((N, 1))
    noisy = [replace(adjusted, noise=Noise(ones, (1 - part) * ones, 0 * T)) for part in (0.0, 0.2)]
    spreads = [estimate_effects(one, (N, N), "overlap", 0.95)["spread"] for one in noisy]
    before, after = (np.array(spread.levels) ** 2 for spread in spreads)
    share = H @ adjusted.e
    np.testing.assert_allclose(after, before - 0.2 * (share * before[0] + (1 - share) * before[1]), rtol=1e-6)
    assert spreads[1].estimate == pytest.approx(np.sqrt(after[0] / after[1]))


def test_how_the_logarithm_of_a_ratio_changes():
    def log_ratio(p, q, part=0.2, share=0.3):
        taken = part * (share * p**2 + (1 - share) * q**2)
        return 0.5 * np.log((p**2 - taken) / (q**2 - taken))

    p, q, small = 1.5, 1.1, 1e-6
    own = np.array([p**2, q**2]) - 0.2 * (0.3 * p**2 + 0.7 * q**2)
    numeric = [(log_ratio(p + small, q) - log_ratio(p - small, q)), (log_ratio(p, q + small) - log_ratio(p, q - small))]
    np.testing.assert_allclose(_log_slopes(p, q, own, 0.2, 0.3), np.array(numeric) / (2 * small), rtol=1e-6)


def test_every_kind_of_outcome():
    rng = np.random.default_rng(1)
    count = 1200
    x, t = rng.normal(size=(count, 2)), np.arange(count) % 2
    frame = pd.DataFrame({
        "weight": x[:, 0] + rng.normal(size=count) - 0.5 * t,
        "visits": rng.poisson(np.where(t == 1, 3.0, 2.0)),
        "low": rng.random(count) < np.where(t == 1, 0.5, 0.3),
        "kind": np.where(rng.random(count) < 0.2 + 0.2 * t, "a", rng.choice(["b", "c"], count)),
    })  # fmt: skip
    effects = cmmd_test(x, frame, t, **SETTINGS).effect()
    truths = {
        "mean of weight": -0.5, "mean of visits": 1.0, "rate of visits": 1.5, "share of kind = a": 0.2,
        "share of kind = b": -0.1, "share of low = True": 0.2, "50 % quantile of weight": -0.5,
    }  # fmt: skip
    for name, true in truths.items():
        effect = next(e for e in effects if e.name.lower() == name.lower() or e.name == name.replace("True", "1"))
        assert effect.simultaneous[0] <= true <= effect.simultaneous[1], name
        assert effect.error > 0
    assert effects.outcomes == ("weight", "visits", "low", "kind")
    assert [len(effects.of("quantile", name)) for name in effects.outcomes] == [9, 9, 0, 0]
    assert effects.joint_pvalue == 0.001  # of 999 draws
    shares = effects.of("share", "kind")
    assert sum(share.estimate for share in shares) == pytest.approx(0.0, abs=1e-6)
    for mean in (*effects.of("mean"), *shares):
        assert mean.simultaneous[0] < mean.interval[0] < mean.interval[1] < mean.simultaneous[1]


def test_arguments_are_checked():
    with pytest.raises(ValueError, match=r"`population` must be one of 'overlap', 'p', 'q', 'all'.*got 'treated'"):
        default().effect("treated")
    for confidence in (95, 1.0, "0.9", None):
        with pytest.raises(ValueError, match="`confidence` must be between 0 and 1"):
            default().effect(confidence=confidence)


def test_wider_with_more_confidence():
    narrow, wide = default().effect(confidence=0.8), default().effect(confidence=0.99)
    for one, two in zip(narrow, wide, strict=True):
        assert two.interval[0] <= one.interval[0]
        assert one.interval[1] <= two.interval[1]
        assert two.estimate == one.estimate


def test_a_constant_outcome_has_no_difference():
    with pytest.warns(match="constant"):
        result = cmmd_test(X, np.full(N, 2.0), T, **SETTINGS)
    (effect,) = result.effect()
    assert (effect.estimate, effect.error) == (pytest.approx(0.0), pytest.approx(0.0))


def test_a_shift_is_no_spread():
    """One row of P for three of Q, four deviations apart: both deviate as normal outcomes do."""
    rng = np.random.default_rng(2)
    x, t = rng.normal(size=(800, 2)), (np.arange(800) % 4 == 0).astype(int)
    y = 4.0 * t + rng.normal(size=800)
    for outcome, residualize in ((y + x[:, 0], True), (y, False)):
        spread = cmmd_test(x, outcome, t, residualize=residualize, **SETTINGS).effect()["spread"]
        np.testing.assert_allclose(spread.levels, np.sqrt(2 / np.pi), rtol=0.12)
        assert spread.interval[0] < 1.0 < spread.interval[1]


def test_the_error_of_a_rate_in_a_trial():
    """Of a logarithm of two means: the relative errors of both, by their squares."""
    rng = np.random.default_rng(3)
    t = np.arange(900) % 3 == 0
    y = rng.poisson(np.where(t, 6.0, 1.0))
    rate = cmmd_test(rng.normal(size=900), y, t, propensity=None, residualize=False, **SETTINGS).effect()["rate"]
    p, q = y[t], y[~t]
    assert rate.estimate == pytest.approx(p.mean() / q.mean(), rel=1e-6)
    expected = p.var(ddof=1) / len(p) / p.mean() ** 2 + q.var(ddof=1) / len(q) / q.mean() ** 2
    assert rate.error == pytest.approx(np.sqrt(expected), rel=5e-3)


def test_effects_of_all_rows_as_a_stratum_are_those_of_the_test():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=(200, 2)), np.repeat([1, 0], 100)
    y = np.column_stack([x[:, 0] + rng.normal(size=200), rng.poisson(3, 200), rng.integers(0, 2, 200)])
    result = cmmd_test(x, y, group, n_resamples=19, rng=0)
    within = StrataEffects(result.evidence, result._adjusted)(result.evidence, group >= 0)
    assert [effect.kind for effect in within] == ["mean", "mean", "share", "rate"]
    assert set(within) <= set(result.effect())


def test_an_interval_for_all_at_once_holds_the_one_for_each():
    """Of one number too, where an interval by signs may be wider than Student's."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = np.sign(rng.normal(size=12)) * rng.exponential(size=12) ** 3
        found = cmmd_test(rng.normal(size=12), y, np.arange(12) % 2, propensity=None, residualize=False, **SETTINGS)
        mean = found.effect(confidence=0.8)["mean"]
        assert mean.simultaneous[0] <= mean.interval[0] < mean.interval[1] <= mean.simultaneous[1]
