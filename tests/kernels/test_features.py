"""Maps to features: combined they are those of combined kernels."""

import numpy as np

from condmmd import Delta, Gaussian, Linear, Polynomial
from condmmd.backend import LowerTriangle
from condmmd.kernels.features import Landmarks, OnColumns, Stacked, Tensor

RNG = np.random.default_rng(0)
X, NEW = np.round(RNG.normal(size=(20, 2))), np.round(RNG.normal(size=(6, 2)))


def test_sums_stack_and_products_multiply():
    first, second = Polynomial(2).feature_map(X), Delta().feature_map(X)
    stacked, tensor = Stacked((first, second)), Tensor((first, second))
    assert stacked.size == first.size + second.size
    assert tensor.size == first.size * second.size
    np.testing.assert_allclose(stacked(X) @ stacked(NEW).T, (Polynomial(2) + Delta())(X, NEW), atol=1e-10)
    np.testing.assert_allclose(tensor(X) @ tensor(NEW).T, (Polynomial(2) * Delta())(X, NEW), atol=1e-10)
    some = OnColumns(Linear().feature_map(X[:, 1:]), (1,))
    np.testing.assert_array_equal(some(X), X[:, 1:])
    assert some.size == 1


def test_landmarks_are_exact_at_their_points():
    points = RNG.normal(size=(8, 2))
    kernel = Gaussian(1.0)
    landmarks = Landmarks(kernel, points, LowerTriangle(np.linalg.cholesky(kernel(points))))
    np.testing.assert_allclose(landmarks(points) @ landmarks(points).T, kernel(points), atol=1e-9)
    np.testing.assert_allclose(landmarks(X) @ landmarks(points).T, kernel(X, points), atol=1e-9)
    left = kernel.diagonal(X) - np.sum(landmarks(X) ** 2, axis=1)
    assert left.min() > -1e-9  # from below elsewhere
    np.testing.assert_array_equal(Landmarks(kernel, points)(X), kernel(X, points))
