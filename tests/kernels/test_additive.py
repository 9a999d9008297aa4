"""The additive kernel is the sum of Gaussians of single columns."""

import numpy as np

from condmmd import Gaussian
from condmmd.kernels import Additive

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(9, 3)), RNG.normal(size=(7, 3))


def test_it_is_the_sum_of_gaussians():
    by_column = Gaussian(0.8).on(0) + Gaussian(0.8).on(1) + Gaussian(0.8).on(2)
    np.testing.assert_allclose(Additive(0.8)(A, B), by_column(A, B), rtol=1e-13)
    np.testing.assert_allclose(Additive(0.8)(A, B[:1]), by_column(A, B[:1]), rtol=1e-13)  # a column, all terms at once
    np.testing.assert_allclose(Additive(0.8).diagonal(A), 3.0)
