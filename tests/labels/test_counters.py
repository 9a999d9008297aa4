"""Random numbers that are functions of a key and a row number."""

import numpy as np

from condmmd.labels import counters


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
    """Uniform, and uncorrelated between neighbouring rows, keys of neighbouring seeds, and halves of the rows."""
    seeds = np.arange(800, dtype=np.uint64)
    limits = counters.thresholds(np.full(2000, 0.3))
    labels = counters.below(np.arange(2000), limits, counters.keys_of(seeds)).astype(float)
    assert abs(labels.mean() - 0.3) < 4 * (0.21 / labels.size) ** 0.5
    centred = labels - 0.3
    for first, second in (
        (centred[:, 1:], centred[:, :-1]),
        (centred[1:], centred[:-1]),
        (centred[:, :1000], centred[:, 1000:]),
    ):
        assert abs((first * second).mean()) < 4 * 0.21 / first.size**0.5
    by_key = labels.sum(axis=1)
    assert abs(by_key.var() / (2000 * 0.21) - 1) < 4 * (2 / by_key.size) ** 0.5
