"""The whole Gram matrix, for kernels of no useful low rank on a few thousand rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpstrf

from condmmd.embedding.cholesky import Factor
from condmmd.kernels import Kernel
from condmmd.samples import Array

__all__ = ["factor_gram"]


def factor_gram(kernel: Kernel, X: Array) -> tuple[Factor, Array]:
    """Pivoted Cholesky of the full matrix (LAPACK ``pstrf``) down to rounding; also the matrix itself."""
    K = kernel.gram(X, X)
    K = (K + K.T) / 2
    factor, order, rank, _ = dpstrf(K, lower=1)
    phi = np.empty((len(X), rank))
    phi[order - 1] = np.tril(factor)[:, :rank]
    left = K.diagonal() - np.einsum("ij,ij->i", phi, phi)
    residual = float(np.maximum(left, 0.0).sum() / K.diagonal().sum())
    return Factor(phi, tuple(int(row) - 1 for row in order[:rank]), residual), K
