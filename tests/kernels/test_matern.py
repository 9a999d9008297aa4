"""The Matern kernels against their formulas and against each other."""

import numpy as np
import pytest
from scipy.special import gamma, kv

from condmmd import Gaussian, Matern
from tests import oracle

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(9, 3)), RNG.normal(size=(7, 3))


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
def test_closed_form_and_bessel_function(nu):
    found = Matern(1.1, nu=nu)(A, B)
    np.testing.assert_allclose(found, oracle.matern(1.1, nu)(A, B), rtol=1e-13)
    r = np.sqrt(2 * nu) * np.sqrt(((A[:, None] - B[None]) ** 2).sum(-1)) / 1.1
    np.testing.assert_allclose(found, 2 ** (1 - nu) / gamma(nu) * r**nu * kv(nu, r), rtol=1e-9)


def test_the_smoother_the_nearer_to_the_gaussian():
    distance = [np.abs(Matern(1.0, nu=nu)(A, B) - Gaussian(1.0)(A, B)).max() for nu in (0.5, 1.5, 2.5)]
    assert distance[0] > distance[1] > distance[2]
    with pytest.raises(ValueError, match=r"`nu` must be 0.5, 1.5 or 2.5; got 1"):
        Matern(nu=1)
