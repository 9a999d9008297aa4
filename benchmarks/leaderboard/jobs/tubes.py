"""rkhs: conditional embeddings with bootstrap bounds that hold at all points of a grid at once.

The tool decides at each point and gives no p-value: here the test rejects if it rejects anywhere on the grid, which is
100 of the rows of X. It has no rule for the bandwidths: half the median squared distance, as elsewhere; the ridge is
that of its documentation.
"""

import jax
import numpy as np
from job import run
from rkhs import VectorKernel
from rkhs.kernels import GaussianKernel
from rkhs.testing import ConditionalTestEmbedding, TwoSampleTest

GRID_ROWS = 100


def gaussian(A):
    squares = ((A[:, None] - A[None]) ** 2).sum(axis=-1)
    return GaussianKernel(bandwidth=float(np.sqrt(np.median(squares) / 2)), data_shape=A.shape[1:])


def test(X, Y, group, resamples, seed):
    kernel = VectorKernel(x=gaussian(X), y=gaussian(Y), regularization=0.1)
    grid = np.random.default_rng(seed).permutation(X)[:GRID_ROWS]
    embeddings = []
    for label, key in zip((1, 0), jax.random.split(jax.random.key(seed)), strict=True):
        cme = kernel.cme(X[group == label], Y[group == label])
        embeddings.append(ConditionalTestEmbedding.bootstrap(cme, grid, key, resamples)(grid))
    return bool(np.any(TwoSampleTest.from_embeddings(*embeddings, level=0.05).reject))


if __name__ == "__main__":
    run(test, "rkhs", "jax", "numpy")
