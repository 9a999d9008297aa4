"""Each way to draw null labels, against the law found by enumerating all label vectors."""

from itertools import product

import numpy as np

from condmmd.labels import Bernoulli, ByBlock, FixedSize, Permutation, tables
from condmmd.labels.tables import ExactSampler, PartsSampler
from tests.labels.enumeration import E6, assert_follows, fixed_size_law, units


def test_fixed_size_takes_many_rows_part_by_part(monkeypatch):
    t = np.array([1.0, 0, 1, 0, 0, 1])
    assert isinstance(FixedSize.of(E6, t).sampler, ExactSampler)
    monkeypatch.setattr(tables, "TABLE_ROWS", 4)
    scheme = FixedSize.of(E6, t)
    assert isinstance(scheme.sampler, PartsSampler)
    assert_follows(scheme.draw(units(8000), t).held, *fixed_size_law(E6, 3))


def test_permutation_is_uniform():
    t = np.array([1.0, 1, 0, 0, 0])
    subsets, law = fixed_size_law(np.full(5, 0.5), 2)
    assert_follows(Permutation(t).draw(units(5000, 4), t).held, subsets, law)


def test_permutation_within_strata_is_uniform_there():
    t, strata = np.array([1.0, 0, 1, 0, 0, 1]), np.array([7, 2, 2, 7, 2, 9])
    draws = Permutation(t, strata).draw(units(6000, 5), t).held
    subsets = [tuple(sorted((a, b, 5))) for a, b in product((0, 3), (1, 2, 4))]
    assert_follows(draws, subsets, np.full(6, 1 / 6))


def test_bernoulli_draws_each_row_by_itself():
    draws = Bernoulli(E6).draw(units(20_000, 6), E6).held
    np.testing.assert_allclose(draws.mean(axis=0), E6, atol=0.015)
    assert abs(np.corrcoef(draws.T)[0, 5]) < 0.03


def test_blocks_stay_together():
    labels, of_row = np.array([1.0, 0, 0]), np.array([0, 0, 1, 2, 2, 2])
    draws = ByBlock(Permutation(labels), labels, of_row).draw(units(3000, 7), labels[of_row]).held
    assert_follows(draws, [(0, 1), (2,), (3, 4, 5)], np.full(3, 1 / 3))
