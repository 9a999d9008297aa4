"""The result of a test of X alone."""

import pickle

import numpy as np

from condmmd import mmd_test

X, GROUP = np.random.default_rng(0).normal(size=50), np.repeat([1, 0], [20, 30])


def test_it_unpacks_and_can_be_pickled():
    result = mmd_test(X, GROUP, n_resamples=39, rng=3)
    statistic, pvalue = result
    assert (statistic, pvalue) == (result.statistic, result.pvalue)
    assert len(result.null_distribution) == result.n_resamples == 39
    assert pvalue == (1 + np.sum(result.null_distribution >= statistic * (1 - 1e-9))) / 40
    assert "null_distribution" not in repr(result)
    back = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own bytes
    assert tuple(back) == tuple(result)
    assert result.rng_state == 3
