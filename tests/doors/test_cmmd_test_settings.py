"""Settings of the test that cannot be: one clear error each, before any work that it would spoil."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression

from condmmd import CMMD, MMD, Asymptotic, Compute, DoublyRobust, Resampling, cmmd_test
from tests.doors.samples import GROUP, SAME, E, N, X


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"propensity": 1.2 * np.ones(N)}, ValueError, r"strictly between 0 and 1; got 160 value\(s\) outside"),
        ({"propensity": np.ones(3) / 2}, ValueError, r"one probability a row, 160; got 3"),
        ({"propensity": lambda x: x * np.nan}, ValueError, r"160 NaN or infinite probabilities"),
        ({"propensity": "guess"}, ValueError, r"`propensity` must be 'estimate', None"),
        ({"propensity": LogisticRegression}, TypeError, r"is a class.*LogisticRegression\(\)"),
        ({"propensity": np.where(GROUP == 1, 1 - 1e-9, 1e-9)}, ValueError, r"no overlap"),
        ({"propensity": E, "null": Resampling("permutation")}, ValueError, r"use propensity=None"),
        ({"propensity": E, "trim": 0.499}, ValueError, r"`trim` leaves"),
        ({"n_resamples": 9}, ValueError, r"no p-value below 0.1.*significance of 0.05. Use at least 19"),
        ({"n_resamples": 99, "significance": 0.001}, ValueError, r"Use at least 999"),
        ({"n_resamples": 0}, ValueError, r"`n_resamples` must be a positive integer"),
        ({"significance": 0}, ValueError, r"`significance`"),
        ({"null": Asymptotic(), "statistic": CMMD()}, ValueError, r"Family\(\) or CMMD\(estimator='overlap'\)"),
        ({"null": "gamma"}, TypeError, r"`null` must be an object such as Resampling"),
        ({"null": Resampling}, TypeError, r"`null` must be an object such as Resampling"),
        ({"statistic": CMMD}, TypeError, r"`statistic` must be an object such as CMMD\(level=1\)"),
        ({"statistic": "cmmd"}, TypeError, r"`statistic` must be an object"),
        ({"statistic": MMD()}, TypeError, r"`statistic` must compare Y given X"),
        ({"compute": {"n_jobs": 2}}, TypeError, r"`compute` must be an object such as Compute"),
        (
            {"statistic": CMMD(estimator=DoublyRobust(train=np.ones(N, dtype=bool)))},
            ValueError,
            r"`train` of DoublyRobust is for cmmd",
        ),
        ({"trim": 0.7}, ValueError, r"`trim` must be between"),
        ({"trim": 0.1, "propensity": None}, ValueError, r"`trim` needs a propensity"),
        ({"residualize": RandomForestRegressor}, TypeError, r"`residualize` must be"),
        ({"blocks": np.zeros(3)}, ValueError, r"`blocks` must have one value a row, 160"),
        ({"blocks": np.arange(N) % 7}, ValueError, r"7 block\(s\) have rows of both groups, such as"),
        ({"blocks": GROUP}, ValueError, r"at least 2 blocks"),
        ({"blocks": np.arange(N) // 4, "propensity": E}, ValueError, r"the same for all rows of a block"),
        ({"rng": "seed"}, TypeError, r"`rng` must be None"),
        ({"residualize": "yes"}, TypeError, r"`residualize` must be True, False"),
    ],
)
def test_bad_settings(settings, error, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(error, match=words):
            cmmd_test(X, SAME, GROUP, **{"n_resamples": 19} | settings)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: CMMD(level=-1), ValueError, r"`level` must be at least 0"),
        (lambda: CMMD(level="best"), ValueError, r"`level` must be a number, several, or 'adaptive'"),
        (lambda: CMMD(level=[]), ValueError, r"`level`"),
        (lambda: CMMD(level=1, estimator="joint"), ValueError, r"`level` must be at least 2 with the joint"),
        (lambda: CMMD(kernel_x=[]), ValueError, r"must not be empty"),
        (lambda: CMMD(reg=[]), ValueError, r"must not be empty"),
        (lambda: CMMD(kernel_x=["precomputed", None]), ValueError, r"cannot be joined"),
        (lambda: Compute(batch_size=0), ValueError, r"`batch_size`"),
        (lambda: Compute(n_jobs=0), ValueError, r"`n_jobs`"),
        (lambda: Resampling("bootstrap"), ValueError, r"`scheme` must be one of"),
    ],
)
def test_bad_parts(make, error, words):
    with pytest.raises(error, match=words):
        make()
