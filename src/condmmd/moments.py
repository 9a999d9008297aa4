"""Step 4 of the flow: sums over rows, for many weight vectors at once. This is where the time goes.

For weights a, ``A(a) = sum_i a_i phi_i phi_i^T`` and ``M(a) = sum_i a_i phi_i psi_i^T``. Both are linear in the rows,
so the sums of two chunks of rows add up to the sum of all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from condmmd.samples import Array, Weights

__all__ = ["cross_moments", "second_moments"]

# One product T @ F does all weight vectors, if the products of features F of a chunk of rows stay near the cache.
CHUNK_NUMBERS = 2**20
# With more products a row than this, or few weight vectors, one product for each weight vector is faster.
MAX_PRODUCTS = 2**13
FEW = 4


def second_moments(T: Weights, phi: Array, *, chunk: int | None = None) -> Array:
    """``A(a)`` for every row a of ``T``: shape (B, r, r).

    Parameters
    ----------
    T
        Weights, a vector of N in each of B rows.
    phi
        Features, N x r.
    chunk
        Rows of the data taken at a time; None: as many as fit a fixed amount of memory.
    """
    r = phi.shape[1]
    parts = _disjoint(phi)
    if parts is not None:
        A = np.zeros((len(T), r, r))
        for j, rows in enumerate(parts):
            A[:, j, j] = T[:, rows].astype(np.float64) @ phi[rows, j] ** 2
        return A
    if len(T) < FEW or r * (r + 1) // 2 > MAX_PRODUCTS:
        return _one_by_one(T, phi, phi)

    def products(rows: slice) -> Array:
        F = np.empty((r * (r + 1) // 2, rows.stop - rows.start))
        start = 0
        for i in range(r):
            np.multiply(phi_t[i, rows], phi_t[i:, rows], out=F[start : start + r - i])
            start += r - i
        return F

    phi_t = np.ascontiguousarray(phi.T)
    packed = _in_chunks(T, products, r * (r + 1) // 2, chunk)
    upper = np.triu_indices(r)
    A = np.empty((len(T), r, r))
    A[:, upper[0], upper[1]] = packed
    A[:, upper[1], upper[0]] = packed
    return A


def cross_moments(T: Weights, phi: Array, psi: Array, *, chunk: int | None = None) -> Array:
    """``M(a)`` for every row a of ``T``: shape (B, r, q). Parameters as in `second_moments`; psi is N x q."""
    r, q = phi.shape[1], psi.shape[1]
    parts = _disjoint(phi)
    if parts is not None:
        M = np.empty((len(T), r, q))
        for j, rows in enumerate(parts):
            M[:, j] = T[:, rows].astype(np.float64) @ (phi[rows, j, None] * psi[rows])
        return M
    if len(T) < FEW or r * q > MAX_PRODUCTS:
        return _one_by_one(T, phi, psi)

    def products(rows: slice) -> Array:
        return (phi_t[:, None, rows] * psi_t[None, :, rows]).reshape(r * q, -1)

    phi_t, psi_t = np.ascontiguousarray(phi.T), np.ascontiguousarray(psi.T)
    return _in_chunks(T, products, r * q, chunk).reshape(len(T), r, q)


def _disjoint(phi: Array) -> list[npt.NDArray[np.int64]] | None:
    """The rows of each feature, if no row has two: categories, which then cost one r-th. Else None."""
    r = phi.shape[1]
    if r < 2 or np.count_nonzero(phi[:64]) > 64 or np.count_nonzero(phi) > len(phi):
        return None
    present = phi != 0
    if (present.sum(axis=1) > 1).any():
        return None
    of_row = present.argmax(axis=1)
    order = np.argsort(of_row, kind="stable")
    return np.split(order, np.searchsorted(of_row[order], np.arange(1, r)))


def _in_chunks(T: Weights, products: Callable[[slice], Array], size: int, chunk: int | None) -> Array:
    """``T @ F^T``, with F made for some rows at a time."""
    n_rows = T.shape[1]
    step = chunk or max(64, CHUNK_NUMBERS // size)
    total = np.zeros((len(T), size))
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        total += T[:, rows].astype(np.float64, copy=False) @ products(rows).T
    return total


def _one_by_one(T: Weights, left: Array, right: Array) -> Array:
    """``left^T diag(a) right`` for each weight vector, over the rows where it is not zero."""
    sums = np.zeros((len(T), left.shape[1], right.shape[1]))
    step = max(4096, CHUNK_NUMBERS * 4 // (left.shape[1] + right.shape[1]))
    for start in range(0, T.shape[1], step):
        for b, weights in enumerate(T[:, start : start + step]):
            rows = np.flatnonzero(weights) + start
            chosen = left[rows].T if weights.dtype == np.int8 else left[rows].T * weights[rows - start]
            sums[b] += chosen @ right[rows]
    return sums
