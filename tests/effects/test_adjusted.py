"""What the models of a test leave of outcomes and labels, for its effects."""

import dask.array as da
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import CMMD, Gaussian, PooledRidge, cmmd_test
from condmmd.backend import content_order
from condmmd.effects import Adjusted
from condmmd.effects.adjusted import ALONG, Noise, _deviations
from condmmd.effects.varying import varying_effects
from condmmd.nuisance.folds import fold_parts, shuffled_folds
from tests.effects.tables import SETTINGS, N, T, X, Y, default, plain


def test_without_models_it_is_outcomes_and_labels_less_their_means():
    adjusted = plain()._adjusted
    np.testing.assert_allclose(adjusted.means.left[:, 0], Y - Y.mean())
    np.testing.assert_allclose(adjusted.means.labels_left, T - T.mean(), atol=1e-9)
    np.testing.assert_array_equal(adjusted.e, plain().evidence.e)
    assert adjusted.blocks is None


def test_labels_go_through_the_smoother_of_the_outcomes():
    """By a ridge, whose smoother can be written down: what is left is linear in what went in, with one lambda."""
    result = cmmd_test(X, Y, T, residualize=PooledRidge(), **SETTINGS)
    adjusted, pooled = Adjusted.of(result.evidence), result.evidence.pooled
    for values, left in ((Y, adjusted.means.left[:, 0]), (1.0 * T, adjusted.means.labels_left)):
        np.testing.assert_allclose(left, pooled.residuals(values), atol=1e-8)
    smoother = (pooled.features * pooled.shrink) @ pooled.features.T + 1 / N
    h = np.diag(smoother) - 1 / N
    without_own = (smoother - np.diag(np.diag(smoother))) / (1 - h)[:, None]
    assert adjusted.noise.shared.mean() == pytest.approx(np.mean(np.sum(without_own**2, axis=1)), rel=0.5)


def test_what_goes_along_has_no_part_in_the_choices():
    evidence = default().evidence
    values = ((Y - Y.mean()) / Y.std())[:, None]
    alone = evidence.further(values)
    beside = evidence.further(np.column_stack([values, ALONG * np.random.default_rng(0).normal(size=(N, 3))]))
    np.testing.assert_allclose(beside[:, :1], alone, atol=1e-9)
    np.testing.assert_allclose(default()._adjusted.means.left / Y.std(), alone, atol=1e-9)


def test_a_regressor_of_the_user_is_asked_about_the_outcomes_alone():
    asked = []

    class Counted(LinearRegression):
        def fit(self, X, y):
            asked.append(np.ndim(y) == 1 or y.shape[1] == 1)
            return super().fit(X, y)

    adjusted = cmmd_test(X, Y, T, residualize=Counted(), **SETTINGS)._adjusted
    expected = np.empty(N)
    for rows, train in fold_parts(N, shuffled_folds(N, 5, content_order(X, Y))):
        expected[rows] = Y[rows] - LinearRegression().fit(X[train], Y[train]).predict(X[rows])
    np.testing.assert_allclose(adjusted.means.left[:, 0], expected, atol=1e-9)
    np.testing.assert_array_equal(adjusted.means.labels_left, T - adjusted.e)
    assert asked[-5:] == [True] * 5  # one column, once in each fold, after everything that the test itself asked


