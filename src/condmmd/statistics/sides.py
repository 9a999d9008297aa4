"""Residual features met by directions of the covariates: sums of squares of moments, at any signs of the units."""

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
    move_to,
    namespace,
    squared_norms,
    sum_rows,
    to_host,
)
from condmmd.statistics.base import StatisticColumn
from condmmd.statistics.units import Units

__all__ = ["Side", "held"]

# Units for which all pairs of them may be in memory, and numbers in the moments of a batch.
PAIRS_OF = 3_000
BATCH_NUMBERS = 2**25


@dataclass(frozen=True, eq=False)
class Side:
    """Columns ``sum_j weight_j |M_j|^2 - without sum_i |phi_i|^2 |rho_i|^2`` with ``M = sum_i w_i phi_i rho_i^T``.

    ``weights`` has a row for each column and a number for each direction (column of phi).
    """

    units: Units
    columns: tuple[StatisticColumn, ...]
    weights: Array
    without: Array

    @property
    def width(self) -> int:
        """Residual features."""
        return int(self.units.rho.shape[1])

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every vector of signs: shape (B, columns)."""
        if self._pairs is not None:
            return self._of_pairs(T)
        parts = []
        for some in T.steps(max(1, BATCH_NUMBERS // self.units.numbers)):
            M = self.units.moments(some)
            parts.append(to_host(namespace(M).vecdot(M, M)))
        return self._values(np.concatenate(parts), self._diagonal)

    def at(self, beside: Array, count: int) -> Array:
        """Every column at other residual features of all rows: ``count`` of them side by side, (rows, count q)."""
        phi = self.units.phi
        xp, own = namespace(phi), move_to(beside, phi)
        M = xp.reshape(phi.T @ own, (phi.shape[1], count, -1))
        energies = to_host(xp.permute_dims(xp.vecdot(M, M), (1, 0)))
        if not self.without.any():
            return self._values(energies, 0.0)
        diagonal = xp.reshape(squared_norms(phi) @ own**2, (count, -1))
        return self._values(energies, to_host(xp.sum(diagonal, axis=1))[:, None])

    def measure(self) -> Array:
        """Every column at the residual features as they are."""
        M = sum_rows(_cross, self.units.phi, self.units.rho)
        return self._values(to_host(namespace(M).vecdot(M, M))[None, :], self._diagonal)[0]

    def _values(self, energies: Array, diagonal: Any) -> Array:
        return np.asarray(energies @ self.weights.T - diagonal * self.without)

    @cached_property
    def _diagonal(self) -> float:
        """The sum of ``K_ii H_ii``, which no flip of signs moves."""
        if not self.without.any():
            return 0.0
        return float(sum_rows(_diagonal, self.units.phi, self.units.rho))

    def _of_pairs(self, T: LabelBatch) -> Array:
        pairs = self._pairs
        xp = namespace(pairs)
        signs = as_float(held(T))
        found = [to_host(xp.sum((signs @ pairs[c, ...]) * signs, axis=1)) for c in range(pairs.shape[0])]
        return np.stack(found, axis=1) - self._diagonal * self.without

    @cached_property
    def _pairs(self) -> Any:
        """``w^T Q w`` for each column, where that takes fewer operations than moments; else None."""
        units = self.units
        if units.count > PAIRS_OF or units.chunked or len(self.columns) * units.count > units.numbers:
            return None
        return units.pairs(self.weights)


def held(T: LabelBatch) -> AnyArray:
    """Signs in memory, as those of units are."""
    if T.held is None:
        raise TypeError("signs of rows in chunks (dask) are those of units in memory.")
    return T.held


def _cross(phi: Rows, rho: Rows) -> AnyArray:
    return phi.T @ rho


def _diagonal(phi: Rows, rho: Rows) -> AnyArray:
    found: AnyArray = namespace(phi).sum(squared_norms(phi) * squared_norms(rho))
    return found
