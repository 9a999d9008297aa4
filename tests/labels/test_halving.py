"""Draws by halves, against the law found by listing all label vectors and against tables."""

import dask.array as da
import numpy as np
import pytest

from condmmd.backend import DrawnLabels
from condmmd.labels import halving, laws
from condmmd.labels.halving import HalvingSampler
from condmmd.labels.tables import ExactSampler
from tests.labels.enumeration import E6, assert_follows, fixed_size_law, units


@pytest.mark.parametrize("n", [1, 3, 5])
def test_halving_sampler(n, monkeypatch):
    monkeypatch.setattr(halving, "LAST_ROWS", 2)
    sampler = HalvingSampler.of(np.log(E6 / (1 - E6)), n)
    assert len(sampler.after) == 2
    assert_follows(sampler.draw(units(8000)).held, *fixed_size_law(E6, n))


@pytest.mark.parametrize("at_once", [512, 2**22])
def test_halving_has_the_margins_of_the_tables(at_once, monkeypatch):
    """Inclusion probabilities and the spread of sums over parts, against the tables, on 3000 uneven rows."""
    monkeypatch.setattr(halving, "LAST_ROWS", 300)
    monkeypatch.setattr("condmmd.backend.arrays.HOST_NUMBERS", at_once)
    rng = np.random.default_rng(4)
    log_odds = np.sort(rng.normal(0, 2, size=3000))
    draws = [ExactSampler.of(log_odds, 900).draw(3000, rng), HalvingSampler.of(log_odds, 900).draw([(3000, rng)]).held]
    assert np.all(draws[1].sum(axis=1) == 900)
    parts = [labels.reshape(3000, 30, 100).sum(axis=2) for labels in draws]
    mean, sd = (np.array([function(part, axis=0) for part in parts]) for function in (np.mean, np.std))
    assert np.abs(mean[0] - mean[1]).max() < 4.5 * (2 / 3000) ** 0.5 * sd.max()
    np.testing.assert_allclose(sd[0], sd[1], rtol=0.08)


@pytest.mark.parametrize("bits", [1, 2, 10])
@pytest.mark.parametrize("cut", [1, 6, 777])
def test_powers_of_halves(bits, cut, monkeypatch):
    """Of blocks of any size, and where row numbers are taken a few bits at a time."""
    monkeypatch.setattr(halving, "CLASS_BITS", bits)
    p, depth = np.random.default_rng(2).random(1000), 5
    found = halving._powers_by_half(p[:cut], 0, depth) + halving._powers_by_half(p[cut:], cut, depth)
    slices = [*(halving.half(j) for j in range(depth)), halving.rest(depth)]
    for column, rows in zip(found.T, slices, strict=True):
        expected = [np.sum((2 * p[rows] - 1) ** k) for k in range(1, laws.POWERS + 1)]
        np.testing.assert_allclose(column, expected, rtol=1e-12, atol=1e-12)


def test_few_random_labels_are_not_told_by_powers():
    for random in (20, 200):  # too few for a smooth law; and enough, but too few powers
        p = np.concatenate([np.zeros(1000 - random), np.full(random, 0.5)])
        assert laws.law_of_powers(1000, laws.power_sums(p, 0, 1)[:, 0]) is None
    log_odds = np.where(np.arange(40_000) % 100 == 0, 0.0, -12.0)  # the sampler multiplies such rows out
    labels = HalvingSampler.of(np.random.default_rng(0).permutation(log_odds), 200).draw(units(50, 1)).held
    assert np.all(labels.sum(axis=1) == 200)


def test_null_labels_of_chunks_are_those_of_the_whole():
    log_odds = np.random.default_rng(0).normal(size=10_001)
    whole = HalvingSampler.of(log_odds, 4000).draw(units(5, 3)).held
    drawn = HalvingSampler.of(da.from_array(log_odds, chunks=3000), 4000).draw(units(5, 3))
    assert isinstance(drawn, DrawnLabels)
    chunks = [drawn.make(*(row.blocks[k].compute() for row in drawn.rows)) for k in range(drawn.rows[0].numblocks[0])]
    np.testing.assert_array_equal(np.concatenate(chunks, axis=1), whole)


def test_rows_that_alternate_are_shuffled_or_refused():
    """Every other row sure of its label: halves of the rows as they come would hardly ever fit together."""
    log_odds = np.where(np.arange(20_000) % 2, 30.0 * (-1.0) ** (np.arange(20_000) // 2), 0.0)
    sampler = HalvingSampler.of(log_odds, 10_000)
    assert sampler.order is not None
    draws = sampler.draw(units(3)).held
    assert np.all(draws.sum(axis=1) == 10_000)
    np.testing.assert_array_equal(draws[:, 1::2], np.tile(log_odds[1::2] > 0, (3, 1)))
    with pytest.raises(ValueError, match="shuffle the rows"):
        HalvingSampler.of(da.from_array(log_odds, chunks=5000), 10_000)
