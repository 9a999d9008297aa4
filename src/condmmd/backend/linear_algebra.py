"""Systems of positive definite matrices, many at once, in the way that is fastest where they are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import array_api_compat as compat
import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dsymm
from scipy.linalg.lapack import dposv, dpstrf, spotrf, spotrs

from condmmd.backend.arrays import AnyArray, Array, Rows, move_to, namespace, on_processor, place_of, to_host, work_size
from condmmd.backend.chunks import steps_of, take
from condmmd.backend.operations import put_rows
from condmmd.backend.threads import blas_threads_for, cached_property, for_each, one_blas_thread

__all__ = [
    "LowerTriangle",
    "PositiveFactor",
    "RowGroups",
    "factor_positive",
    "solve_in_groups",
    "solve_one",
    "solve_positive",
    "solve_ridge",
    "times_each",
]  # fmt: skip

# Matrices smaller than this are solved faster as a batch.
CUPY_BATCH = 256
# Matrices smaller than this are solved faster as a batch than one by one.
MIN_CHOLESKY = 48
# Matrices of fewer rows are factored faster in one thread: between two calls each has to wait for Python.
MIN_THREADED = 800
# From so many rows on a factor in single precision, refined, is faster than one in double precision.
MIN_REFINED = 200
# Single precision is used where a solution in it has this many digits, and refined until there are so many.
FLOAT32_ROUNDING = 6e-8
MIN_DIGITS, DIGITS = 4.0, 12.0


def solve_positive(A: Any, B: Any) -> Any:
    """``A^-1 B`` for a batch of positive definite matrices."""
    if compat.is_torch_array(A):
        import torch  # noqa: PLC0415 - the array API has no triangular solve

        return torch.cholesky_solve(B, torch.linalg.cholesky(A))
    if compat.is_cupy_array(A) and A.shape[-1] > CUPY_BATCH:
        from cupyx.lapack import posv  # noqa: PLC0415

        return namespace(A).stack([posv(A[b, ...], B[b, ...]) for b in range(A.shape[0])])
    return namespace(A).linalg.solve(A, B)


def solve_ridge(A: Any, M: Any, ridge: Any) -> Any:
    """``(A + ridge I)^-1 M`` for a batch; overwrites A."""
    xp, where = place_of(A)
    if not on_processor(A) or A.shape[-1] < MIN_CHOLESKY:
        A += ridge[:, None, None] * xp.eye(A.shape[-1], dtype=xp.float64, **where)
        return solve_positive(A, M)
    with blas_threads_for(A.shape[-1] ** 3):
        return np.stack([solve_one(*one) for one in zip(A, M, ridge, strict=True)])


def solve_one(A: Array, b: Array, ridge: float = 0.0) -> Array:
    """``(A + ridge I)^-1 b`` for a positive definite A in row order, which is overwritten."""
    if ridge:
        A.reshape(-1)[:: len(A) + 1] += ridge
    _, solution, failed = dposv(A.T, b, lower=1, overwrite_a=1)  # symmetric: its transpose is itself in column order
    if failed:
        raise np.linalg.LinAlgError("`reg` is too small for this kernel matrix; increase it.")
    return solution


@dataclass(frozen=True, eq=False)
class RowGroups:
    """One group of rows for each label vector (a row of ``members``), its ridge for each row of it, and a sign."""

    members: npt.NDArray[np.bool_]
    lam: float
    sign: float


def solve_in_groups(K: Rows, psi: Rows, groups: Sequence[RowGroups]) -> AnyArray:
    """For each label vector b ``sign (K_SS + lam |S| I)^-1 psi_S`` at the rows S of its group, for disjoint groups.

    Parameters
    ----------
    K
        A positive semi-definite matrix of all rows, N x N.
    psi
        Right-hand sides, N x q.
    groups
        RowGroups that have no row in common. An empty one has the solution 0.

    Returns
    -------
    array
        B x N x q; 0 at rows of no group.
    """
    if isinstance(K, np.ndarray):
        return _groups_on_processor(K, to_host(psi), groups)
    return _groups_on_device(K, psi, groups)


def _groups_on_processor(K: Array, psi: Array, groups: Sequence[RowGroups]) -> Array:
    """One factorisation for each group.

    Nothing but SciPy's LAPACK inside the loop: NumPy brings a BLAS of its own, and the threads of the two fight.
    """
    (N, q), B = psi.shape, len(groups[0].members)
    weighted = np.zeros((N, B, q))  # so that `times_each` is one product
    largest = float(K.diagonal().max())

    def solve(b: int) -> None:
        for group in groups:
            index = group.members[b].nonzero()[0]
            if not len(index):
                continue
            own, ridge = K.take(index, axis=0).take(index, axis=1), group.lam * len(index)
            if len(index) < MIN_REFINED:
                solution = solve_one(own, psi[index], ridge)
            else:
                own.reshape(-1)[:: len(index) + 1] += ridge
                solution = _solve_refined(own.T, psi[index], largest / group.lam)
            weighted[index, b] = group.sign * solution

    with one_blas_thread() if N < MIN_THREADED else nullcontext():
        if N < 2 * MIN_REFINED:  # SciPy's LAPACK holds Python's lock, so that threads would only wait
            for b in range(B):
                solve(b)
        else:
            for_each(solve, range(B))
    return weighted.transpose(1, 0, 2)


def times_each(phi: Rows, weighted: AnyArray) -> AnyArray:
    """``phi^T weighted_b`` for each b, of what `solve_in_groups` gives: shape (B, r, q)."""
    if not isinstance(weighted, np.ndarray):
        return phi.T @ weighted
    B, N, q = weighted.shape
    product = to_host(phi).T @ weighted.transpose(1, 0, 2).reshape(N, B * q)
    return product.reshape(-1, B, q).transpose(1, 0, 2)


def _groups_on_device(K: Rows, psi: Rows, groups: Sequence[RowGroups]) -> AnyArray:
    """RowGroups of one size solved at once."""
    xp, where = place_of(K)
    (N, q), B = psi.shape, len(groups[0].members)
    weighted = xp.zeros((B * N, q), dtype=xp.float64, **where)
    for group in groups:
        sizes = group.members.sum(axis=1)
        for size in np.unique(sizes[sizes > 0]).tolist():
            ridge = group.lam * size * xp.eye(size, dtype=xp.float64, **where)
            same = np.flatnonzero(sizes == size)
            for part in steps_of(len(same), max(1, work_size(K) // (2 * size**2))):
                some = same[part]
                index = np.stack([np.flatnonzero(group.members[b]) for b in some])
                matrices = xp.stack([take(take(K, i), i, axis=1) for i in index]) + ridge
                outcomes = xp.reshape(take(psi, index.reshape(-1)), (len(some), size, q))
                solved = xp.reshape(group.sign * solve_positive(matrices, outcomes), (-1, q))
                put_rows(weighted, (some[:, None] * N + index).reshape(-1), solved)
    reshaped: AnyArray = xp.reshape(weighted, (B, N, q))
    return reshaped


def _solve_refined(A: Array, b: Array, condition: float) -> Array:
    """``A^-1 b`` for a positive definite A in column order, which may be overwritten.

    Where A is well conditioned the factor is made in single precision, in half the time, and the solution refined with
    residuals in double precision: each step gains the digits that a single-precision solution has.
    """
    digits = -np.log10(FLOAT32_ROUNDING * condition)
    if digits < MIN_DIGITS:
        return solve_one(A.T, b)
    factor, failed = spotrf(A.astype(np.float32, order="F"), lower=1, overwrite_a=1)
    if failed:
        return solve_one(A.T, b)
    solution, left = np.zeros(b.shape, order="F"), b
    for step in range(int(np.ceil(DIGITS / digits))):
        if step:
            left = dsymm(-1.0, A, solution, 1.0, b, lower=1)
        solution += spotrs(factor, left.astype(np.float32), lower=1)[0]
    return solution


@dataclass(frozen=True, eq=False)
class LowerTriangle:
    """A lower triangular matrix L of NumPy, from which ``K L^-T`` is made for rows K of any kind."""

    L: Array

    def __call__(self, K: Any) -> Any:
        if on_processor(K):
            return solve_triangular(self.L, K.T, lower=True).T
        return K @ move_to(self._inverse.T, K)

    @cached_property
    def _inverse(self) -> Array:
        """The array API has no triangular solve."""
        with blas_threads_for(len(self.L) ** 3):
            return np.asarray(solve_triangular(self.L, np.eye(len(self.L)), lower=True), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class PositiveFactor:
    """``K ~ phi phi^T`` for a positive semi-definite matrix K, and how features of new points follow from it.

    Attributes
    ----------
    phi
        N x rank.
    pivots
        On a processor: the rows whose similarities give the features of a new point, through ``phi`` at them.
    whiten
        On a device: the features of a new point are its similarities with all rows times this.
    worst
        The largest deviation of ``phi phi^T`` from K, or minus the smallest eigenvalue of K.
    """

    phi: AnyArray
    pivots: tuple[int, ...] | None
    whiten: AnyArray | None
    worst: float


def factor_positive(K: Any) -> PositiveFactor:
    """By pivoted Cholesky (LAPACK ``pstrf``) down to rounding; on a device by eigenvectors."""
    if not on_processor(K):
        return _factor_on_device(K)
    factor, order, rank, _ = dpstrf(K, lower=1)
    phi = np.empty((len(K), rank))
    phi[order - 1] = np.tril(factor)[:, :rank]
    pivots = tuple(int(row) - 1 for row in order[:rank])
    return PositiveFactor(phi, pivots, None, float(np.abs(K - phi @ phi.T).max()))


def _factor_on_device(K: Any) -> PositiveFactor:
    xp = namespace(K)
    values, U = xp.linalg.eigh(K)
    count = K.shape[0]
    rank = int(xp.sum(xp.astype(values > count * float(np.finfo(float).eps) * float(values[-1]), xp.int64)))
    smallest = float(values[0])
    values, U = xp.flip(values)[:rank], xp.flip(U, axis=1)[:, :rank]
    return PositiveFactor(U * xp.sqrt(values), None, U / xp.sqrt(values), -smallest / count)
