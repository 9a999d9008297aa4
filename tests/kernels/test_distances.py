"""Gaussian kernels of several lengthscales that share their distances."""

import numpy as np

from condmmd import Gaussian, Linear
from condmmd.kernels import share_distances


def test_gaussians_that_share_distances_are_the_same_kernels():
    X = np.random.default_rng(0).normal(size=(30, 3))
    kernels = [Gaussian(0.7).on(0, 1), Gaussian(2.0).on(0, 1), Gaussian(1.0).on(2), Linear()]
    shared = share_distances(kernels, X)
    assert shared[0][0].squares is shared[1][0].squares
    assert shared[3] == (kernels[3], X)
    for (kernel, rows), original in zip(shared, kernels, strict=True):
        np.testing.assert_allclose(kernel.gram(rows, rows[3:5]), original.gram(X, X[3:5]), atol=1e-15)
        np.testing.assert_allclose(kernel.gram(rows[:9], rows), original.gram(X[:9], X), atol=1e-15)
        np.testing.assert_allclose(kernel.diagonal(rows), original.diagonal(X))
