"""Who keeps one sign: each row, blocks of rows that go together, or, of very many rows, runs of them.

Flipping the signs of runs of neighbouring rows together is as exact as flipping each row, since these flips are some of
those; and where the rows are a million it costs as much as a few thousand do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    as_float,
    cached_property,
    each_chunk,
    is_chunked,
    n_rows,
    namespace,
    place_of,
    row_numbers,
    take,
    to_host,
)
from condmmd.regression.moments import cross_moments

__all__ = ["MAX_UNITS", "Units"]

# Rows that have a sign each; of more, so many runs have one.
MAX_UNITS = 8_192
RUNS = 4_096


@dataclass(frozen=True, eq=False)
class Units:
    """Features of covariates and residual features, and which rows share a sign.

    ``of_row`` is the number of each row's unit; None where each row is one.
    """

    phi: Rows
    rho: Rows
    count: int
    of_row: npt.NDArray[np.int64] | None

    @classmethod
    def of(cls, phi: Rows, rho: Rows, blocks: npt.NDArray[np.int64] | None) -> Units:
        """Blocks where they are given; else rows, or runs of very many or of rows in chunks."""
        rows = n_rows(phi)
        if blocks is not None:
            return cls(phi, rho, int(blocks.max()) + 1, blocks)
        if rows > MAX_UNITS:
            return cls(phi, rho, RUNS, np.arange(rows) * RUNS // rows)
        return cls(phi, rho, rows, np.arange(rows) if is_chunked(phi) else None)

    @property
    def numbers(self) -> int:
        """Numbers in the moments of one vector of signs."""
        return int(self.phi.shape[1] * self.rho.shape[1])

    @property
    def chunked(self) -> bool:
        """Whether the rows are in chunks (dask)."""
        return is_chunked(self.phi)

    def ones(self) -> AnyArray:
        """A one for each unit, where signs of units are to be."""
        if self.of_row is not None:
            return np.ones(self.count)
        xp, where = place_of(self.phi)
        ones: AnyArray = xp.ones(self.count, dtype=xp.float64, **where)
        return ones

    def moments(self, T: LabelBatch) -> AnyArray:
        """``M(w) = sum_i w_i phi_i rho_i^T`` for every vector of signs of the units: shape (B, r, q)."""
        if self.of_row is None:
            return cross_moments(T, self.phi, self.rho)
        signs = np.asarray(to_host(T.held), dtype=np.float64)
        return (signs @ self.sums).reshape(len(signs), self.phi.shape[1], self.rho.shape[1])

    def pairs(self, weights: Array) -> Any:
        """For each row of ``weights`` (over phi) a matrix Q over units with ``w^T Q w = sum_j weight_j |M_j(w)|^2``."""
        if self.of_row is not None:
            wide = np.repeat(weights, self.rho.shape[1], axis=1)
            return np.stack([(self.sums * own) @ self.sums.T for own in wide])
        xp, where = place_of(self.phi)
        H = self.rho @ self.rho.T
        own = xp.asarray(weights, **where)
        return xp.stack([((self.phi * own[c, ...][None, :]) @ self.phi.T) * H for c in range(len(weights))])

    @cached_property
    def sums(self) -> Array:
        """``phi_i rho_i^T`` summed over the rows of each unit: shape (units, r q)."""
        if self.of_row is None:
            raise ValueError("each row is a unit, so there is nothing to sum.")
        found = np.zeros((self.count, self.numbers))
        sum_chunk = partial(_sums_of_chunk, of_row=self.of_row)
        for some, sums in each_chunk(sum_chunk, row_numbers(self.phi), self.phi, self.rho):
            found[some] += sums
        return found


def _sums_of_chunk(
    numbers: Rows, phi: Rows, rho: Rows, of_row: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], Array]:
    """The units that a chunk of rows has a part of, and their sums over it."""
    start = int(numbers[0])
    own = of_row[start : start + n_rows(numbers)]
    if (np.diff(own) < 0).any():
        order = np.argsort(own, kind="stable")
        own, phi, rho = own[order], take(phi, order), take(rho, order)
    units, starts = np.unique(own, return_index=True)
    ends = np.append(starts[1:], len(own))
    sums = [to_host(_product(phi[a:b, :], rho[a:b, :])) for a, b in zip(starts, ends, strict=True)]
    return units, np.stack(sums)


def _product(phi: Rows, rho: Rows) -> AnyArray:
    found: AnyArray = namespace(phi).reshape(as_float(phi).T @ rho, (-1,))
    return found
