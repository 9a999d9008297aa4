"""Gaussian kernels of several lengthscales on the same few rows: their distances are found once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condmmd.backend import Array, Rows, n_rows, pair_distances, to_host
from condmmd.kernels.base import Kernel, On
from condmmd.kernels.gaussian import Gaussian

__all__ = ["share_distances"]


@dataclass(frozen=True, eq=False)
class _OfDistances(Kernel):
    """A Gaussian kernel of known squared distances between all rows; a point is a row number."""

    squares: Array
    lengthscale: float

    def gram(self, A: Rows, B: Rows) -> Rows:
        rows, columns = to_host(A)[:, 0].astype(np.int64), to_host(B)[:, 0].astype(np.int64)
        K = self.squares[columns]  # symmetric, and rows are in one piece
        K = K if len(rows) == len(self.squares) else K[:, rows]
        K *= -0.5 / self.lengthscale**2
        return np.exp(K, out=K).T

    def diagonal(self, A: Rows) -> Rows:
        return np.ones(n_rows(A))


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
            known[columns] = (
                (points - points.T) ** 2 if len(columns) == 1 else pair_distances(points, points, "sqeuclidean")
            )
        found.append((_OfDistances(known[columns], inner.lengthscale), numbers))
    return found
