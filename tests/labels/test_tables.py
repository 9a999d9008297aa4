"""Exact draws from tables, against the law found by listing all label vectors."""

import numpy as np
import pytest

from condmmd.labels import tables
from condmmd.labels.tables import ExactSampler, PartsSampler
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


@pytest.mark.parametrize("rows", [1, 2, 4, 5])
@pytest.mark.parametrize("n", [1, 3, 5])
def test_parts_of_any_size_have_the_same_law(rows, n, monkeypatch):
    monkeypatch.setattr(tables, "TABLE_ROWS", rows)
    for shift in (-30.0, 0.0):  # it depends on odds up to a factor
        sampler = PartsSampler.of(np.log(E6 / (1 - E6)) + shift, n)
        drawn = sampler.draw_labels([(5000, np.random.default_rng(0)), (3000, np.random.default_rng(1))])
        assert_follows(drawn, *fixed_size_law(E6, n))


def test_parts_have_the_margins_of_the_tables_on_many_uneven_rows(monkeypatch):
    """3,000 rows, some of which could be of one group only, by parts of 500 and at once."""
    rng = np.random.default_rng(3)
    log_odds, n = rng.normal(0, 3, size=3000) + np.repeat([-2.0, 2.0, 0.0], 1000), 1400
    monkeypatch.setattr(tables, "TABLE_ROWS", 500)
    parts = PartsSampler.of(log_odds, n).draw_labels([(1500, np.random.default_rng(4))])
    whole = ExactSampler.of(log_odds, n).draw(1500, np.random.default_rng(5))
    assert (parts.sum(axis=1) == n).all()
    # sums over a part vary as they do in the whole: means within 5 errors, variances within 20 %
    for part in (slice(0, 500), slice(1000, 1500), slice(2500, 3000)):
        one, other = (labels[:, part].sum(axis=1) for labels in (parts, whole))
        assert abs(one.mean() - other.mean()) < 5 * np.hypot(one.std(), other.std()) / 1500**0.5
        assert 0.8 < one.var() / other.var() < 1.25


def test_draws_do_not_depend_on_how_many_there_are_at_once(monkeypatch):
    monkeypatch.setattr(tables, "TABLE_ROWS", 4)
    sampler = PartsSampler.of(np.log(E6 / (1 - E6)), 3)
    together = sampler.draw_labels([(5, np.random.default_rng(0)), (7, np.random.default_rng(1))])
    apart = [sampler.draw_labels([(count, np.random.default_rng(seed))]) for seed, count in enumerate((5, 7))]
    np.testing.assert_array_equal(together, np.concatenate(apart))
