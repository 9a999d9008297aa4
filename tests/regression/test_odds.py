"""Odds and prevalences."""

import numpy as np

from condmmd.regression.odds import balanced, inverse_weights, log_odds, tilt, total_overlap


def test_tilt_has_the_right_sum():
    log_odds = np.array([-50.0, 0.0, 3.0, 700.0])
    for n in (1, 2, 3):
        np.testing.assert_allclose(tilt(log_odds, n).sum(), n, rtol=1e-9)


def test_tilting_keeps_the_odds_up_to_a_factor():
    e = np.random.default_rng(0).uniform(0.05, 0.95, 50)
    tilted = tilt(log_odds(e), 10)
    ratio = (tilted / (1 - tilted)) / (e / (1 - e))
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
    np.testing.assert_allclose(log_odds(e), np.log(e / (1 - e)), rtol=1e-12)


def test_balanced_is_the_propensity_with_samples_of_one_size():
    """Densities p and q, of which a fifth of the rows are P: e = 0.2 p / (0.2 p + 0.8 q)."""
    p, q = np.array([0.1, 1.0, 3.0]), np.array([1.0, 1.0, 0.5])
    e = 0.2 * p / (0.2 * p + 0.8 * q)
    np.testing.assert_allclose(balanced(e, 0.2), p / (p + q), rtol=1e-12)


def test_weights_and_overlap():
    e, T = np.array([0.2, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(inverse_weights(T, e), [[1 / 0.2, -1 / 0.5], [-1 / 0.8, 1 / 0.5]])
    assert total_overlap(e) == 0.2 * 0.8 + 0.25
