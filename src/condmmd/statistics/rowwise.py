"""One residual feature a row, weighed by covariates: every cited statistic of paired outcomes, models and calibration.

With ``H_ij = <rho_i, rho_j>``, ``M(w) = sum_i w_i phi_i rho_i^T`` and W = (K + lam n I)^-1:

- level s is ``tr(W K^(s+1) W H)`` over n^s, ``sum_j sigma_j^s |u_j^T D|^2`` with ``D = (A(1) + lam n I)^-1 M(1)``;
  level 0 between predictions and outcomes is CKCE;
- the joint form is the mean of ``K_ij H_ij``, over all pairs (V) or without the diagonal (U): ACMMD and SKCE;
- nearest neighbours are ECMMD.

All are quadratic in the signs of rho, so a flip of signs costs a product and no solve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    as_float,
    cached_property,
    is_chunked,
    move_to,
    n_rows,
    namespace,
    squared_norms,
    sum_rows,
    to_host,
)
from condmmd.data import Table
from condmmd.data.checks import check_choice, check_count, check_embedding, is_number
from condmmd.embedding import Embedding, embed_outcomes
from condmmd.embedding.rowwise import RowResiduals
from condmmd.kernels import KernelLike, check_kernel, is_precomputed, resolve_kernel
from condmmd.regression.regularization import choose_reg, read_reg
from condmmd.statistics.base import Joining, StatisticColumn
from condmmd.statistics.neighbours import Edges, Neighbours, coordinates, default_neighbours
from condmmd.statistics.units import Units

__all__ = ["FittedRowwise", "Level", "Rowwise", "Weights"]

Level: TypeAlias = float | Literal["joint", "joint biased"]
Weights: TypeAlias = Literal["adaptive", "kernel", "neighbours"]

# Levels of a test that chooses none: the joint form is level 2 without a lambda.
ADAPTIVE: tuple[Level, ...] = (0.0, 1.0, "joint biased")
TEST_TOL = 1e-6
# Neighbours join the levels up to so many rows: beyond them a product with every edge for every flip takes too long.
JOINED_ROWS = 20_000
# Units for which all pairs of them may be in memory.
PAIRS_OF = 3_000


@dataclass(frozen=True)
class Rowwise:
    """How residual features are weighed.

    Parameters
    ----------
    kernel_x
        Of the covariates (or predictions), as in `CMMD`.
    level
        A number, "joint" (level 2 without lambda: the mean of ``K_ij H_ij`` over pairs of different rows), "joint
        biased" (over all pairs), several of these, or "adaptive": levels 0, 1 and the joint form.
    weights
        "kernel", "neighbours" or "adaptive": both.
    neighbours
        How many; None: 20, or a third of the rows.
    reg
        Lambda, in the paper's scale; None: 0.1 in units of the mean of k(x, x).
    tol, max_rank
        As in `CMMD`.
    """

    kernel_x: KernelLike = None
    level: Level | Sequence[Level] | Literal["adaptive"] = "adaptive"
    weights: Weights = "adaptive"
    neighbours: int | None = None
    reg: float | None = None
    tol: float = TEST_TOL
    max_rank: int | None = None

    def __post_init__(self) -> None:
        check_kernel(self.kernel_x, "kernel_x")
        if is_precomputed(self.kernel_x):
            raise ValueError("`kernel_x` must be a kernel of the columns of X here, not a Gram matrix.")
        check_choice(self.weights, "weights", ("adaptive", "kernel", "neighbours"))
        if self.neighbours is not None:
            check_count(self.neighbours, "neighbours")
        check_embedding(self.tol, self.max_rank, "auto")
        if isinstance(self.reg, str) or not (self.reg is None or is_number(self.reg)):
            raise TypeError(f"`reg` must be a positive number or None; got {self.reg!r}.")
        read_reg(self.reg)
        _ = self.levels

    @property
    def levels(self) -> tuple[Level, ...]:
        """Those that take part."""
        if self.weights == "neighbours":
            return ()
        if isinstance(self.level, str) and self.level == "adaptive":
            return ADAPTIVE
        given: Any = self.level
        levels = (given,) if isinstance(given, str) or is_number(given) else tuple(np.asarray(given, dtype=object))
        for level in levels:
            if not (level in ("joint", "joint biased") or (is_number(level) and 0 <= level < np.inf)):
                raise ValueError(f"`level` must be at least 0, 'joint', or 'adaptive'; got {level!r}.")
        if not levels:
            raise ValueError("`level` must not be empty.")
        return tuple(level if level in ("joint", "joint biased") else float(level) for level in levels)

    def with_neighbours(self, rows: int, *, chunked: bool) -> bool:
        """Whether neighbours take part among so many rows."""
        if self.weights == "adaptive":
            return not chunked and rows <= JOINED_ROWS and isinstance(self.level, str) and self.level == "adaptive"
        return self.weights == "neighbours"

    def fit(self, x: Table, residuals: RowResiduals, of_row: npt.NDArray[np.int64] | None = None) -> FittedRowwise:
        """Fix everything but the signs; ``of_row`` says which rows keep one sign together."""
        kernel = resolve_kernel(self.kernel_x, x)
        rows, edges = n_rows(x.values), None
        if self.with_neighbours(rows, chunked=x.chunked):
            edges = self._edges(x, residuals, kernel)
        if not self.levels:
            return FittedRowwise(None, np.empty(0), kernel, residuals, (), None, edges, None, rows, of_row)
        limit = self.max_rank or _affordable(rows)
        embedding, sigma = embed_outcomes(
            kernel, x, tol=self.tol, max_rank=None if self.tol == 0 else limit
        ).principal()
        lam = choose_reg(read_reg(self.reg), embedding.phi, residuals.rho, sigma)
        units = Units.of(embedding.phi, residuals.rho, of_row)
        words = str(lam) if any(not isinstance(level, str) for level in self.levels) else "none"
        return FittedRowwise(
            embedding, to_host(sigma), kernel, residuals, self.levels, (lam.lam_p, words), edges, units, rows,
            units.of_row,
        )  # fmt: skip

    def _edges(self, x: Table, residuals: RowResiduals, kernel: Any) -> Edges:
        rows = n_rows(x.values)
        k = default_neighbours(rows) if self.neighbours is None else self.neighbours
        if k >= rows:
            raise ValueError(f"`neighbours` must be fewer than the {rows} rows; got {k}.")
        if is_chunked(x.values):
            raise TypeError(
                "`weights`: neighbours need all rows in memory, and these are in chunks (dask). Use weights='kernel', "
                "or pass arrays in memory."
            )
        return Neighbours.of(coordinates(x, kernel), k).products(to_host(residuals.rho))


def _affordable(rows: int) -> int:
    """Features of the covariates at most: what a product for every flip costs, whatever the rows are."""
    return 128 if rows <= PAIRS_OF else 48


@dataclass(frozen=True, eq=False)
class FittedRowwise:
    """Every level and the neighbours, at any signs of the rows (or of units of rows that keep one sign)."""

    x: Embedding | None
    sigma: Array
    kernel: Any
    residuals: RowResiduals
    levels: tuple[Level, ...]
    lam: tuple[float, str] | None
    edges: Edges | None
    units: Units | None
    rows: int
    of_row: npt.NDArray[np.int64] | None = None
    joining: ClassVar[Joining] = "gamma"

    @property
    def ones(self) -> AnyArray:
        """The observed signs: a one for each unit, where signs of units are to be."""
        if self.units is not None:
            return self.units.ones()
        return np.ones(self.rows if self.of_row is None else int(self.of_row.max()) + 1)

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """A level each, then the neighbours."""
        kernels, reg = (repr(self.kernel), repr(self.residuals.kernel)), "none" if self.lam is None else self.lam[1]
        found = []
        for level in self.levels:
            if isinstance(level, str):
                found.append(StatisticColumn("level 2, joint form", 2.0, "none", *kernels, signed=level == "joint"))
            else:
                found.append(StatisticColumn(f"level {level:g}", level, reg, *kernels))
        if self.edges is not None:
            k = self.edges.graph.k
            found.append(StatisticColumn(f"{k} nearest neighbours", 1.0, "none", "neighbours", kernels[1], signed=True))
        return tuple(found)

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every vector of signs: shape (B, columns)."""
        parts = []
        if self.units is not None:
            parts.append(self._of_pairs(T) if self._pairs is not None else self._of_moments(T))
        if self.edges is not None:
            signs = np.asarray(to_host(_held(T)), dtype=np.float64)
            Q = self.edges.quadratic if self._sparse is None else self._sparse
            parts.append(np.einsum("bi,ib->b", signs, Q @ signs.T)[:, None])
        return np.concatenate(parts, axis=1)

    def measure(self) -> float:
        """The first column at the residual features as they are."""
        embedding = self._embedding
        M = sum_rows(_cross, embedding.phi, self.residuals.rho)
        energies = to_host(namespace(M).vecdot(M, M))[None, :]
        return float(self._values(energies, self._diagonal)[0, 0])

    def at(self, rho: Array) -> Array:
        """Every column at other residual features: shape (B, rows, features) to (B, columns)."""
        parts, B = [], len(rho)
        beside = np.ascontiguousarray(rho.transpose(1, 0, 2)).reshape(rho.shape[1], -1)
        if self.x is not None:
            xp, phi = namespace(self.x.phi), self.x.phi
            own = move_to(beside, phi)
            M = xp.reshape(phi.T @ own, (phi.shape[1], B, -1))
            diagonal = xp.reshape(squared_norms(phi) @ own**2, (B, -1))
            energies = to_host(xp.permute_dims(xp.vecdot(M, M), (1, 0)))
            parts.append(self._values(energies, to_host(xp.sum(diagonal, axis=1))[:, None]))
        if self.edges is not None:
            A = self.edges.graph.matrix(np.ones(self.edges.H.shape))
            unit = np.sqrt(self.edges.H.size * self.edges.variance) or 1.0
            products = np.einsum("ic,ic->c", beside, A @ beside)
            parts.append(products.reshape(B, -1).sum(axis=1, keepdims=True) / unit)
        return np.concatenate(parts, axis=1)

    def _values(self, energies: Array, diagonal: Any) -> Array:
        """Levels from ``|M_j|^2`` along each eigenvector, and the sum of ``K_ii H_ii``."""
        return np.asarray(energies @ self._weights.T - diagonal * self._without)

    @cached_property
    def _weights(self) -> Array:
        """What ``|M_j|^2`` counts at each level: shape (levels, r)."""
        n, lam = self.rows, 0.0 if self.lam is None else self.lam[0]
        shrink = 1.0 / (n * (self.sigma + lam)) ** 2
        ones = np.ones_like(self.sigma)
        own: dict[Any, Array] = {"joint biased": ones / n**2, "joint": ones / (n * (n - 1))}
        return np.stack([own[s] if isinstance(s, str) else self.sigma**s * shrink for s in self.levels])

    @property
    def _without(self) -> Array:
        """What the diagonal counts at each level: something in the unbiased joint form alone."""
        return np.array([1.0 / (self.rows * (self.rows - 1)) if s == "joint" else 0.0 for s in self.levels])

    @cached_property
    def _diagonal(self) -> float:
        """The sum of ``K_ii H_ii``, which no flip of signs moves."""
        phi = self._embedding.phi
        return float(sum_rows(_diagonal, phi, self.residuals.rho))

    @property
    def _embedding(self) -> Embedding:
        if self.x is None:
            raise ValueError("neighbours alone have no features of the covariates.")
        return self.x

    def _of_moments(self, T: LabelBatch) -> Array:
        units = self._units
        parts = []
        for some in T.steps(max(1, 2**25 // units.numbers)):
            M = units.moments(some)
            parts.append(to_host(namespace(M).vecdot(M, M)))
        return self._values(np.concatenate(parts), self._diagonal)

    def _of_pairs(self, T: LabelBatch) -> Array:
        pairs = self._pairs
        xp = namespace(pairs)
        signs = as_float(_held(T))
        found = [to_host(xp.sum((signs @ pairs[c, ...]) * signs, axis=1)) for c in range(pairs.shape[0])]
        return np.stack(found, axis=1) - self._diagonal * self._without

    @property
    def _units(self) -> Units:
        if self.units is None:
            raise ValueError("neighbours alone have no moments.")
        return self.units

    @cached_property
    def _pairs(self) -> Any:
        """``w^T Q w`` for each level, where that takes fewer operations than moments; else None."""
        units = self._units
        if units.count > PAIRS_OF or units.chunked or len(self.levels) * units.count > units.numbers:
            return None
        return units.pairs(self._weights)

    @cached_property
    def _sparse(self) -> Any:
        """The neighbours' matrix over units of several rows; None where each row is a unit."""
        if self.edges is None or self.of_row is None:
            return None
        from scipy.sparse import csr_array  # noqa: PLC0415 - a slow import, for neighbours alone

        of_row, rows = self.of_row, self.rows
        P = csr_array((np.ones(rows), of_row, np.arange(rows + 1)), shape=(rows, int(of_row.max()) + 1))
        return P.T @ self.edges.quadratic @ P


def _cross(phi: Rows, rho: Rows) -> AnyArray:
    return phi.T @ rho


def _diagonal(phi: Rows, rho: Rows) -> AnyArray:
    found: AnyArray = namespace(phi).sum(squared_norms(phi) * squared_norms(rho))
    return found


def _held(T: LabelBatch) -> AnyArray:
    """Signs in memory, as those of units are."""
    if T.held is None:
        raise TypeError("signs of rows in chunks (dask) are those of units in memory.")
    return T.held
