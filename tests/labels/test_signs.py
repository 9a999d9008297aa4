"""Signs are fair, belong to the rows wherever they are, and can be enumerated."""

import array_api_strict as strict
import dask.array as da
import numpy as np

from condmmd.backend import to_host
from condmmd.labels.signs import EverySign, SignFlips, ways_to_flip
from tests.labels.enumeration import units


def test_signs_are_fair_and_independent():
    signs = SignFlips().draw(units(20_000, 1), np.ones(6)).held
    assert signs.dtype == np.int8
    assert set(np.unique(signs)) == {-1, 1}
    # 20,000 coins: four standard deviations of a mean are 0.028
    np.testing.assert_allclose(signs.mean(axis=0), 0, atol=0.028)
    np.testing.assert_allclose(np.corrcoef(signs.T) - np.eye(6), 0, atol=0.028)


def test_the_same_in_chunks_and_on_devices():
    here = SignFlips().draw(units(7, 2), np.ones(50)).held
    chunked = SignFlips().draw(units(7, 2), da.ones(50, chunks=13))
    np.testing.assert_array_equal(chunked.sum(lambda T, x: T @ x, da.from_array(np.arange(50.0), chunks=13)),
                                  here @ np.arange(50.0))  # fmt: skip
    there = SignFlips().draw(units(7, 2), strict.ones(50, dtype=strict.float64)).held
    np.testing.assert_array_equal(to_host(there), here)


def test_every_sign_once_but_the_observed_ones():
    signs = EverySign(4).draw(units(1), np.ones(4)).held
    assert signs.shape == (ways_to_flip(4) - 1, 4)
    assert len({tuple(row) for row in signs}) == len(signs)
    assert (signs[:, 0] == 1).all()
    assert (signs == -1).any(axis=1).all()
