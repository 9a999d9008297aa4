"""Explicit features: maps ``x -> phi(x)`` that can be stored, combined and applied to new points."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

from condmmd.backend import Array, LowerTriangle, Rows, move_to, namespace, take

__all__ = ["FeatureMap", "Landmarks", "OnColumns", "Stacked", "Tensor"]


class Similarity(Protocol):
    """What features are made of: similarities between rows."""

    def gram(self, A: Rows, B: Rows) -> Rows:
        """Similarities of every row of ``A`` with every row of ``B``."""


class FeatureMap(Protocol):
    """Rows of points in, rows of features out."""

    @property
    def size(self) -> int:
        """The number of features."""

    def __call__(self, X: Rows) -> Rows:
        """Features of the rows of ``X``."""


@dataclass(frozen=True, eq=False)
class OnColumns:
    """A map that sees some columns only."""

    inner: FeatureMap
    positions: tuple[int, ...]

    @property
    def size(self) -> int:
        return self.inner.size

    def __call__(self, X: Rows) -> Rows:
        return self.inner(take(X, self.positions, axis=1))


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Similarities with fixed points; if ``corner`` is given, made to reproduce the kernel (Nystrom extension).

    With ``corner corner^T = k(points, points)``, lower triangular, the features are ``k(x, points) corner^-T``. They
    are exact at the points, and elsewhere the best that the points can do.
    """

    kernel: Similarity
    points: Array
    corner: LowerTriangle | None = None

    @property
    def size(self) -> int:
        return len(self.points)

    def __call__(self, X: Rows) -> Rows:
        K = self.kernel.gram(X, move_to(self.points, X))
        features: Rows = K if self.corner is None else self.corner(K)
        return features


@dataclass(frozen=True, eq=False)
class Stacked:
    """Features side by side: those of a sum of kernels."""

    maps: tuple[FeatureMap, ...]

    @property
    def size(self) -> int:
        return sum(m.size for m in self.maps)

    def __call__(self, X: Rows) -> Rows:
        return namespace(X).concat([m(X) for m in self.maps], axis=1)


@dataclass(frozen=True, eq=False)
class Tensor:
    """All products of features: those of a product of kernels."""

    maps: tuple[FeatureMap, ...]

    @property
    def size(self) -> int:
        return prod(m.size for m in self.maps)

    def __call__(self, X: Rows) -> Rows:
        phi = self.maps[0](X)
        for m in self.maps[1:]:
            phi = namespace(X).reshape(phi[:, :, None] * m(X)[:, None, :], (X.shape[0], -1))
        return phi
