"""Laws of sums of independent labels."""

import numpy as np

from condmmd.labels.laws import Law, law_of_sum


def test_law_of_a_sum():
    p = np.random.default_rng(0).random(1000)
    expected = np.ones(1)
    for value in p:
        expected = np.convolve(expected, [1 - value, value])
    np.testing.assert_allclose(law_of_sum(p)(np.arange(1001)), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(law_of_sum(p[:1])(np.arange(-1, 3)), [0, 1 - p[0], p[0], 0])


def test_laws_are_added_and_trimmed():
    p = np.random.default_rng(1).random(300)
    whole, parts = law_of_sum(p), law_of_sum(p[:100]).plus(law_of_sum(p[100:]))
    values = np.arange(301)
    np.testing.assert_allclose(parts(values), whole(values), rtol=0, atol=1e-14)
    assert len(whole.probabilities) < 301  # far ends are rounding
    np.testing.assert_allclose(Law(2, np.ones(1)).plus(Law(3, np.ones(1)))(np.array([4, 5, 6])), [0, 1, 0])
