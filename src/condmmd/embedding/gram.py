"""The whole Gram matrix, for kernels of no useful low rank on a few thousand rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpstrf

from condmmd.arrays import matching, n_rows, namespace, squared_norms, to_host
from condmmd.embedding.cholesky import NEGATIVE, Factor, check_diagonal, refuse_negative
from condmmd.kernels import Kernel
from condmmd.samples import Array

__all__ = ["Whitened", "factor_gram", "spectral_gram"]


def factor_gram(kernel: Kernel, X: Array) -> tuple[Factor, Array]:
    """Pivoted Cholesky of the full matrix (LAPACK ``pstrf``) down to rounding; also the matrix itself."""
    largest, total = check_diagonal(kernel, kernel.diagonal(X))
    K = kernel.gram(X, X)
    K = (K + K.T) / 2
    factor, order, rank, _ = dpstrf(K, lower=1)
    phi = np.empty((len(X), rank))
    phi[order - 1] = np.tril(factor)[:, :rank]
    left = K.diagonal() - np.einsum("ij,ij->i", phi, phi)
    if np.abs(K - phi @ phi.T).max() > NEGATIVE * largest:  # what is left of a positive matrix is rounding
        refuse_negative(kernel, X)
    return Factor(phi, tuple(int(row) - 1 for row in order[:rank]), float(np.maximum(left, 0.0).sum() / total)), K


@dataclass(frozen=True, eq=False)
class Whitened:
    """Features ``k(x, points) whiten`` of new points."""

    kernel: Kernel
    points: Array
    whiten: Array

    @property
    def size(self) -> int:
        return int(self.whiten.shape[1])

    def __call__(self, X: Array) -> Array:
        return self.kernel.gram(X, matching(self.points, X)) @ matching(to_host(self.whiten), X)


def spectral_gram(kernel: Kernel, X: Array) -> tuple[Array, Array, float, Array]:
    """The same on a device, by eigenvectors: features, what makes them of similarities, what is left, the matrix."""
    xp = namespace(X)
    diagonal = kernel.diagonal(X)
    largest, total = check_diagonal(kernel, to_host(diagonal))
    K = kernel.gram(X, X)
    K = (K + K.T) / 2
    values, U = xp.linalg.eigh(K)
    if float(values[0]) < -NEGATIVE * largest * n_rows(X):
        refuse_negative(kernel, to_host(X))
    rank = int(xp.sum(xp.astype(values > n_rows(X) * float(np.finfo(float).eps) * float(values[-1]), xp.int64)))
    values, U = xp.flip(values)[:rank], xp.flip(U, axis=1)[:, :rank]
    phi = U * xp.sqrt(values)
    left = float(xp.sum(diagonal - squared_norms(phi)))
    return phi, U / xp.sqrt(values), max(0.0, left / total), K
