"""The whole Gram matrix, for kernels of no useful low rank on a few thousand rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpstrf

from condmmd.embedding.cholesky import NEGATIVE, Factor, check_diagonal, refuse_negative
from condmmd.kernels import Kernel
from condmmd.samples import Array

__all__ = ["factor_gram"]


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
