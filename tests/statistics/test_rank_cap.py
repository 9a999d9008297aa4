"""A cap of the rank that the user did not set, and that breaks the accuracy that they did set, is said."""

import warnings

import numpy as np
import pytest

from condmmd import CMMD, ApproximationWarning, cmmd_test

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 20))
Y = RNG.normal(size=600)
GROUP = np.repeat([1, 0], 300)


def residual_of(result):
    return result.embeddings["x"]["residual"]


def test_a_cap_that_leaves_out_more_than_the_tolerance_warns_with_the_share():
    with pytest.warns(
        ApproximationWarning, match=r"cut off at rank 128, which leaves 0\.\d+ of its trace out"
    ) as caught:
        result = cmmd_test(X, Y, GROUP, statistic=CMMD(tol=1e-12), n_resamples=19, rng=0)
    assert residual_of(result) > 0.01
    assert f"leaves {residual_of(result):.2g} of its trace" in str(caught[0].message)


@pytest.mark.parametrize("statistic", [CMMD(), CMMD(tol=1e-12, max_rank=64), CMMD(tol=0.9)])
def test_an_accuracy_that_was_not_given_or_is_kept_does_not_warn(statistic):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = cmmd_test(X, Y, GROUP, statistic=statistic, n_resamples=19, rng=0)
    assert "residual" in result.summary()
