"""Residual features met by directions of the covariates: sums of squares of moments, at any signs of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    as_float,
    cached_property,
    is_chunked,
    move_to,
    namespace,
    squared_norms,
    sum_rows,
    to_host,
)
from condmmd.labels import Multipliers, SignBatch
from condmmd.statistics.base import StatisticColumn
from condmmd.statistics.products import Products, in_classes

__all__ = ["Side", "signs_of"]

# Signs for which all pairs of them may be in memory, and numbers in the moments of a batch.
PAIRS_OF = 3_000
BATCH_NUMBERS = 2**25


@dataclass(frozen=True, eq=False)
class Side:
    """Columns ``sum_j weight_j |M_j|^2 - without sum_i |phi_i|^2 |rho_i|^2`` with ``M = sum_i g_i phi_i rho_i^T``."""

    products: Products
    columns: tuple[StatisticColumn, ...]
    without: Array
    multipliers: Multipliers

    @property
    def width(self) -> int:
        """Residual features."""
        return int(self.products.rho.shape[1])

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every vector of signs: shape (B, columns)."""
        if self._pairs is not None:
            return self._of_pairs(T)
        parts = [self.products(some) for some in T.steps(max(1, BATCH_NUMBERS // self.products.numbers))]
        return self._less_diagonal(np.concatenate(parts), self._diagonal)

    def at(self, beside: Array, count: int) -> Array:
        """Every column at other residual features of all rows: ``count`` of them side by side, (rows, count q)."""
        phi = self.products.phi
        xp, own = namespace(phi), move_to(beside, phi)
        M = xp.reshape(phi.T @ own, (phi.shape[1], count, -1))
        values = to_host(xp.permute_dims(xp.vecdot(M, M), (1, 0))) @ self.products.weights.T
        if not self.without.any():
            return self._less_diagonal(values, 0.0)
        diagonal = xp.reshape(squared_norms(phi) @ own**2, (count, -1))
        return self._less_diagonal(values, to_host(xp.sum(diagonal, axis=1))[:, None])

    def measure(self) -> Array:
        """Every column at the residual features as they are."""
        M = sum_rows(_cross, self.products.phi, self.products.rho)
        energies = to_host(namespace(M).vecdot(M, M))[None, :]
        return self._less_diagonal(energies @ self.products.weights.T, self._diagonal)[0]

    def _less_diagonal(self, values: Array, diagonal: Any) -> Array:
        return np.asarray(values - diagonal * self.without)

    @cached_property
    def _diagonal(self) -> float:
        """The sum of ``K_ii H_ii``, which no flip of signs moves."""
        if not self.without.any():
            return 0.0
        return float(sum_rows(_diagonal, self.products.phi, self.products.rho))

    def _of_pairs(self, T: LabelBatch) -> Array:
        pairs = self._pairs
        xp = namespace(pairs)
        signs = as_float(signs_of(T))
        found = [to_host(xp.sum((signs @ pairs[c, ...]) * signs, axis=1)) for c in range(pairs.shape[0])]
        return np.stack(found, axis=1) - self._diagonal * self.without

    @cached_property
    def _pairs(self) -> Any:
        """``g^T Q g`` for each column, where that takes fewer operations than moments; else None."""
        own, count = self.products, self.multipliers.classes
        chunked = is_chunked(own.phi) and not in_classes(self.multipliers)
        if count > PAIRS_OF or chunked or len(self.columns) * count > own.numbers:
            return None
        return own.pairs(self.multipliers)


def signs_of(T: LabelBatch) -> AnyArray:
    """One sign for each class of rows that keep one."""
    if not isinstance(T, SignBatch):
        raise TypeError("a statistic of rows with two sides is called with random signs.")
    return T.signs


def _cross(phi: Rows, rho: Rows) -> AnyArray:
    return phi.T @ rho


def _diagonal(phi: Rows, rho: Rows) -> AnyArray:
    found: AnyArray = namespace(phi).sum(squared_norms(phi) * squared_norms(rho))
    return found
