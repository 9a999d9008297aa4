"""Calibrated predictions are not rejected more often than the level says; others are, and it is said how."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from condmmd import Gaussian, Quantiles, calibration_error, calibration_test

RNG = np.random.default_rng(0)
N = 300
P = RNG.uniform(size=N)
Y = RNG.uniform(size=N) < P
SURE = RNG.uniform(size=N) < 0.25 + 0.5 * P


def test_a_classifier_in_one_line():
    X = RNG.normal(size=(600, 2))
    y = np.where(RNG.uniform(size=600) < 1 / (1 + np.exp(-X[:, 0])), "yes", "no")
    classifier = LogisticRegression().fit(X[:300], y[:300])
    predicted, observed = classifier.predict_proba(X[300:]), pd.Series(y[300:], name="bought")
    assert calibration_test(predicted, observed, rng=1).pvalue > 0.05
    sharp = predicted**3 / np.sum(predicted**3, axis=1, keepdims=True)
    result = calibration_test(sharp, observed, rng=1)
    assert result.pvalue < 0.01
    assert result.effect()["hits of the most probable class"].interval[1] < 0  # too sure
    assert result.scheme == "outcomes redrawn from the model"
    assert "bought" in result.sentence()


def test_finds_for_which_predictions():
    result = calibration_test(P, SURE, rng=1)
    assert result.pvalue == 0.001
    where = result.where()
    assert where.regions[0].covariate == "probability of True"
    shifts = {region.low < 0.5: region.shift for region in where.regions}
    assert shifts.get(True, 1.0) > 0  # low probabilities are too low
    assert shifts.get(False, -1.0) < 0


def test_rejects_calibrated_predictions_at_its_level():
    """300 nulls of 20 rows; the 99.9 % binomial interval of 0.1 is 0.047 to 0.163."""
    rejected = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.ones(3), size=20)
        y = (rng.random((20, 1)) > p.cumsum(axis=1)[:, :2]).sum(axis=1)
        rejected.append(calibration_test(p, y, classes=[0, 1, 2], rng=seed, n_resamples=19).pvalue <= 0.1)
    assert 0.047 <= np.mean(rejected) <= 0.163


def test_calibrated_over_all_but_not_within_groups():
    group = RNG.integers(0, 2, N)
    y = RNG.uniform(size=N) < np.clip(P + 0.25 * (2 * group - 1), 0, 1)
    frame = pd.DataFrame({"p": P, "y": y, "group": np.array(["a", "b"])[group]})
    result = calibration_test("p", "y", given="group", data=frame, rng=1)
    assert result.pvalue < 0.01
    profile = result.where().profile("group")
    assert profile.outside.all()
    assert profile.shift[0] < 0 < profile.shift[1]
    assert result.spaces == ("group", "y")


def test_numbers_quantiles_and_draws():
    mean = RNG.normal(size=N)
    y = mean + RNG.normal(size=N)
    wide, narrow = mean[:, None] + RNG.normal(size=(N, 25)), mean[:, None] + 0.6 * RNG.normal(size=(N, 25))
    levels = [0.1, 0.9]
    for right, wrong in (
        ((mean, 1.0), (mean, 0.6)),
        (Quantiles(mean[:, None] + [-1.28, 1.28], levels), Quantiles(mean[:, None] + [-0.8, 0.8], levels)),
        (wide, narrow),
    ):
        assert calibration_test(right, y, rng=1).pvalue > 0.05
        assert calibration_test(wrong, y, rng=1).pvalue < 0.05


def test_the_same_in_chunks_and_on_devices():
    here = calibration_test(P, 1.0 * SURE, rng=1, null="flips", weights="kernel", n_resamples=99)
    for array in (strict.asarray, lambda a: da.from_array(a, chunks=70)):
        there = calibration_test(array(P), array(1.0 * SURE), rng=1, null="flips", weights="kernel", n_resamples=99)
        np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-6, atol=1e-7)
        assert there.pvalue == here.pvalue
    redrawn = calibration_test(strict.asarray(P), strict.asarray(1.0 * SURE), rng=1, n_resamples=99)
    np.testing.assert_allclose(
        redrawn.null_distribution, calibration_test(P, 1.0 * SURE, rng=1, n_resamples=99).null_distribution, rtol=1e-6
    )


def test_the_error_is_zero_on_average_for_calibrated_predictions():
    """The mean of 200 unbiased errors is within 4 standard errors of zero."""
    found = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        p = rng.uniform(size=30)
        found.append(calibration_error(p, 1.0 * (rng.uniform(size=30) < p), classes=[0, 1], kernel_x=Gaussian(0.3)))
    assert abs(np.mean(found)) < 4 * np.std(found) / 200**0.5
    biased = calibration_error(P, Y, kernel_x=Gaussian(0.3), level="joint biased")
    assert biased > calibration_error(P, Y, kernel_x=Gaussian(0.3))
    assert calibration_error(P, SURE, level=1) > calibration_error(P, Y, level=1) > 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: calibration_test(np.array([[0.5, 0.4]] * 4), [0, 1, 0, 1]), ValueError, "row 0 sums to 0.9"),
        (lambda: calibration_test(P, Y[:5]), ValueError, "`predictions` has 300 rows and `y` has 5"),
        (lambda: calibration_test(P, Y, given=np.zeros(5)), ValueError, "same number of rows"),
        (lambda: calibration_error(P, Y, level=(0, 1)), ValueError, "`level` must be one level"),
        (lambda: calibration_error(P, Y, level=0, block_size=2), ValueError, "for level='joint' alone"),
        (lambda: calibration_error(P, Y, block_size=1), ValueError, "`block_size` must be at least 2"),
        (lambda: calibration_test(P, Y, kernel_y=Gaussian(1.0)), ValueError, "`kernel_y` of classes"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
