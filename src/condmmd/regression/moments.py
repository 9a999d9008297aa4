"""Step 4 of the flow: sums over rows, for many weight vectors at once. This is where the time goes.

For weights a, ``A(a) = sum_i a_i phi_i phi_i^T`` and ``M(a) = sum_i a_i phi_i psi_i^T``. Both are linear in the rows,
so the sums of two chunks of rows add up to the sum of all, and labels may be made where the rows are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from condmmd.backend import (
    AnyArray,
    HeldLabels,
    LabelBatch,
    Rows,
    Weights,
    as_float,
    blas_threads_for,
    disjoint_columns,
    each_step,
    label_sums,
    multiply_into,
    n_rows,
    namespace,
    on_processor,
    place_of,
    steps_of,
    take,
    transposed,
    weighted_rows,
    work_size,
)

__all__ = [
    "best_one_by_one", "both_moments", "cross_moments", "group_moments", "one_vector", "reusable_moments",
    "second_moments", "total_moments",
]  # fmt: skip

# With more products a row than this, or few weight vectors, one product for each weight vector is faster.
MAX_PRODUCTS = 2**13
FEW = 4
# Sums over many rows are made in so many shares, by as many threads as there are.
SHARES = 8
# A product is worth BLAS's threads if it takes so many times less than what is few for them.
WAIT = 10
# Products held for further weights, in units of a step's.
HELD = 4


def second_moments(T: LabelBatch, phi: Rows, *, chunk: int | None = None) -> AnyArray:
    """``A(a)`` for every vector a of ``T``: shape (B, r, r).

    Parameters
    ----------
    T
        Weights, B vectors of N.
    phi
        Features, N x r.
    chunk
        Rows of the data taken at a time; None: as many as fit a fixed amount of memory.
    """
    A: AnyArray = T.sum(partial(_second, chunk=chunk), phi)
    return A


def _second(T: Weights, phi: Rows, chunk: int | None) -> AnyArray:
    r = phi.shape[1]
    parts = disjoint_columns(phi)
    if parts is not None:
        A = np.zeros((T.shape[0], r, r))
        for j, rows in enumerate(parts):
            A[:, j, j] = as_float(T[:, rows]) @ phi[rows, j] ** 2
        return A
    if T.shape[0] < FEW or r * (r + 1) // 2 > MAX_PRODUCTS:
        return _one_by_one(T, phi, own=True)[0]
    return _unpack(_in_steps(T, (phi,), _own_products, r * (r + 1) // 2, chunk), r)


def reusable_moments(phi: Rows) -> Callable[[Weights], AnyArray]:
    """`second_moments` of these features for more than one set of weights: the products are held if they fit."""
    r = phi.shape[1]
    size = r * (r + 1) // 2
    if size * n_rows(phi) > HELD * work_size(phi):
        return partial(_second, phi=phi, chunk=None)
    xp, where = place_of(phi)
    F = xp.empty((size, n_rows(phi)), dtype=xp.float64, **where)
    _own_products(F, transposed(phi))
    return lambda T: _unpack(as_float(T) @ F.T, r)


def cross_moments(T: LabelBatch, phi: Rows, psi: Rows, *, chunk: int | None = None) -> AnyArray:
    """``M(a)`` for every vector a of ``T``: shape (B, r, q). Parameters as in `second_moments`; psi is N x q."""
    M: AnyArray = T.sum(partial(_cross, chunk=chunk), phi, psi)
    return M


def _cross(T: Weights, phi: Rows, psi: Rows, chunk: int | None) -> AnyArray:
    r, q = phi.shape[1], psi.shape[1]
    parts = disjoint_columns(phi)
    if parts is not None:
        by_feature = np.empty((T.shape[0], r, q))
        for j, rows in enumerate(parts):
            by_feature[:, j] = as_float(T[:, rows]) @ (phi[rows, j, None] * psi[rows])
        return by_feature
    if T.shape[0] < FEW or r * q > MAX_PRODUCTS:
        return _one_by_one(T, phi, psi, own=False)[0]
    sums = _in_steps(T, (phi, psi), _cross_products, r * q, chunk)
    M: AnyArray = namespace(phi).reshape(sums, (T.shape[0], r, q))
    return M


def both_moments(T: LabelBatch, phi: Rows, psi: Rows, *, chunk: int | None = None) -> tuple[AnyArray, AnyArray]:
    """``A(a)`` and ``M(a)`` in one pass over the rows."""
    both: tuple[AnyArray, AnyArray] = T.sum(partial(_both, chunk=chunk), phi, psi)
    return both


def _both(T: Weights, phi: Rows, psi: Rows, chunk: int | None) -> tuple[AnyArray, AnyArray]:
    r, q = phi.shape[1], psi.shape[1]
    own = r * (r + 1) // 2
    if disjoint_columns(phi) is not None:
        return _second(T, phi, chunk), _cross(T, phi, psi, chunk)
    if T.shape[0] < FEW or _many_products(phi, psi):
        A, M = _one_by_one(T, phi, psi, own=True)
        return A, M
    sums = _in_steps(T, (phi, psi), _all_products, own + r * q, chunk)
    return _unpack(sums[:, :own], r), namespace(phi).reshape(sums[:, own:], (T.shape[0], r, q))


def group_moments(T: LabelBatch, phi: Rows, psi: Rows) -> tuple[AnyArray, ...]:
    """``A(t)``, ``M(t)`` and the sum of t for every label vector, then ``A(1)``, ``M(1)``: one pass over the rows."""
    found: tuple[AnyArray, ...] = T.sum(_group_sums, phi, psi)
    return found


def _group_sums(T: Weights, phi: Rows, psi: Rows) -> tuple[AnyArray, ...]:
    return (*_both(T, phi, psi, None), label_sums(HeldLabels(T)), *total_moments(phi, psi))


def total_moments(phi: Rows, psi: Rows) -> tuple[AnyArray, AnyArray]:
    """``A(1)`` and ``M(1)``."""
    with blas_threads_for(2 * phi.shape[1] * n_rows(phi) * (phi.shape[1] + psi.shape[1])):
        return phi.T @ phi, phi.T @ psi


def best_one_by_one(T: LabelBatch, phi: Rows, psi: Rows) -> bool:
    """Whether several weight vectors in memory are best taken one at a time."""
    in_memory = T.held is not None and on_processor(phi) and len(T) >= FEW
    return in_memory and _many_products(phi, psi) and disjoint_columns(phi) is None


def _many_products(phi: Rows, psi: Rows) -> bool:
    r, q = phi.shape[1], psi.shape[1]
    return bool(r * (r + 1) // 2 + r * q > MAX_PRODUCTS)


def _own_products(F: AnyArray, phi_t: AnyArray) -> None:
    """Products of each feature with itself and those after it, a row of F for each."""
    start = 0
    for i in range(phi_t.shape[0]):
        stop = start + phi_t.shape[0] - i
        multiply_into(F[start:stop, :], phi_t[i : i + 1, :], phi_t[i:, :])
        start = stop


def _cross_products(F: AnyArray, phi_t: AnyArray, psi_t: AnyArray) -> None:
    q = psi_t.shape[0]
    for i in range(phi_t.shape[0]):
        multiply_into(F[i * q : (i + 1) * q, :], phi_t[i : i + 1, :], psi_t)


def _all_products(F: AnyArray, phi_t: AnyArray, psi_t: AnyArray) -> None:
    own = phi_t.shape[0] * (phi_t.shape[0] + 1) // 2
    _own_products(F[:own, :], phi_t)
    _cross_products(F[own:, :], phi_t, psi_t)


def _unpack(packed: AnyArray, r: int) -> AnyArray:
    """Symmetric matrices from their upper triangles, row by row."""
    at, upper = np.empty((r, r), dtype=np.int64), np.triu_indices(r)
    at[upper] = at.T[upper] = np.arange(len(upper[0]))
    A: AnyArray = namespace(packed).reshape(take(packed, at.reshape(-1), axis=1), (packed.shape[0], r, r))
    return A


def _in_steps(
    T: Weights, rows: tuple[Rows, ...], products: Callable[..., None], size: int, step: int | None
) -> AnyArray:
    """``T @ F^T``, with the products F of features made for some rows at a time, which then stay near the processor."""
    xp, where = place_of(rows[0])
    step = step or max(64, work_size(rows[0]) // size)

    def sum_of(parts: list[slice]) -> AnyArray:
        total: AnyArray = xp.zeros((T.shape[0], size), dtype=xp.float64, **where)
        held = xp.empty((size, min(step, n_rows(rows[0]))), dtype=xp.float64, **where)
        for part in parts:
            F = held[:, : part.stop - part.start]
            products(F, *(transposed(r[part, :]) for r in rows))
            total += as_float(T[:, part]) @ F.T
        return total

    parts = steps_of(n_rows(rows[0]), step)
    shares = min(SHARES, len(parts) // 2)  # the same for any number of threads, so that sums are
    if not on_processor(rows[0]):
        return sum_of(parts)
    if shares < 2:
        with blas_threads_for(WAIT * 2 * T.shape[0] * n_rows(rows[0]) * size):
            return sum_of(parts)
    return reduce(add, each_step(sum_of, [parts[first::shares] for first in range(shares)], rows[0]))


def _one_by_one(T: Weights, *rows: Rows, own: bool) -> list[AnyArray]:
    """`one_vector` of every weight vector."""
    xp, where = place_of(rows[0])
    r, count = rows[0].shape[1], T.shape[0]
    widths = [right.shape[1] for right in rows[0 if own else 1 :]]
    sums: list[Any] = [xp.zeros((count, r, width), dtype=xp.float64, **where) for width in widths]

    def fill(b: int) -> None:
        for total, found in zip(sums, one_vector(T[b, :], *rows, own=own), strict=True):
            total[b, ...] = found

    if count >= FEW:
        each_step(fill, range(count), rows[0])
    else:
        for b in range(count):
            fill(b)
    return sums


def one_vector(weights: Rows, *rows: Rows, own: bool = True) -> list[AnyArray]:
    """``phi^T diag(a) phi`` (with ``own``) and ``phi^T diag(a) psi`` for one weight vector; rows are phi, psi."""
    found: list[AnyArray] = []
    for part in steps_of(n_rows(weights), max(4096, work_size(weights) * 4 // sum(r.shape[1] for r in rows))):
        weighted, *chosen = weighted_rows(weights[part], *(r[part, :] for r in rows))
        products = [weighted @ right for right in chosen[0 if own else 1 :]]
        found = [a + b for a, b in zip(found, products, strict=True)] if found else products
    return found
