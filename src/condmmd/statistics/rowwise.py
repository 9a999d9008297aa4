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
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    Array,
    LabelBatch,
    Rows,
    cached_property,
    is_chunked,
    map_rows,
    move_to,
    n_rows,
    namespace,
    sum_rows,
    to_host,
    total,
)
from condmmd.data import Table
from condmmd.data.checks import check_choice, check_count, check_embedding, is_number
from condmmd.embedding import Embedding, embed_outcomes
from condmmd.embedding.rowwise import RowResiduals
from condmmd.embedding.views import View
from condmmd.kernels import KernelLike, check_kernel, is_precomputed, resolve_kernel
from condmmd.labels import Multipliers
from condmmd.regression.regularization import choose_reg, read_reg
from condmmd.statistics.base import Joining, StatisticColumn
from condmmd.statistics.neighbours import Edges, Neighbours, coordinates, default_neighbours
from condmmd.statistics.products import Products
from condmmd.statistics.sides import PAIRS_OF, Side, signs_of

__all__ = ["FittedRowwise", "Level", "Rowwise", "Weights"]

Level: TypeAlias = float | Literal["joint", "joint biased"]
Weights: TypeAlias = Literal["adaptive", "kernel", "neighbours"]

# Levels of a test that chooses none: the joint form is level 2 without a lambda.
ADAPTIVE: tuple[Level, ...] = (0.0, 1.0, "joint biased")
TEST_TOL = 1e-6
# Neighbours join the levels up to so many rows: beyond them a product with every edge for every flip takes too long.
JOINED_ROWS = 20_000
# The ridge of the regression by which outcomes are centred, in units of the mean of k(x, x).
CENTRE_REG = 0.01


