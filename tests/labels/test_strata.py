"""Rows of equal covariates."""

import numpy as np
import pytest

from condmmd import cmmd_test
from condmmd.data import read_samples
from condmmd.labels import strata as module
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


def test_rows_in_chunks_have_the_same_strata():
    da = pytest.importorskip("dask.array")
    x = np.column_stack([RNG.integers(0, 3, 200), RNG.integers(0, 2, 200)])
    y = x[:, 0] + RNG.normal(size=200)
    whole = read_samples(x, y, T)
    chunked = read_samples(*(da.from_array(part, chunks=(30, *part.shape[1:])) for part in (x, y, T)))
    np.testing.assert_array_equal(find_strata(chunked), find_strata(whole))
    in_memory, in_chunks = (
        cmmd_test(s.x.values, s.y.values, s.groups.t, n_resamples=39, rng=1) for s in (whole, chunked)
    )  # fmt: skip
    assert in_chunks.scheme == in_memory.scheme == "permutation within strata"
    assert in_chunks.pvalue == in_memory.pvalue


def test_of_too_many_rows_there_are_none(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 100)
    x = RNG.integers(0, 4, size=200)
    assert find_strata(read_samples(x, x, T)) is None
