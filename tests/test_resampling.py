"""Each way to draw null labels, against the law found by enumerating all label vectors."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import chisquare

from condmmd.labels import (
    Bernoulli,
    ExactSampler,
    FixedSize,
    HalvingSampler,
    InBlocks,
    Permutation,
    counters,
    halving,
    laws,
    tables,
    tilt,
)

E6 = np.array([0.1, 0.35, 0.5, 0.6, 0.8, 0.95])


def fixed_size_law(e, n):
    """All label vectors with n ones, and their probabilities."""
    odds = e / (1 - e)
    subsets = list(combinations(range(len(e)), n))
    weights = np.array([np.prod(odds[list(subset)]) for subset in subsets])
    return subsets, weights / weights.sum()


def assert_follows(draws, subsets, law):
    """Chi-square at 1e-4: one seed in ten thousand would fail."""
    found = [tuple(np.flatnonzero(row)) for row in draws]
    counts = np.array([found.count(subset) for subset in subsets])
    assert counts.sum() == len(draws)
    assert chisquare(counts, len(draws) * law).pvalue > 1e-4


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


@pytest.mark.parametrize("n", [1, 3, 5])
def test_halving_sampler(n, monkeypatch):
    monkeypatch.setattr(halving, "LAST_ROWS", 2)
    sampler = HalvingSampler.of(np.log(E6 / (1 - E6)), n)
    assert len(sampler.after) == 2
    assert_follows(sampler.draw(8000, np.random.default_rng(0)), *fixed_size_law(E6, n))


@pytest.mark.parametrize("at_once", [512, 2**22])
def test_halving_has_the_margins_of_the_tables(at_once, monkeypatch):
    """Inclusion probabilities and the spread of sums over parts, against the tables, on 3000 uneven rows."""
    monkeypatch.setattr(halving, "LAST_ROWS", 300)
    monkeypatch.setattr("condmmd.backend.arrays.HOST_NUMBERS", at_once)
    rng = np.random.default_rng(4)
    log_odds = np.sort(rng.normal(0, 2, size=3000))
    draws = [sampler.of(log_odds, 900).draw(3000, rng) for sampler in (ExactSampler, HalvingSampler)]
    assert np.all(draws[1].sum(axis=1) == 900)
    parts = [labels.reshape(3000, 30, 100).sum(axis=2) for labels in draws]
    mean, sd = (np.array([function(part, axis=0) for part in parts]) for function in (np.mean, np.std))
    assert np.abs(mean[0] - mean[1]).max() < 4.5 * (2 / 3000) ** 0.5 * sd.max()
    np.testing.assert_allclose(sd[0], sd[1], rtol=0.08)


def test_law_of_a_sum():
    p = np.random.default_rng(0).random(1000)
    expected = np.ones(1)
    for value in p:
        expected = np.convolve(expected, [1 - value, value])
    np.testing.assert_allclose(laws.law_of_sum(p), expected, rtol=0, atol=1e-15)
    np.testing.assert_allclose(laws.law_of_sum(p[:1]), [1 - p[0], p[0]])


@pytest.mark.parametrize("spread", ["even", "skew", "uneven"])
@pytest.mark.parametrize("cut", [0, 1, 3777])
def test_law_of_a_sum_from_powers(spread, cut):
    """Against all rows multiplied out; powers of two blocks of rows add up, by class of row number."""
    rng = np.random.default_rng(1)
    count, classes = 20_000, 8
    p = {"even": rng.random(count), "skew": rng.beta(0.2, 3, count), "uneven": rng.beta(0.2, 0.2, count)}[spread]
    U = laws.power_sums(p[:cut], 0, classes) if cut else 0.0
    U = U + laws.power_sums(p[cut:], cut, classes)
    expected = [np.sum((2 * p[2::classes] - 1) ** k) for k in range(1, laws.POWERS + 1)]
    np.testing.assert_allclose(U[:, 2], expected, rtol=1e-12, atol=1e-9)
    law = laws.law_of_powers(count, U.sum(axis=1))
    exact = laws.law_of_sum(p)
    assert np.abs(law(np.arange(count + 1)) - exact).max() < 1e-11 * exact.max()
    np.testing.assert_allclose(law.variance, np.sum(p * (1 - p)), rtol=1e-9)


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
    labels = HalvingSampler.of(np.random.default_rng(0).permutation(log_odds), 200).draw(50, np.random.default_rng(1))
    assert np.all(labels.sum(axis=1) == 200)


def test_fixed_size_halves_many_rows(monkeypatch):
    t = np.array([1.0, 0, 1, 0, 0, 1])
    assert isinstance(FixedSize.of(E6, t).sampler, ExactSampler)
    monkeypatch.setattr(tables, "TABLE_ROWS", 5)
    scheme = FixedSize.of(E6, t)
    assert isinstance(scheme.sampler, HalvingSampler)
    assert np.all(scheme.draw(10, np.random.default_rng(0)).sum(axis=1) == 3)


def test_permutation_is_uniform():
    t = np.array([1.0, 1, 0, 0, 0])
    subsets, law = fixed_size_law(np.full(5, 0.5), 2)
    assert_follows(Permutation(t).draw(5000, np.random.default_rng(4)), subsets, law)


def test_permutation_within_strata_is_uniform_there():
    t, strata = np.array([1.0, 0, 1, 0, 0, 1]), np.array([7, 2, 2, 7, 2, 9])
    draws = Permutation(t, strata).draw(6000, np.random.default_rng(5))
    subsets = [tuple(sorted((a, b, 5))) for a, b in product((0, 3), (1, 2, 4))]
    assert_follows(draws, subsets, np.full(6, 1 / 6))


def test_bernoulli_draws_each_row_by_itself():
    draws = Bernoulli(E6).draw(20_000, np.random.default_rng(6))
    np.testing.assert_allclose(draws.mean(axis=0), E6, atol=0.015)
    assert abs(np.corrcoef(draws.T)[0, 5]) < 0.03


def test_blocks_stay_together():
    scheme = InBlocks(Permutation(np.array([1.0, 0, 0])), np.array([0, 0, 1, 2, 2, 2]))
    draws = scheme.draw(3000, np.random.default_rng(7))
    assert_follows(draws, [(0, 1), (2,), (3, 4, 5)], np.full(3, 1 / 3))


def test_tilt_has_the_right_sum():
    log_odds = np.array([-50.0, 0.0, 3.0, 700.0])
    for n in (1, 2, 3):
        np.testing.assert_allclose(tilt(log_odds, n).sum(), n, rtol=1e-9)


def test_numbers_are_those_of_splitmix():
    """Against the generator's own definition in Python's integers, for keys and row numbers of all signs and sizes."""

    def upper_half(key, number):
        z = (key + number * 0x9E3779B97F4A7C15) % 2**64
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        return (z >> 32) - (2**32 if z >= 2**63 else 0)

    rng = np.random.default_rng(0)
    keys, numbers = rng.integers(-(2**63), 2**63, size=20), rng.integers(0, 2**40, size=30)
    expected = np.array([[upper_half(int(key), int(number)) for number in numbers] for key in keys])
    for limit in (-(2**31) + 1, -5, 0, 12345678, 2**31):
        found = counters.below(numbers, np.full(30, float(limit)), keys)
        np.testing.assert_array_equal(found, expected < limit)


def test_numbers_of_rows_and_keys_are_independent():
    """Uniform, and uncorrelated between neighbouring rows, neighbouring keys, attempts and halves of the bits."""
    seeds = np.random.default_rng(1).integers(2**64, size=400, dtype=np.uint64)
    limits = counters.thresholds(np.full(2000, 0.3))
    labels = np.stack([counters.below(np.arange(2000), limits, counters.keys_of(seeds, a)) for a in (0, 1)]).astype(
        float
    )
    assert abs(labels.mean() - 0.3) < 4 * (0.21 / labels.size) ** 0.5
    centred = labels - 0.3
    for first, second in (
        (centred[:, :, 1:], centred[:, :, :-1]),
        (centred[:, 1:], centred[:, :-1]),
        (centred[0], centred[1]),
        (centred[:, :, :1000], centred[:, :, 1000:]),
    ):
        assert abs((first * second).mean()) < 4 * 0.21 / first.size**0.5
    by_key = labels.sum(axis=2).ravel()
    assert abs(by_key.var() / (2000 * 0.21) - 1) < 4 * (2 / by_key.size) ** 0.5
