"""The delta kernel, for categories."""

from __future__ import annotations

from dataclasses import dataclass

from condmmd.backend import Rows, distinct_rows, equal_rows, namespace
from condmmd.data import Table
from condmmd.kernels.base import Kernel
from condmmd.kernels.features import FeatureMap, Landmarks

__all__ = ["Delta"]


@dataclass(frozen=True)
class Delta(Kernel, name="delta"):
    """``k(x, x') = 1`` if the rows are equal in every column, 0 otherwise: no category is near another.

    Examples
    --------
    >>> from condmmd import Delta
    >>> Delta()([0, 1, 1])
    array([[1., 0., 0.],
           [0., 1., 1.],
           [0., 1., 1.]])
    """

    def gram(self, A: Rows, B: Rows) -> Rows:
        K: Rows = equal_rows(A, B)
        return K

    def diagonal(self, A: Rows) -> Rows:
        ones: Rows = namespace(A).ones_like(A[:, 0])
        return ones

    def resolve(self, table: Table) -> Kernel:  # noqa: ARG002 - any column may be compared for equality
        return self

    def feature_map(self, X: Rows) -> FeatureMap | None:
        return Landmarks(self, distinct_rows(X))