@dataclass(frozen=True)
class Rowwise:
    """How residual features are weighed.

    Parameters
    ----------
    kernel_x
        Of the covariates (or predictions), as in `CMMD`.
    level
        A number, "joint" (level 2 without lambda: the mean of ``K_ij H_ij`` over pairs of different rows), "joint
        biased" (over all pairs), several of these, or "adaptive": levels 0, 1 and the joint form, and beside these
        the mean and the spread of numeric outcomes.
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
            return FittedRowwise(None, kernel, residuals, (), edges, _ones_of(residuals.rho, of_row))
        embedding, sigma = embed_outcomes(
            kernel, x, tol=self.tol, max_rank=None if self.tol == 0 else self.max_rank or _affordable(rows)
        ).principal()
        lam = choose_reg(read_reg(self.reg), embedding.phi, residuals.rho, sigma)
        along = _Along(embedding, to_host(sigma), lam.lam_p, str(lam), _ones_of(residuals.rho, of_row))
        sides = [self._distribution(along, residuals)]
        if isinstance(self.level, str) and self.level == "adaptive" and residuals.views is not None:
            sides += [_side_of_view(along, view) for view in residuals.views(along.centre)]
        return FittedRowwise(embedding, kernel, residuals, tuple(sides), edges, along.multipliers)

    def _distribution(self, along: _Along, residuals: RowResiduals) -> Side:
        """The whole distribution of the outcomes, at every level."""
        n, kernels = along.rows, (repr(along.x.kernel), repr(residuals.kernel))
        columns, weights = [], []
        for level in self.levels:
            if isinstance(level, str):
                pairs = n * (n - 1) if level == "joint" else n**2
                columns.append(StatisticColumn("level 2, joint form", 2.0, "none", *kernels, signed=level == "joint"))
                weights.append(np.full(len(along.sigma), 1.0 / pairs))
            else:
                columns.append(StatisticColumn(f"level {level:g}", level, along.reg, *kernels))
                weights.append(along.weights(level))
        without = np.array([1.0 / (n * (n - 1)) if level == "joint" else 0.0 for level in self.levels])
        products = Products(along.x.phi, residuals.rho, np.stack(weights))
        return Side(products, tuple(columns), without, along.multipliers)

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
class _Along:
    """Directions of the covariates in the eigenbasis of their covariance, its eigenvalues, and lambda."""

    x: Embedding
    sigma: Array
    lam: float
    reg: str
    multipliers: Multipliers

    @property
    def rows(self) -> int:
        return n_rows(self.x.phi)

    def weights(self, level: float) -> Array:
        """What the squared moment along each direction counts at a level."""
        return np.asarray(self.sigma**level / (self.rows * (self.sigma + self.lam)) ** 2)

    def centre(self, values: Rows) -> Rows:
        """What a ridge on the covariates, and a constant, say of some columns."""
        mean = to_host(total(values)) / self.rows
        slope = to_host(sum_rows(_cross, self.x.phi, values)) - to_host(total(self.x.phi))[:, None] * mean
        B = slope / (self.rows * (self.sigma + CENTRE_REG * self.sigma.sum()))[:, None]
        fitted: Rows = map_rows(partial(_fitted, B=B, mean=mean), self.x.phi, columns=len(mean))
        return fitted


def _cross(phi: Rows, values: Rows) -> Rows:
    return phi.T @ values


def _fitted(phi: Rows, B: Array, mean: Array) -> Rows:
    fitted: Rows = phi @ move_to(B, phi) + move_to(mean, phi)
    return fitted


def _side_of_view(along: _Along, view: View) -> Side:
    """A view of the outcomes over all rows, and at level 1 along the covariates."""
    phi = map_rows(_with_ones, along.x.phi, columns=along.x.rank + 1)
    kernels, names = (repr(along.x.kernel), "linear"), [f"{view.words}, over all rows"]
    columns = [StatisticColumn(names[0], 0.0, "none", *kernels)]
    weights = [np.append(np.zeros(along.x.rank), along.rows**-2.0)]
    if view.along:
        columns.append(StatisticColumn(f"{view.words}, along the covariates", 1.0, along.reg, *kernels))
        weights.append(np.append(along.weights(1.0), 0.0))
    products = Products(phi, view.values, np.stack(weights))
    return Side(products, tuple(columns), np.zeros(len(columns)), along.multipliers)


def _ones_of(rho: Rows, of_row: npt.NDArray[np.int64] | None) -> Multipliers:
    """A one for each row, or for each block of rows."""
    ones = map_rows(_one, rho) if of_row is None else np.ones(int(of_row.max()) + 1)
    return Multipliers(ones, None, of_row)


def _one(rho: Rows) -> Rows:
    return 0.0 * rho[:, 0] + 1.0


def _with_ones(phi: Rows) -> Rows:
    joined: Rows = namespace(phi).concat([phi, phi[:, :1] * 0.0 + 1.0], axis=1)
    return joined


@dataclass(frozen=True, eq=False)
class FittedRowwise:
    """Every level, every view and the neighbours, at any signs of the rows, or of blocks of rows that keep one."""

    x: Embedding | None
    kernel: Any
    residuals: RowResiduals
    sides: tuple[Side, ...]
    edges: Edges | None
    multipliers: Multipliers
    joining: ClassVar[Joining] = "gamma"

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """Those of each side, then the neighbours."""
        found = [column for side in self.sides for column in side.columns]
        if self.edges is not None:
            name, y = f"{self.edges.graph.k} nearest neighbours", repr(self.residuals.kernel)
            found.append(StatisticColumn(name, 1.0, "none", "neighbours", y, signed=True))
        return tuple(found)

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every vector of signs: shape (B, columns)."""
        parts = [side(T) for side in self.sides]
        if self.edges is not None:
            signs = np.asarray(to_host(signs_of(T)), dtype=np.float64)
            Q = self.edges.quadratic if self._sparse is None else self._sparse
            parts.append(np.einsum("bi,ib->b", signs, Q @ signs.T)[:, None])
        return np.concatenate(parts, axis=1)

    def measure(self) -> float:
        """The first column at the residual features as they are."""
        return float(self.sides[0].measure()[0])

    def at(self, rho: Array) -> Array:
        """Every column at other residuals: features, then each view's, of shape (B, rows, all of them)."""
        parts, start = [], 0
        for side in self.sides:
            parts.append(side.at(_beside(rho[:, :, start : start + side.width]), len(rho)))
            start += side.width
        if self.edges is not None:
            A = self.edges.graph.matrix(np.ones(self.edges.H.shape))
            unit = np.sqrt(self.edges.H.size * self.edges.variance) or 1.0
            own = _beside(rho[:, :, : self.residuals.rank])
            products = np.einsum("ic,ic->c", own, A @ own)
            parts.append(products.reshape(len(rho), -1).sum(axis=1, keepdims=True) / unit)
        return np.concatenate(parts, axis=1)

    @property
    def observed(self) -> Array:
        """The observed residuals, as `at` takes them."""
        parts = [to_host(side.products.rho) for side in self.sides] or [to_host(self.residuals.rho)]
        return np.concatenate(parts, axis=1)[None, ...]

    @cached_property
    def _sparse(self) -> Any:
        """The neighbours' matrix over the signs of several rows each; None where each row has its own."""
        own = self.multipliers.of_class
        if self.edges is None or own is None:
            return None
        from scipy.sparse import csr_array  # noqa: PLC0415 - a slow import, for neighbours alone

        rows = len(own)
        P = csr_array((np.ones(rows), own, np.arange(rows + 1)), shape=(rows, self.multipliers.classes))
        return P.T @ self.edges.quadratic @ P


def _beside(rho: Array) -> Array:
    """Several sets of residuals side by side: (B, rows, q) to (rows, B q)."""
    return np.ascontiguousarray(rho.transpose(1, 0, 2)).reshape(rho.shape[1], -1)
