"""Averages of both groups and what every row adds, against the formulas written out."""

import numpy as np
import pytest

from condmmd import OverlapWarning, Resampling, cmmd_test
from condmmd.effects.scores import Weights
from condmmd.labels import Multipliers
from tests.effects.tables import SETTINGS, E, N, T, X, Y, default, plain


def test_overlap_weights_by_hand():
    """Known probabilities, no regression: an instrument t - e, and weighted residuals of each group."""
    adjusted = plain()._adjusted
    e, s = adjusted.e, T - adjusted.e
    left = T - T.mean()
    tau = np.sum(s * (Y - Y.mean())) / np.sum(s * left)
    mu_q = Y - (Y - Y.mean() - tau * left) - tau * T
    u, H = Y - Y.mean() - tau * left, s**2
    p = np.sum(H * (mu_q + tau) + T * (1 - e) * u) / np.sum(H)
    q = np.sum(H * mu_q + (1 - T) * e * u) / np.sum(H)
    found = Weights.of("overlap", adjusted).levels(adjusted, adjusted.means)
    assert found.p[0] == pytest.approx(p)
    assert found.q[0] == pytest.approx(q)
    assert found.p[0] - found.q[0] == pytest.approx(tau)
    share = np.where(T == 1, T * (1 - e) / np.sum(T * (1 - e)), (1 - T) * e / np.sum((1 - T) * e))
    influence = s * u / np.sum(H) / np.sqrt(1 - share)
    np.testing.assert_allclose((found.of_p - found.of_q)[:, 0], influence, atol=1e-12)


def test_in_a_trial_without_regression_they_are_the_means_of_the_groups():
    result = cmmd_test(X, Y, T, propensity=None, residualize=False, **SETTINGS)
    mean = result.effect()["mean"]
    p, q = Y[T == 1], Y[T == 0]
    np.testing.assert_allclose(mean.levels, [p.mean(), q.mean()], rtol=1e-9)
    assert mean.error == pytest.approx(np.sqrt(p.var(ddof=1) / len(p) + q.var(ddof=1) / len(q)), rel=2e-3)


@pytest.mark.parametrize(
    ("population", "counts", "weights"),
    [
        ("p", T, T + (1 - T) * E / (1 - E)),
        ("q", 1 - T, T * (1 - E) / E + 1 - T),
        ("all", np.ones(N), T / E + (1 - T) / (1 - E)),
    ],
)  # fmt: skip
def test_other_populations_have_augmented_inverse_weights(population, counts, weights):
    """Whatever the models say: predictions over the population, and weighted residuals of each group."""
    result = cmmd_test(X, Y, T, propensity=E, null=Resampling("bernoulli"), **SETTINGS)
    adjusted = result._adjusted
    found = Weights.of(population, adjusted)
    np.testing.assert_allclose(found.p + found.q, weights)
    np.testing.assert_allclose(found.counts, counts)
    levels = found.levels(adjusted, adjusted.means)
    for level, influence, own in ((levels.p[0], levels.of_p, found.p), (levels.q[0], levels.of_q, found.q)):
        assert abs(influence.sum()) < 0.02  # every row's part, without what small groups add, sums to nothing
        plain_mean = own @ Y / own.sum()
        assert level == pytest.approx(plain_mean, abs=4 * np.sqrt(np.sum(influence**2)) + 0.2)


def test_blocks_count_once():
    """Each row twice, as a block: the same weights, degrees of freedom and effective rows."""
    twice = cmmd_test(
        np.repeat(X, 2, axis=0), np.repeat(Y, 2), np.repeat(T, 2), propensity=np.repeat(E, 2), residualize=False,
        blocks=np.repeat(np.arange(N), 2), **SETTINGS,
    )  # fmt: skip
    one, two = Weights.of("overlap", plain()._adjusted), Weights.of("overlap", twice._adjusted)
    np.testing.assert_allclose(two.effective_rows, one.effective_rows, rtol=1e-6)
    assert two.degrees_of_freedom == pytest.approx(one.degrees_of_freedom, rel=1e-6)
    assert twice.effect()["mean"].error == pytest.approx(plain().effect()["mean"].error, rel=1e-6)
    assert twice.effect()["mean"].estimate == pytest.approx(plain().effect()["mean"].estimate, rel=1e-6)


def test_rows_with_nobody_to_compare_with_are_refused_where_they_count():
    x = np.repeat([0, 1, 2], [100, 100, 40])[:, None]
    t = np.concatenate([np.arange(200) % 2, np.ones(40, dtype=int)])
    with pytest.warns(OverlapWarning):
        result = cmmd_test(x, np.random.default_rng(0).normal(size=240), t, **SETTINGS)
    assert result.effect("q")["mean"].error > 0
    assert result.effect()["mean"].error > 0
    for population in ("p", "all"):
        with pytest.raises(ValueError, match=r"40 row\(s\).*only one group has.*overlap"):
            result.effect(population)


def test_default_weights_are_those_of_the_test():
    adjusted = default()._adjusted
    np.testing.assert_array_equal(adjusted.e, default().evidence.e)


def test_influence_is_the_derivative_by_the_weight_of_a_row():
    """Nudge the weight of a row everywhere and see the average move; small groups add less than one percent."""
    rng = np.random.default_rng(0)
    mu, u, counts, own = rng.normal(size=(400, 1)), 1 + rng.normal(size=(400, 1)), rng.random(400), rng.random(400)

    def average(counts, own):
        return Weights("all", counts, own, own, Multipliers(np.ones(400)), None)._average(mu, u, own)

    influence = average(counts, own)[1][:, 0]
    for i in (0, 9, 250):
        ends = []
        for nudge in (-1e-5, 1e-5):
            weight = np.ones(400)
            weight[i] += nudge
            ends.append(average(counts * weight, own * weight)[0][0])
        assert influence[i] == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=0.01, abs=2e-5)


def test_degrees_of_freedom_are_those_of_a_weighted_variance():
    """Satterthwaite's, of squares that each count by the square of their weight: twice mean square by variance."""
    own = np.random.default_rng(1).exponential(size=200)
    t = np.arange(200) % 2
    found = Weights("all", np.ones(200), t * own, (1 - t) * own, Multipliers(np.ones(200)), None).degrees_of_freedom
    drawn = np.random.default_rng(2).chisquare(1, size=(40_000, 200)) @ own**2
    assert found == pytest.approx(2 * drawn.mean() ** 2 / drawn.var() - 1, rel=0.05)
