"""The delta kernel, for categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from condmmd.arrays import as_float, distinct_rows, is_host, namespace
from condmmd.kernels.base import Kernel
from condmmd.kernels.features import FeatureMap, Landmarks
from condmmd.samples import Array, Table

__all__ = ["Delta"]


@dataclass(frozen=True)
class Delta(Kernel):
    """``k(x, x') = 1`` if the rows are equal in every column, 0 otherwise: no category is near another.

    Examples
    --------
    >>> from condmmd import Delta
    >>> Delta()([0, 1, 1])
    array([[1., 0., 0.],
           [0., 1., 1.],
           [0., 1., 1.]])
    """

    def gram(self, A: Array, B: Array) -> Array:
        if is_host(A):
            return (cdist(A, B, "chebyshev") == 0).astype(np.float64)
        xp = namespace(A)
        return as_float(xp.all(A[:, None, :] == B[None, :, :], axis=2))

    def diagonal(self, A: Array) -> Array:
        return namespace(A).ones_like(A[:, 0])

    def resolve(self, table: Table) -> Kernel:  # noqa: ARG002 - any column may be compared for equality
        return self

    def feature_map(self, X: Array) -> FeatureMap | None:
        return Landmarks(self, distinct_rows(X))
