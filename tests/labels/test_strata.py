"""Rows of equal covariates."""

import numpy as np

from condmmd.data import read_samples
from condmmd.labels.strata import find_strata, shares_in_strata, strata_propensity

RNG = np.random.default_rng(0)
T = np.arange(200) % 2


def test_few_values_are_strata_and_many_are_not():
    x = RNG.integers(0, 4, size=200)
    strata = find_strata(read_samples(x, x, T))
    for value in range(4):
        assert len(np.unique(strata[x == value])) == 1
    assert len(np.unique(strata)) == 4
    assert find_strata(read_samples(RNG.normal(size=200), x, T)) is None
    assert find_strata(read_samples(RNG.integers(0, 30, size=200), x, T)) is None  # fewer than ten rows each
    two = find_strata(read_samples(np.column_stack([x, x > 1]), x, T))
    assert len(np.unique(two)) == 4


def test_shares_within_strata():
    strata, t = np.array([0, 0, 0, 1, 1]), np.array([1.0, 0, 0, 1, 1])
    np.testing.assert_allclose(shares_in_strata(strata, t), [1 / 3] * 3 + [1.0] * 2)
    found = strata_propensity(strata, t)
    np.testing.assert_allclose(found.e, [1.5 / 4] * 3 + [2.5 / 3] * 2)  # away from 0 and 1
    assert found.model == "shares of P in 2 strata of equal X"
    assert found.n == 3
