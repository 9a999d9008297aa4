"""Pivoted Cholesky: ``K ~ phi phi^T`` from a few columns of K, never from K itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpstrf

from condmmd.backend import Array, content_order, to_host
from condmmd.kernels import Kernel

__all__ = ["Factor", "check_diagonal", "greedy_cholesky", "refuse_negative"]

# A residual this far below zero, relative to the largest k(x, x), is no rounding error.
NEGATIVE = 1e-8
# Up to so many rows the whole matrix is made at once.
WHOLE_ROWS = 256
# Levels are products of up to three such numbers and their inverses.
SMALLEST, LARGEST = 1e-60, 1e60


@dataclass(frozen=True, eq=False)
class Factor:
    """``K ~ phi phi^T``, the rows that were pivots, and the share of the trace that is left out."""

    phi: Array
    pivots: tuple[int, ...]
    residual: float

    @property
    def corner(self) -> Array:
        """``phi`` at the pivots: lower triangular, with ``corner corner^T = k(pivots, pivots)``."""
        return self.phi[list(self.pivots)]


def greedy_cholesky(kernel: Kernel, X: Array, *, tol: float, max_rank: int, first: int = 0) -> Factor:
    """Take as the next pivot the row that is represented worst, until ``tol`` of the trace is left.

    The ``first`` rows are pivots in any case, in their order. Of others that tie (with most kernels all do at first)
    what is in them decides, not where they stand.
    """
    kernel, X = _own_columns(kernel, X)
    if first:
        return _greedy(kernel, X, tol, max_rank, first)
    order = content_order(X)
    of_sorted = _cholesky_of_gram if len(X) <= WHOLE_ROWS else _greedy
    factor = of_sorted(kernel, X[order], tol, max_rank)
    phi = np.empty_like(factor.phi)
    phi[order] = factor.phi
    return replace(factor, phi=phi, pivots=tuple(int(order[pivot]) for pivot in factor.pivots))


def _greedy(kernel: Kernel, X: Array, tol: float, max_rank: int, first: int = 0) -> Factor:
    left = np.array(kernel.diagonal(X), dtype=np.float64)
    largest, total = check_diagonal(kernel, left)
    rows = np.empty((min(32, max_rank), len(X)))  # rows of phi^T, so that every step reads and writes in order
    pivots: list[int] = []
    rounding = len(X) * float(np.finfo(float).eps) * largest
    while len(pivots) < first or (len(pivots) < max_rank and float(np.add.reduce(left)) > tol * total):
        pivot = len(pivots) if len(pivots) < first else int(left.argmax())
        own = float(left[pivot])
        if own <= rounding:
            break
        rank = len(pivots)
        if rank == len(rows):
            rows = np.concatenate([rows, np.empty((max(1, min(rank, max_rank - rank)), len(X)))])
        column = to_host(kernel.gram(X, X[pivot : pivot + 1]))[:, 0]
        column -= rows[:rank, pivot] @ rows[:rank]
        column *= own**-0.5
        rows[rank] = column
        pivots.append(pivot)
        column *= column
        left -= column
        left[pivot] = 0.0
        if np.minimum.reduce(left) < -NEGATIVE * largest:
            refuse_negative(kernel, X[[*pivots, int(left.argmin())]])
        np.maximum(left, 0.0, out=left)
    phi = np.ascontiguousarray(rows[: len(pivots)].T)
    phi[pivots] = np.tril(phi[pivots])  # at a pivot what comes after it is zero but for rounding
    return Factor(phi, tuple(pivots), float(left.sum() / total))


def _cholesky_of_gram(kernel: Kernel, X: Array, tol: float, max_rank: int) -> Factor:
    """The same for few rows, from the whole matrix and by LAPACK; of two rows that tie it may take the other."""
    diagonal = np.array(kernel.diagonal(X), dtype=np.float64)
    largest, total = check_diagonal(kernel, diagonal)
    K = to_host(kernel.gram(X, X))
    factor, order, rank, _ = dpstrf(K, lower=1, tol=len(X) * float(np.finfo(float).eps) * largest)
    lower = np.tril(factor)[:, :rank]
    left = diagonal[order - 1] - np.cumsum(lower**2, axis=1).T  # after each pivot, in their order
    negative = np.flatnonzero(left.min(axis=1) < -NEGATIVE * largest)
    if len(negative):
        first = int(negative[0])
        refuse_negative(kernel, X[order[[*range(first + 1), int(left[first].argmin())]] - 1])
    sums = np.maximum(left, 0.0).sum(axis=1)
    enough = np.flatnonzero(sums <= tol * total)
    rank = min(rank, max_rank, int(enough[0]) + 1 if len(enough) else rank)
    phi = np.empty((len(X), rank))
    phi[order - 1] = lower[:, :rank]
    return Factor(phi, tuple(int(row) - 1 for row in order[:rank]), float(sums[rank - 1] / total))


def _own_columns(kernel: Kernel, X: Array) -> tuple[Kernel, Array]:
    inner, points = kernel.on_its_columns(X)
    return inner, to_host(points)


def check_diagonal(kernel: Kernel, diagonal: Array) -> tuple[float, float]:
    """Largest k(x, x) and their sum, or an error where no features can come of them."""
    smallest, largest, total = float(diagonal.min()), float(diagonal.max()), float(diagonal.sum())
    if not (np.isfinite(smallest) and np.isfinite(largest)):
        raise ValueError(f"the kernel {kernel!r} has k(x, x) that is NaN or infinite; scale the columns down.")
    if smallest < 0:
        raise ValueError(f"the kernel {kernel!r} is not positive semi-definite: k(x, x) = {smallest:.4g}.")
    if total == 0:
        raise ValueError(
            f"the kernel {kernel!r} is zero on every row, so it cannot tell any two apart. Leave out columns that are "
            "the same in all rows, or choose another kernel."
        )
    if not SMALLEST < largest < LARGEST:
        raise ValueError(
            f"the kernel {kernel!r} has k(x, x) up to {largest:.3g}, outside of what double precision can square and "
            "sum; bring the columns to a common scale, for instance in units of their standard deviation."
        )
    return largest, total


def refuse_negative(kernel: Kernel, rows: Array) -> None:
    """Raise, with the eigenvalue that shows it."""
    smallest = np.linalg.eigvalsh(to_host(kernel.gram(rows, rows)))[0]
    raise ValueError(
        f"the kernel {kernel!r} is not positive semi-definite: its Gram matrix on {len(rows)} of the rows has the "
        f"eigenvalue {smallest:.4g}. Use a valid kernel."
    )
