"""Predicted against observed shares, in a band that calibrated predictions leave no more often than it says."""

import json

import numpy as np
import pytest

from condmmd import Mixture, Quantiles, calibration_test
from condmmd.data import read_table
from condmmd.embedding.forecasts import rows_of_predictions
from condmmd.explain.reliability import reliability_of

RNG = np.random.default_rng(0)
N = 300
P = RNG.uniform(size=N)
MEAN = RNG.normal(size=N)
Y = MEAN + RNG.normal(size=N)


def test_bins_of_two_classes():
    found = calibration_test(P, RNG.uniform(size=N) < 0.35 + 0.3 * P, rng=1).reliability()
    assert found.n_obs.sum() == N
    assert (np.diff(found.predicted) > 0).all()
    assert found.outside[0]
    assert found.outside[-1]
    assert found.observed[0] > found.high[0]
    assert json.loads(json.dumps(found.to_dict()))["outside"][0] is True
    assert len(found.to_frame()) == len(found.n_obs)
    assert "y = True" in repr(found)


@pytest.mark.parametrize("kind", ["three classes", "normal", "mixture", "draws", "quantiles"])
def test_calibrated_predictions_stay_inside(kind):
    probabilities = RNG.dirichlet(np.ones(3), size=N)
    predictions, y = {
        "three classes": (probabilities, (RNG.random((N, 1)) > probabilities.cumsum(axis=1)[:, :2]).sum(axis=1)),
        "normal": ((MEAN, 1.0), Y),
        "mixture": (Mixture(np.full((N, 2), 0.5), np.stack([MEAN, MEAN], 1), np.ones((N, 2))), Y),
        "draws": (MEAN[:, None] + RNG.normal(size=(N, 9)), Y),
        "quantiles": (Quantiles(MEAN[:, None] + np.array([-1.28, 0, 1.28]), [0.1, 0.5, 0.9]), Y),
    }[kind]
    found = calibration_test(predictions, y, rng=1, n_resamples=19).reliability()
    assert not found.outside.any()
    assert (found.low <= found.predicted).all()
    assert (found.predicted <= found.high).all()


def test_the_band_holds_as_often_as_it_says():
    """60 tables at 0.1: the 99.9 % binomial interval of leaving it is 0 to 0.25."""
    left = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = rng.uniform(size=80)
        rows = rows_of_predictions(p, read_table(1.0 * (rng.uniform(size=80) < p), "y"), None)
        left.append(reliability_of(rows, 0.1, seed).outside.any())
    assert np.mean(left) <= 0.25


def test_too_narrow_predictions_leave_it():
    assert calibration_test((MEAN, 0.5), Y, rng=1, n_resamples=19).reliability().outside.any()


def test_several_outcomes_have_no_picture():
    both = np.stack([Y, Y], axis=1)
    rows = rows_of_predictions((both, np.ones_like(both)), read_table(both, "y"), None)
    with pytest.raises(TypeError, match="one numeric outcome"):
        reliability_of(rows, 0.05, 0)
