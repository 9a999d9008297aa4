"""The Laplacian kernel against its formula."""

import numpy as np

from condmmd import Laplacian, Matern
from tests import oracle

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(9, 3)), RNG.normal(size=(7, 3))


def test_it_is_the_product_of_one_dimensional_exponentials():
    np.testing.assert_allclose(Laplacian(1.3)(A, B), oracle.laplacian(1.3)(A, B), rtol=1e-13)
    by_column = Laplacian(1.3).on(0) * Laplacian(1.3).on(1) * Laplacian(1.3).on(2)
    np.testing.assert_allclose(Laplacian(1.3)(A, B), by_column(A, B), rtol=1e-13)
    np.testing.assert_allclose(Laplacian(1.3)(A[:, :1], B[:, :1]), Matern(1.3, nu=0.5)(A[:, :1], B[:, :1]), rtol=1e-13)
