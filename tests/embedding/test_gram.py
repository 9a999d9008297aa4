"""The whole Gram matrix factored, on a processor and on a device."""

import array_api_strict as strict
import numpy as np
import pytest

from condmmd import Gaussian
from condmmd.backend import to_host
from condmmd.embedding.gram import factor_gram
from condmmd.kernels import FromFunction

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(60, 2)), RNG.normal(size=(5, 2))


@pytest.mark.parametrize("array", [np.asarray, strict.asarray], ids=["processor", "device"])
def test_features_reproduce_the_matrix_and_extend_it(array):
    phi, left, features, K = factor_gram(Gaussian(0.8), array(X))
    np.testing.assert_allclose(to_host(K), Gaussian(0.8)(X), atol=1e-12)
    np.testing.assert_allclose(to_host(phi) @ to_host(phi).T, Gaussian(0.8)(X), atol=1e-12)
    assert left < 1e-12
    new = to_host(features(array(NEW)))
    assert new.shape == (5, features.size)
    np.testing.assert_allclose(new @ to_host(phi).T, Gaussian(0.8)(NEW, X), atol=1e-6)


@pytest.mark.parametrize("array", [np.asarray, strict.asarray], ids=["processor", "device"])
def test_an_indefinite_matrix_is_refused(array):
    angle = np.linspace(0, 6, 64)
    circle = array(np.stack([np.cos(angle), np.sin(angle)], axis=1))  # where k(x, x) is 1
    with pytest.raises(ValueError, match="not positive semi-definite"):
        factor_gram(FromFunction(lambda A, B: 2 - A @ B.T), circle)
