"""Exact draws from tables, against the law found by listing all label vectors."""

import numpy as np
import pytest

from condmmd.labels import tables
from condmmd.labels.tables import ExactSampler
from tests.labels.enumeration import E6, assert_follows, fixed_size_law


@pytest.mark.parametrize("n", [1, 3, 5])
@pytest.mark.parametrize("leaf", [64, 2, 4])
def test_exact_sampler(n, leaf, monkeypatch):
    monkeypatch.setattr(tables, "LEAF", leaf)
    sampler = ExactSampler.of(np.log(E6 / (1 - E6)), n)
    assert_follows(sampler.draw(8000, np.random.default_rng(0)), *fixed_size_law(E6, n))


def test_exact_sampler_depends_on_odds_up_to_a_factor():
    for shift in (-30.0, 5.0):
        sampler = ExactSampler.of(np.log(E6 / (1 - E6)) + shift, 3)
        assert_follows(sampler.draw(8000, np.random.default_rng(1)), *fixed_size_law(E6, 3))


def test_exact_sampler_has_the_right_margins_on_many_rows():
    """Inclusion probabilities of 500 rows against the ratio of elementary symmetric functions in log space."""
    rng = np.random.default_rng(2)
    log_odds, n = rng.normal(0, 2, size=500), 130

    def log_symmetric(values):
        table = np.full(n + 1, -np.inf)
        table[0] = 0.0
        for value in values:
            table[1:] = np.logaddexp(table[1:], table[:-1] + value)
        return table

    rows = [0, 63, 64, 250, 499]
    exact = [
        np.exp(log_odds[i] + log_symmetric(np.delete(log_odds, i))[n - 1] - log_symmetric(log_odds)[n]) for i in rows
    ]
    draws = ExactSampler.of(log_odds, n).draw(4000, rng)
    assert np.all(draws.sum(axis=1) == n)
    found = draws[:, rows].mean(axis=0)
    np.testing.assert_array_less(np.abs(found - exact), 4.5 * np.sqrt(np.array(exact) * (1 - np.array(exact)) / 4000))
