"""Gaussian kernels of several lengthscales on the same few rows: their distances are found once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from condmmd.kernels.base import Kernel, On
from condmmd.kernels.gaussian import Gaussian
from condmmd.samples import Array

__all__ = ["share_distances"]


@dataclass(frozen=True, eq=False)
class _OfDistances(Kernel):
    """A Gaussian kernel of known squared distances between all rows; a point is a row number."""

    squares: Array
    lengthscale: float

    def gram(self, A: Array, B: Array) -> Array:
        K = self.squares[B[:, 0].astype(np.int64)]  # symmetric, and rows are in one piece
        K = K if len(A) == len(self.squares) else K[:, A[:, 0].astype(np.int64)]
        K *= -0.5 / self.lengthscale**2
        return np.exp(K, out=K).T

    def diagonal(self, A: Array) -> Array:
        return np.ones(len(A))


def share_distances(kernels: list[Kernel], X: Array) -> list[tuple[Kernel, Array]]:
    """Each kernel with the rows to evaluate it on, which must be few; Gaussians of the same columns share distances."""
    known: dict[tuple[int, ...], Array] = {}
    numbers = np.arange(len(X), dtype=np.float64)[:, None]
    found: list[tuple[Kernel, Array]] = []
    for kernel in kernels:
        inner = kernel.kernel if isinstance(kernel, On) else kernel
        if not (isinstance(kernel, On) and isinstance(inner, Gaussian) and isinstance(inner.lengthscale, float)):
            found.append((kernel, X))
            continue
        columns = kernel.positions or ()
        if columns not in known:
            points = X[:, list(columns)]
            known[columns] = (points - points.T) ** 2 if len(columns) == 1 else cdist(points, points, "sqeuclidean")
        found.append((_OfDistances(known[columns], inner.lengthscale), numbers))
    return found
