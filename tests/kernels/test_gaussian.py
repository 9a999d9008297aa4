"""The Gaussian kernel against its formula."""

import numpy as np

from condmmd import Gaussian
from tests import oracle

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(9, 3)), RNG.normal(size=(7, 3))


def test_the_bandwidth_of_the_paper_is_the_inverse_squared_lengthscale():
    np.testing.assert_allclose(Gaussian(0.8)(A, B), oracle.gaussian(0.8**-2)(A, B), rtol=1e-13)
    np.testing.assert_allclose(
        Gaussian(0.8)(A[:, :1], B[:, :1]), oracle.gaussian(0.8**-2)(A[:, :1], B[:, :1]), rtol=1e-13
    )


def test_far_from_zero_it_keeps_its_digits():
    np.testing.assert_allclose(Gaussian(1.0)(A + 2**20, B + 2**20), Gaussian(1.0)(A, B), atol=1e-9)
