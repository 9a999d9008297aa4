"""Laws of sums of independent labels: from tables, and from the sums of a few powers."""

import numpy as np
import pytest

from condmmd.labels import laws


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