def test_predictions_between_thresholds():
    adjusted = default()._adjusted
    outcome, grid = adjusted.outcomes[0], adjusted.below[0]
    some = adjusted.at_thresholds(0, outcome.thresholds[[3, 9]])
    np.testing.assert_allclose(some.values - some.left, grid[:, [3, 9]], atol=1e-7)
    np.testing.assert_array_equal(some.values, Y[:, None] <= outcome.thresholds[[3, 9]])  # which are outcomes
    middle = np.sort(Y)[(np.searchsorted(np.sort(Y), outcome.thresholds[[3, 4]]).sum()) // 2]
    between = adjusted.at_thresholds(0, np.array([middle]))
    predicted = (between.values - between.left)[:, 0]
    low, high = np.minimum(grid[:, 3], grid[:, 4]), np.maximum(grid[:, 3], grid[:, 4])
    assert ((predicted >= low - 1e-6) & (predicted <= high + 1e-6)).all()
    beyond = adjusted.at_thresholds(0, np.array([Y.min() - 1, Y.max()]))
    np.testing.assert_allclose(beyond.values - beyond.left, np.tile([0.0, 1.0], (N, 1)))


def test_which_tests_keep_it(monkeypatch):
    samples = default()._samples
    assert Adjusted.kept_of(samples)
    assert not Adjusted.kept_of(None)
    monkeypatch.setattr("condmmd.effects.adjusted.KEPT_ROWS", N - 1)
    assert not Adjusted.kept_of(samples)


def test_of_chunks_some_rows_are_enough(monkeypatch):
    monkeypatch.setattr("condmmd.explain.evidence.EVIDENCE_ROWS", 200)
    result = cmmd_test(*(da.from_array(a, chunks=100) for a in (X, Y, T)), **SETTINGS)
    assert "result.effect() estimates it" in result.summary()
    assert result.to_dict()["effect"] is None
    effects = result.effect()
    assert effects.rows == 200
    assert effects.n_obs == result.n_obs
    assert "estimated from 200 of them" in effects.summary()
    whole = default().effect()["mean"]
    assert abs(effects["mean"].estimate - whole.estimate) < 2 * whole.error
    assert "mean of y0" in result.summary()  # now that it is known


def test_a_gram_matrix_of_the_outcomes_has_no_mean():
    result = cmmd_test(X, Gaussian(1.0)(Y[:, None]), T, statistic=CMMD(kernel_y="precomputed"), **SETTINGS)
    with pytest.raises(TypeError, match="Y is a Gram matrix"):
        result.effect()
    assert "effect" not in result.summary()


def test_what_two_models_disagree_in_is_their_error():
    rng = np.random.default_rng(0)
    noise, one, other = rng.normal(size=(3, 200_000))
    found = Noise(
        ((noise + 0.5 * one) ** 2)[:, None], ((noise + 0.5 * one) * (noise + 0.7 * other))[:, None], 0 * noise
    )
    assert found.part(np.full(len(noise), 1 / len(noise)))[0] == pytest.approx(0.25 / 1.25, abs=0.01)
    shared = Noise(((noise + 0.5 * one) ** 2)[:, None], ((noise + 0.5 * one) ** 2)[:, None], 0 * noise + 0.25)
    assert shared.part(np.full(len(noise), 1 / len(noise)))[0] == pytest.approx(0.2, abs=1e-9)


def test_deviations_do_not_hang_on_their_mean():
    """Of a skewed law, absolute residuals change with the mean that is taken away, and these do not (nearly)."""
    rng = np.random.default_rng(0)
    u = rng.exponential(size=(100_000, 1)) - 1.0
    t, e = np.arange(100_000) % 2.0, np.full(100_000, 0.5)
    change = [_deviations(u + shift, t, e).mean() - 2 / np.e for shift in (-0.05, 0.0, 0.05)]
    assert np.abs(change).max() < 0.005
    assert abs(np.abs(u + 0.05).mean() - 2 / np.e) > 0.01


def test_two_models_together_leave_no_more_than_either():
    """Of all mixtures of the two the one with the smallest squares."""
    adjusted, pooled = default()._adjusted, default().evidence.pooled
    left, labels_left = adjusted.means.left, adjusted.means.labels_left
    effects = varying_effects(left, labels_left, adjusted.main_effects, None)[:, 0]
    u, v = left[:, 0] - effects * labels_left, pooled.residuals(Y) - effects * pooled.residuals(1.0 * T)
    squares = [np.sum((v + share * (u - v)) ** 2) for share in np.linspace(0, 1, 1001)]
    assert adjusted.noise.squares.sum() == pytest.approx(min(squares), rel=1e-5)
    assert max(squares[0], squares[-1]) > 1.01 * min(squares)


def test_a_part_of_the_rows_keeps_its_signs():
    rows = X[:, 1] > 0.3
    adjusted = default()._adjusted
    part = adjusted.on_rows(rows).draws
    whole = adjusted.draws.multipliers.weights(adjusted.draws.signs).held
    np.testing.assert_array_equal(part.multipliers.weights(part.signs).held, whole[:, rows])
