"""The polynomial kernel and its features."""

import numpy as np
import pytest

from condmmd import Linear, Polynomial

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(9, 3)), RNG.normal(size=(7, 3))


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("coef0", [0.0, 1.0, 0.3])
def test_features_have_the_kernel_as_inner_product(degree, coef0):
    kernel = Polynomial(degree, coef0, 0.7)
    np.testing.assert_allclose(kernel(A, B), (0.7 * A @ B.T + coef0) ** degree, rtol=1e-12)
    features = kernel.feature_map(A)
    assert features(A).shape == (9, features.size)
    np.testing.assert_allclose(features(A) @ features(B).T, kernel(A, B), rtol=1e-10, atol=1e-12)


def test_the_linear_kernel_is_the_simplest():
    np.testing.assert_allclose(Linear()(A, B), Polynomial(1, 0.0)(A, B), rtol=1e-13)
    np.testing.assert_array_equal(Linear().feature_map(A)(A), A)
    np.testing.assert_allclose(Linear().diagonal(A), np.diag(A @ A.T))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"degree": 0}, r"`degree`"),
        ({"degree": 1.5}, r"`degree`"),
        ({"coef0": -1}, r"`coef0` must be at least 0"),
        ({"gamma": 0}, r"`gamma`"),
    ],
)
def test_what_cannot_be(options, words):
    with pytest.raises(ValueError, match=words):
        Polynomial(**options)
