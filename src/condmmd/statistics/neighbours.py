"""Nearest neighbours as weights: which rows have covariates most like those of a row (Chatterjee et al., ECMMD).

``(1 / nk) sum_{i -> j} <rho_i, rho_j>`` over the directed edges from each row to its k nearest: near zero where the
residual features of neighbours have nothing to do with each other. In units of its standard error it is near normal, so
it needs no lambda and no resampling; and its cost is that of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, cached_property, steps_of, to_host
from condmmd.data import Table
from condmmd.kernels import Kernel
from condmmd.kernels.choose import standard_units
from condmmd.kernels.stationary import Stationary
from condmmd.labels.counters import keys_of
from condmmd.nuisance.scores import one_hot

__all__ = ["Edges", "Neighbours", "coordinates", "default_neighbours"]

# Neighbours of a row where the user did not say; fewer of few rows.
USUAL = 20
# Numbers in a step over the edges.
STEP_NUMBERS = 2**22
# Rows of equal covariates are told apart by this share of the covariates' spread.
NUDGE = 1e-9


def default_neighbours(rows: int) -> int:
    """As many as are a small part of the rows."""
    return max(1, min(USUAL, rows // 3))


def coordinates(x: Table, kernel: Kernel) -> Array:
    """Covariates in the units in which the kernel measures distance; else each column in units of its spread."""
    values = to_host(x.values)
    if isinstance(kernel, Stationary) and kernel.lengthscale is not None:
        return np.asarray(values / np.asarray(kernel.lengthscale))
    numbers = values[:, list(x.numeric)]
    if x.numeric:
        spread, distance = x.once(standard_units)
        numbers = numbers / (distance * spread)
    return np.concatenate([numbers, to_host(one_hot(values, x))], axis=1)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The k nearest of each row, itself left out: shape (rows, k)."""

    of_row: npt.NDArray[np.int64]

    @classmethod
    def of(cls, points: Array, k: int) -> Neighbours:
        """By Euclidean distance; of rows at the same distance by chance, which knows nothing of the outcomes."""
        from scipy.spatial import cKDTree  # noqa: PLC0415 - a slow import, for neighbours alone

        rows = len(points)
        if len(np.unique(points, axis=0)) < rows:
            points = _nudged(points)
        found = np.asarray(cKDTree(points).query(points, k + 1, workers=-1)[1])
        others = found != np.arange(rows)[:, None]
        others[others.all(axis=1), -1] = False
        return cls(np.asarray(found[others].reshape(rows, k), dtype=np.int64))

    @property
    def k(self) -> int:
        """Neighbours of each row."""
        return int(self.of_row.shape[1])

    def products(self, rho: Array) -> Edges:
        """``<rho_i, rho_j>`` along every edge."""
        H = np.empty(self.of_row.shape)
        for part in self._steps(rho.shape[1]):
            H[part] = np.einsum("iq,ikq->ik", rho[part], rho[self.of_row[part]])
        return Edges(self, H)

    @cached_property
    def mutual(self) -> npt.NDArray[np.bool_]:
        """Whether each edge is there in the other direction too."""
        found = np.empty(self.of_row.shape, dtype=bool)
        for part in self._steps(self.k):
            own = np.arange(part.start, part.stop)[:, None, None]
            found[part] = (self.of_row[self.of_row[part]] == own).any(axis=2)
        return found

    def matrix(self, values: Array) -> Any:
        """A sparse matrix with a value for each edge."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - a slow import, for neighbours alone

        rows, k = self.of_row.shape
        starts = np.arange(0, rows * k + 1, k)
        return csr_array((values.reshape(-1), self.of_row.reshape(-1), starts), shape=(rows, rows))

    def _steps(self, numbers: int) -> list[slice]:
        return steps_of(len(self.of_row), max(64, STEP_NUMBERS // (self.k * max(1, numbers))))


@dataclass(frozen=True, eq=False)
class Edges:
    """Products of residual features along the edges, and the statistic that they make."""

    graph: Neighbours
    H: Array

    @property
    def statistic(self) -> float:
        """The mean over the edges."""
        return float(self.H.mean())

    @property
    def variance(self) -> float:
        """Of the statistic, times the number of edges: an edge that goes both ways counts twice."""
        squares = self.H**2
        return float((squares.sum() + squares[self.graph.mutual].sum()) / self.H.size)

    @property
    def score(self) -> float:
        """The statistic in units of its standard error; 0 where nothing differs in any row."""
        variance = self.variance
        return sqrt(self.H.size) * self.statistic / sqrt(variance) if variance > 0 else 0.0

    @cached_property
    def quadratic(self) -> Any:
        """A matrix Q with ``w^T Q w`` the score of residual features of which w flips the signs: sparse."""
        unit = sqrt(self.H.size * self.variance) or 1.0
        return self.graph.matrix(self.H / unit)


def _nudged(points: Array) -> Array:
    """With one more coordinate, far below the others, in which no two rows are equal."""
    chance = keys_of(np.arange(len(points), dtype=np.uint64)) * 2.0**-63
    spread = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
    return np.concatenate([points, NUDGE * spread * chance[:, None]], axis=1)
