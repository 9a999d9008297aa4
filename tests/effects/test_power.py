"""The power that is predicted, against whole tests of fresh tables."""

from dataclasses import replace

import numpy as np
import pytest

from condmmd import CMMD, PooledRidge, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.effects.power import Power, _moments
from tests.effects.trained import table, trained

FAST = {"propensity": None, "residualize": PooledRidge(), "n_resamples": 99}


@pytest.fixture(scope="module")
def power():
    return Power.of(*trained(*table(100, d=1), **FAST))


def rejects(shift, spread, seed):
    rng = np.random.default_rng([seed, 1])
    X, group = rng.normal(size=(100, 1)), np.repeat([1, 0], 50)
    Y = X[:, 0] + np.where(group == 1, spread, 1.0) * rng.normal(size=100) + shift * group
    return cmmd_test(X, Y, group, rng=seed, **FAST).pvalue <= 0.05


def binomial_slack(trials):
    """Three standard errors of a share of about a half, and the noise of the pilot table."""
    return 3 * 0.5 / trials**0.5 + 0.06


@pytest.mark.parametrize("shift", [0.35, 0.6])
def test_a_shift_is_seen_as_often_as_whole_tests_see_it(power, shift):
    Y = np.asarray(power.trained.labels.samples.y.values)
    trials = 60
    measured = np.mean([rejects(shift, 1.0, seed) for seed in range(trials)])
    assert power.seen(Y + shift).share() == pytest.approx(measured, abs=binomial_slack(trials))


def test_more_rows_see_more_as_a_stronger_effect_does(power):
    Y = np.asarray(power.trained.labels.samples.y.values)
    seen = power.seen(Y + 0.3)
    shares = [seen.share(rows) for rows in (0.3, 1.0, 3.0, 10.0)]
    assert shares == sorted(shares)
    assert shares[0] < 0.3
    assert shares[-1] > 0.95
    assert seen.share(4.0) == pytest.approx(power.seen(Y + 0.6).share(), abs=0.08)  # twice the effect


def test_without_an_effect_it_rejects_as_often_as_it_should(power):
    Y = np.asarray(power.trained.labels.samples.y.values)
    seen = power.seen(Y)
    assert seen.share() == pytest.approx(0.05, abs=0.035)


def test_the_noise_of_a_mean_over_draws_is_no_signal(power):
    """Its square is the noise by the number of draws on average, and mostly less: then no signal is left."""
    Y = np.asarray(power.trained.labels.samples.y.values)
    seen = [replace(power, seed=seed).seen(Y) for seed in range(8)]
    assert np.median([one.signal / one.noise.mean(axis=0) for one in seen]) < 0.1 / power.draws


def test_the_columns_are_those_of_a_test_of_the_changed_table():
    """Without models to fit, moments with an effect at drawn labels are the statistic of that very table."""
    X, Y, group = table(80)
    options = {"propensity": None, "residualize": False}
    power = Power.of(*trained(X, Y, group, **options))
    seen = power.seen((Y + 1.2)[:, None])
    t = power._labels[0][0].astype(int)
    plan, changed = trained(X, Y + 1.2 * t, t, **options)
    columns = seen.noise + 2 * seen.cross + seen.signal
    direct = changed.fitted(HeldLabels(t[None, :].astype(np.int8)))[0]
    mean = next(k for k, column in enumerate(changed.fitted.columns) if column.name == "the mean of y0, over all rows")
    own = power.trained.labels.samples
    units = [np.ptp(np.asarray(plan.statistic.embed_outcomes(s).phi)[:, 0]) / np.ptp(np.asarray(s.y.values))
             for s in (own, changed.labels.samples)]  # fmt: skip
    of_test = direct[mean] * (units[0] / units[1]) ** 2
    louder = 1 + 0.6**2 / np.var(Y)  # at null labels the effect is among the residuals, up or down by a half of it
    assert columns[0, mean] * louder == pytest.approx(of_test, rel=0.01)


def test_covariates_without_a_feature_carry_nothing():
    weights, rows = np.ones((2, 5), dtype=np.float32), np.ones((5, 3), dtype=np.float32)
    assert _moments(weights, rows[:, :0], rows).shape == (2, 0, 3)
    np.testing.assert_array_equal(_moments(weights, rows, rows), np.full((2, 3, 3), 5.0))


def test_what_is_not_linear_or_has_no_columns_is_refused():
    X, Y, group = table(60)
    with pytest.raises(TypeError, match="linear in the labels"):
        Power.of(*trained(X, Y, group, statistic=CMMD(), propensity=None))
    K = np.exp(-((Y[:, None] - Y) ** 2))
    with pytest.raises(TypeError, match="Gram matrix"):
        Power.of(*trained(X, K, group, statistic=CMMD(kernel_y="precomputed", estimator="overlap"), propensity=None))


def test_the_propensity_is_fitted_to_the_labels_that_are_drawn():
    """What its columns can say of the labels is gone from their residuals, as it is from the observed ones."""
    power = Power.of(*trained(*table(), residualize=PooledRidge()))
    fit, (T, tau) = power.trained.labels.propensity.fit, power._labels
    free, left = (np.mean((part @ np.asarray(fit.Z)) ** 2, axis=0) for part in (T - power.e, tau))
    assert (left / free).min() < 0.2
    assert (left / free).max() < 1.1
