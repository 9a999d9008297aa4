"""Sums of squares of moments, with and without the diagonal, by pairs or by moments, at signs or at other residuals."""

import dask.array as da
import numpy as np
import pytest

from condmmd.backend import HeldLabels, observed_labels
from condmmd.statistics.base import StatisticColumn
from condmmd.statistics.sides import Side, held
from condmmd.statistics.units import Units

RNG = np.random.default_rng(0)
PHI, RHO, WEIGHTS = RNG.normal(size=(30, 4)), RNG.normal(size=(30, 3)), RNG.random((2, 4))
COLUMNS = tuple(StatisticColumn(name, 1.0, "", "", "") for name in "ab")
WITHOUT = np.array([0.0, 0.5])


def literal(rho):
    M = PHI.T @ rho
    diagonal = np.sum(np.sum(PHI**2, axis=1) * np.sum(rho**2, axis=1))
    return WEIGHTS @ np.sum(M**2, axis=1) - WITHOUT * diagonal


@pytest.mark.parametrize("pairs", [True, False])
def test_at_signs_and_at_other_residuals(pairs):
    side = Side(Units.of(PHI, RHO, None), COLUMNS, WEIGHTS, WITHOUT)
    if not pairs:
        side.__dict__["_pairs"] = None
    else:
        side.__dict__["_pairs"] = side.units.pairs(WEIGHTS)
    signs = RNG.choice([-1.0, 1.0], size=(5, 30))
    expected = [literal(w[:, None] * RHO) for w in signs]
    np.testing.assert_allclose(side(HeldLabels(signs)), expected, rtol=1e-10)
    beside = (signs[:, :, None] * RHO).transpose(1, 0, 2).reshape(30, -1)
    np.testing.assert_allclose(side.at(beside, 5), expected, rtol=1e-10)
    np.testing.assert_allclose(side.measure(), literal(RHO), rtol=1e-10)


def test_signs_are_in_memory():
    assert held(observed_labels(np.ones(3))).shape == (1, 3)
    with pytest.raises(TypeError, match="units in memory"):
        held(observed_labels(da.ones(4, chunks=2)))
