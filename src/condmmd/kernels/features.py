"""Explicit features: maps ``x -> phi(x)`` that can be stored, combined and applied to new points."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy.linalg import solve_triangular

from condmmd.arrays import is_host, matching, namespace, take
from condmmd.threads import cached_property, calm_blas

if TYPE_CHECKING:
    from condmmd.kernels.base import Kernel
    from condmmd.samples import Array

__all__ = ["FeatureMap", "Landmarks", "OnColumns", "Stacked", "Tensor"]


class FeatureMap(Protocol):
    """Rows of points in, rows of features out."""

    @property
    def size(self) -> int:
        """The number of features."""

    def __call__(self, X: Array) -> Array:
        """Features of the rows of ``X``."""


@dataclass(frozen=True, eq=False)
class OnColumns:
    """A map that sees some columns only."""

    inner: FeatureMap
    positions: tuple[int, ...]

    @property
    def size(self) -> int:
        return self.inner.size

    def __call__(self, X: Array) -> Array:
        return self.inner(take(X, self.positions, axis=1))


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Similarities with fixed points; if ``corner`` is given, made to reproduce the kernel (Nystrom extension).

    With ``corner corner^T = k(points, points)``, lower triangular, the features are ``k(x, points) corner^-T``. They
    are exact at the points, and elsewhere the best that the points can do.
    """

    kernel: Kernel
    points: Array
    corner: Array | None = None

    @property
    def size(self) -> int:
        return len(self.points)

    def __call__(self, X: Array) -> Array:
        K = self.kernel.gram(X, matching(self.points, X))
        if self.corner is None:
            return K
        if is_host(X):
            return solve_triangular(self.corner, K.T, lower=True).T
        return K @ matching(self._inverse.T, X)

    @cached_property
    def _inverse(self) -> Array:
        """Of the corner: the array API has no triangular solve."""
        corner: Any = self.corner
        with calm_blas(len(corner) ** 3):
            return np.asarray(solve_triangular(corner, np.eye(len(corner)), lower=True), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Stacked:
    """Features side by side: those of a sum of kernels."""

    maps: tuple[FeatureMap, ...]

    @property
    def size(self) -> int:
        return sum(m.size for m in self.maps)

    def __call__(self, X: Array) -> Array:
        return namespace(X).concat([m(X) for m in self.maps], axis=1)


@dataclass(frozen=True, eq=False)
class Tensor:
    """All products of features: those of a product of kernels."""

    maps: tuple[FeatureMap, ...]

    @property
    def size(self) -> int:
        return prod(m.size for m in self.maps)

    def __call__(self, X: Array) -> Array:
        phi = self.maps[0](X)
        for m in self.maps[1:]:
            phi = namespace(X).reshape(phi[:, :, None] * m(X)[:, None, :], (X.shape[0], -1))
        return phi
