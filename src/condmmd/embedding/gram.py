"""The whole Gram matrix, for kernels of no useful low rank on a few thousand rows."""

from __future__ import annotations

from dataclasses import dataclass

from condmmd.backend import (
    LowerTriangle,
    Rows,
    factor_positive,
    move_to,
    namespace,
    squared_norms,
    take,
    to_host,
)
from condmmd.embedding.cholesky import NEGATIVE, check_diagonal, refuse_negative
from condmmd.kernels import FeatureMap, Kernel, Landmarks

__all__ = ["Whitened", "factor_gram"]


@dataclass(frozen=True, eq=False)
class Whitened:
    """Features ``k(x, points) whiten`` of new points."""

    kernel: Kernel
    points: Rows
    whiten: Rows

    @property
    def size(self) -> int:
        return int(self.whiten.shape[1])

    def __call__(self, X: Rows) -> Rows:
        features: Rows = self.kernel.gram(X, move_to(self.points, X)) @ move_to(to_host(self.whiten), X)
        return features


def factor_gram(kernel: Kernel, X: Rows) -> tuple[Rows, float, FeatureMap, Rows]:
    """Features down to rounding, the share of the trace they leave, features of new points, and the matrix itself."""
    diagonal = kernel.diagonal(X)
    largest, total = check_diagonal(kernel, to_host(diagonal))
    K = kernel.gram(X, X)
    K = (K + K.T) / 2
    factor = factor_positive(K)
    if factor.worst > NEGATIVE * largest:  # what is left of a positive matrix is rounding
        refuse_negative(kernel, to_host(X))
    phi = factor.phi
    left = float(namespace(phi).sum(namespace(phi).clip(diagonal - squared_norms(phi), min=0.0)))
    if factor.pivots is not None:
        corner = to_host(take(phi, factor.pivots))
        features: FeatureMap = Landmarks(kernel, to_host(take(X, factor.pivots)), LowerTriangle(corner))
    else:
        features = Whitened(kernel, to_host(X), to_host(factor.whiten))
    return phi, left / total, features, K
