"""A warning points at the line of the user, however deep in the package it was given."""

import warnings

import numpy as np
import pytest

import condmmd
from condmmd import CMMD, Asymptotic, CondmmdWarning, cmmd, cmmd_test, mmd_test

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(-1.5, 1, 100), RNG.normal(1.5, 1, 100)])
GROUP = np.repeat([1, 0], 100)
E = np.clip(1 / (1 + np.exp(5 * X)), 1e-4, 1 - 1e-4)
SIZES = np.repeat([1, 8], 30)


@pytest.mark.parametrize(
    "call",
    [
        lambda: cmmd_test(X, X, GROUP, propensity=E, n_resamples=19, rng=0),
        lambda: cmmd(X, X, GROUP, statistic=CMMD(estimator="doubly_robust", reg=0.1), propensity=E),
        lambda: cmmd(np.ones(200), X, GROUP),
        lambda: cmmd_test([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 0.0, 1.0], [1, 0, 1, 0], propensity=None, n_resamples=19),
        lambda: cmmd_test(X[97:103], X[97:103], GROUP[97:103], propensity=None, residualize=False, null=Asymptotic()),
        lambda: cmmd_test(
            RNG.normal(size=(600, 20)),
            RNG.normal(size=600),
            np.arange(600) % 2,
            statistic=CMMD(tol=1e-12),
            n_resamples=19,
            rng=0,
        ),
        lambda: mmd_test(
            RNG.normal(size=270), np.repeat(np.repeat([1, 0], 30), SIZES), blocks=np.repeat(np.arange(60), SIZES)
        ),
    ],
    ids=["overlap", "overlap of a measurement", "constant", "small", "few rows of a law", "cap", "blocks"],
)
def test_the_warning_names_this_file(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    ours = [w for w in caught if issubclass(w.category, CondmmdWarning)]
    assert ours
    assert {w.filename for w in ours} == {__file__}


def test_every_warning_is_public():
    for name in ("ApproximationWarning", "ConstantColumnWarning", "OverlapWarning", "SmallSampleWarning"):
        assert issubclass(getattr(condmmd, name), CondmmdWarning)
