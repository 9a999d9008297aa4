"""Sums of squares of moments, with and without the diagonal, by pairs or by moments, at signs or at other residuals."""

import numpy as np
import pytest

from condmmd.backend import observed_labels
from condmmd.labels import Multipliers, SignBatch
from condmmd.statistics.base import StatisticColumn
from condmmd.statistics.products import Products
from condmmd.statistics.sides import Side, signs_of

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
    each = Multipliers(np.ones(30))
    side = Side(Products(PHI, RHO, WEIGHTS), COLUMNS, WITHOUT, each)
    side.__dict__["_pairs"] = side.products.pairs(each) if pairs else None
    signs = RNG.choice([-1.0, 1.0], size=(5, 30))
    expected = [literal(w[:, None] * RHO) for w in signs]
    np.testing.assert_allclose(side(SignBatch(each, signs)), expected, rtol=1e-10)
    beside = (signs[:, :, None] * RHO).transpose(1, 0, 2).reshape(30, -1)
    np.testing.assert_allclose(side.at(beside, 5), expected, rtol=1e-10)
    np.testing.assert_allclose(side.measure(), literal(RHO), rtol=1e-10)


def test_it_is_asked_at_signs():
    assert signs_of(Multipliers(np.ones(3)).observed).shape == (1, 3)
    with pytest.raises(TypeError, match="called with random signs"):
        signs_of(observed_labels(np.ones(4)))
