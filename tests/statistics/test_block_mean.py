"""Blocks of rows, against a loop."""

import dask.array as da
import numpy as np
import pytest

from condmmd import Gaussian
from condmmd.data import read_table
from condmmd.statistics.block_mean import block_mean
from tests import oracle

RNG = np.random.default_rng(0)
X, RHO = RNG.normal(size=(11, 2)), RNG.normal(size=(11, 3))


@pytest.mark.parametrize("size", [2, 3, 11])
def test_against_a_loop(size):
    products = oracle.gaussian(1.0)(X, X) * (RHO @ RHO.T)
    np.fill_diagonal(products, 0.0)
    starts = range(0, 11 - size + 1, size)
    expected = np.mean([products[s : s + size, s : s + size].sum() / (size * (size - 1)) for s in starts])
    assert block_mean(Gaussian(1.0), read_table(X, "X"), RHO, size) == pytest.approx(expected)


def test_what_has_no_blocks_is_refused():
    with pytest.raises(ValueError, match="at most the 11 rows; got 12"):
        block_mean(Gaussian(1.0), read_table(X, "X"), RHO, 12)
    with pytest.raises(TypeError, match="rows in memory"):
        block_mean(Gaussian(1.0), read_table(da.from_array(X, chunks=5), "X"), RHO, 2)
