"""Moments of units of rows that share a sign are those of the rows."""

import dask.array as da
import numpy as np
import pytest

from condmmd.backend import HeldLabels
from condmmd.statistics import units
from condmmd.statistics.units import Units

RNG = np.random.default_rng(0)
PHI, RHO = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2))
BLOCKS = RNG.integers(0, 6, size=40)


def literal(signs):
    return np.einsum("bi,ij,ik->bjk", signs, PHI, RHO)


def signs_of(count):
    return np.random.default_rng(1).choice([-1.0, 1.0], size=(5, count))


@pytest.mark.parametrize("blocks", [None, BLOCKS], ids=["rows", "blocks"])
def test_moments_and_pairs(blocks):
    own = Units.of(PHI, RHO, blocks)
    signs = signs_of(own.count)
    expected = literal(signs if blocks is None else signs[:, blocks])
    np.testing.assert_allclose(own.moments(HeldLabels(signs)), expected, rtol=1e-12)
    weights = RNG.random((2, 3))
    Q = own.pairs(weights)
    np.testing.assert_allclose(
        np.einsum("bi,cij,bj->bc", signs, Q, signs), np.einsum("bjk,cj->bc", expected**2, weights), rtol=1e-10
    )


@pytest.mark.parametrize("chunked", [False, True])
def test_very_many_rows_are_flipped_in_runs(monkeypatch, chunked):
    monkeypatch.setattr(units, "MAX_UNITS", 20)
    monkeypatch.setattr(units, "RUNS", 7)
    parts = [da.from_array(part, chunks=(9, -1)) if chunked else part for part in (PHI, RHO)]
    own = Units.of(*parts, None)
    assert own.count == 7
    assert (np.diff(own.of_row) >= 0).all()
    signs = signs_of(7)
    np.testing.assert_allclose(own.moments(HeldLabels(signs)), literal(signs[:, own.of_row]), rtol=1e-12)


def test_rows_in_chunks_are_units_too():
    own = Units.of(da.from_array(PHI, chunks=(9, -1)), da.from_array(RHO, chunks=(9, -1)), None)
    np.testing.assert_allclose(own.moments(HeldLabels(signs_of(40))), literal(signs_of(40)), rtol=1e-12)
