"""Step 4 of the flow: sums over rows, for many weight vectors at once. This is where the time goes.

For weights a, ``A(a) = sum_i a_i phi_i phi_i^T`` and ``M(a) = sum_i a_i phi_i psi_i^T``. Both are linear in the rows,
so the sums of two blocks of rows add up to the sum of all, and labels may be made where the rows are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import add
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from condmmd.arrays import (
    Rows,
    as_float,
    home,
    is_host,
    is_lazy,
    multiply_into,
    n_rows,
    namespace,
    steps_of,
    take,
    transposed,
    work_size,
)
from condmmd.resampling import Drawn
from condmmd.samples import Array, Weights
from condmmd.threads import calm_blas, for_each

__all__ = [
    "AnyWeights", "both_moments", "cross_moments", "goes_one_by_one", "group_moments", "label_sums", "moments_again",
    "observed", "one_vector", "second_moments", "total_moments", "weigh",
]  # fmt: skip

AnyWeights: TypeAlias = Weights | Drawn

# With more products a row than this, or few weight vectors, one product for each weight vector is faster.
MAX_PRODUCTS = 2**13
FEW = 4
# Sums over many rows are made in so many shares, by as many threads as there are.
SHARES = 8
# Products held for further weights, in units of a step's.
HELD = 4


def second_moments(T: AnyWeights, phi: Rows, *, chunk: int | None = None) -> Array:
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
    if isinstance(T, Drawn):
        return T.sum(partial(second_moments, chunk=chunk), phi)
    r = phi.shape[1]
    parts = _disjoint(phi)
    if parts is not None:
        A = np.zeros((len(T), r, r))
        for j, rows in enumerate(parts):
            A[:, j, j] = T[:, rows].astype(np.float64) @ phi[rows, j] ** 2
        return A
    if T.shape[0] < FEW or r * (r + 1) // 2 > MAX_PRODUCTS:
        return _one_by_one(T, phi, own=True)[0]
    return _unpack(_in_chunks(T, (phi,), _own_products, r * (r + 1) // 2, chunk), r)


def moments_again(phi: Rows) -> Callable[[Weights], Array]:
    """`second_moments` of these features for more than one set of weights: the products are held if they fit."""
    r = phi.shape[1]
    size = r * (r + 1) // 2
    if size * n_rows(phi) > HELD * work_size(phi):
        return partial(second_moments, phi=phi)
    xp, where = home(phi)
    F = xp.empty((size, n_rows(phi)), dtype=xp.float64, **where)
    _own_products(F, transposed(phi))
    return lambda T: _unpack(as_float(T) @ F.T, r)


def cross_moments(T: AnyWeights, phi: Rows, psi: Rows, *, chunk: int | None = None) -> Array:
    """``M(a)`` for every row a of ``T``: shape (B, r, q). Parameters as in `second_moments`; psi is N x q."""
    if isinstance(T, Drawn):
        return T.sum(partial(cross_moments, chunk=chunk), phi, psi)
    r, q = phi.shape[1], psi.shape[1]
    parts = _disjoint(phi)
    if parts is not None:
        M = np.empty((len(T), r, q))
        for j, rows in enumerate(parts):
            M[:, j] = T[:, rows].astype(np.float64) @ (phi[rows, j, None] * psi[rows])
        return M
    if T.shape[0] < FEW or r * q > MAX_PRODUCTS:
        return _one_by_one(T, phi, psi, own=False)[0]
    sums = _in_chunks(T, (phi, psi), _cross_products, r * q, chunk)
    return namespace(phi).reshape(sums, (T.shape[0], r, q))


def both_moments(T: AnyWeights, phi: Rows, psi: Rows, *, chunk: int | None = None) -> tuple[Array, Array]:
    """``A(a)`` and ``M(a)`` in one pass over the rows."""
    if isinstance(T, Drawn):
        found: tuple[Array, Array] = T.sum(partial(both_moments, chunk=chunk), phi, psi)
        return found
    r, q = phi.shape[1], psi.shape[1]
    own = r * (r + 1) // 2
    if _disjoint(phi) is not None:
        return second_moments(T, phi), cross_moments(T, phi, psi)
    if T.shape[0] < FEW or _many_products(phi, psi):
        A, M = _one_by_one(T, phi, psi, own=True)
        return A, M
    sums = _in_chunks(T, (phi, psi), _all_products, own + r * q, chunk)
    return _unpack(sums[:, :own], r), namespace(phi).reshape(sums[:, own:], (T.shape[0], r, q))


def group_moments(T: AnyWeights, phi: Rows, psi: Rows) -> tuple[Array, Array, Array, Array, Array]:
    """``A(t)``, ``M(t)`` and the sum of t for every label vector, then ``A(1)``, ``M(1)``: one pass over the rows."""
    if isinstance(T, Drawn):
        found: tuple[Array, Array, Array, Array, Array] = T.sum(group_moments, phi, psi)
        return found
    return (*both_moments(T, phi, psi), label_sums(T), *total_moments(phi, psi))


def total_moments(phi: Rows, psi: Rows) -> tuple[Array, Array]:
    """``A(1)`` and ``M(1)``."""
    with calm_blas(2 * phi.shape[1] * n_rows(phi) * (phi.shape[1] + psi.shape[1])):
        return phi.T @ phi, phi.T @ psi


def goes_one_by_one(T: AnyWeights, phi: Rows, psi: Rows) -> TypeGuard[Weights]:
    """Whether several weight vectors in memory are best taken one at a time."""
    in_memory = not isinstance(T, Drawn) and is_host(phi) and T.shape[0] >= FEW
    return in_memory and _many_products(phi, psi) and _disjoint(phi) is None


def _many_products(phi: Rows, psi: Rows) -> bool:
    r, q = phi.shape[1], psi.shape[1]
    return bool(r * (r + 1) // 2 + r * q > MAX_PRODUCTS)


def label_sums(T: AnyWeights) -> Array:
    """The sum of each weight vector."""
    if isinstance(T, Drawn):
        sums: Array = T.sum(label_sums)
        return sums
    xp = namespace(T)
    return as_float(xp.sum(T, axis=1, dtype=xp.float64))


def observed(t: Rows) -> AnyWeights:
    """The labels as they are, as one label vector."""
    return Drawn((t,), _one_vector, 1) if is_lazy(t) else _one_vector(t)


def _one_vector(t: Rows) -> Weights:
    xp = namespace(t)
    return xp.astype(t, xp.int8)[None, :]


def weigh(T: AnyWeights, function: Callable[..., Any], *rows: Rows) -> AnyWeights:
    """``function`` of the weights and of other rows, as weights."""
    return T.map(function, *rows) if isinstance(T, Drawn) else function(as_float(T), *rows)


def _own_products(F: Rows, phi_t: Rows) -> None:
    """Products of each feature with itself and those after it, a row of F for each."""
    start = 0
    for i in range(phi_t.shape[0]):
        stop = start + phi_t.shape[0] - i
        multiply_into(F[start:stop, :], phi_t[i : i + 1, :], phi_t[i:, :])
        start = stop


def _cross_products(F: Rows, phi_t: Rows, psi_t: Rows) -> None:
    q = psi_t.shape[0]
    for i in range(phi_t.shape[0]):
        multiply_into(F[i * q : (i + 1) * q, :], phi_t[i : i + 1, :], psi_t)


def _all_products(F: Rows, phi_t: Rows, psi_t: Rows) -> None:
    own = phi_t.shape[0] * (phi_t.shape[0] + 1) // 2
    _own_products(F[:own, :], phi_t)
    _cross_products(F[own:, :], phi_t, psi_t)


def _unpack(packed: Array, r: int) -> Array:
    """Symmetric matrices from their upper triangles, row by row."""
    at, upper = np.empty((r, r), dtype=np.int64), np.triu_indices(r)
    at[upper] = at.T[upper] = np.arange(len(upper[0]))
    return namespace(packed).reshape(take(packed, at.reshape(-1), axis=1), (packed.shape[0], r, r))


def _disjoint(phi: Rows) -> list[npt.NDArray[np.int64]] | None:
    """The rows of each feature, if no row has two: categories, which then cost one r-th. Else None."""
    r = phi.shape[1]
    if r < 2 or not is_host(phi) or np.count_nonzero(phi[:64]) > 64 or np.count_nonzero(phi) > len(phi):
        return None
    present = phi != 0
    if (present.sum(axis=1) > 1).any():
        return None
    of_row = present.argmax(axis=1)
    order = np.argsort(of_row, kind="stable")
    return np.split(order, np.searchsorted(of_row[order], np.arange(1, r)))


def _in_chunks(
    T: Weights, rows: tuple[Rows, ...], products: Callable[..., None], size: int, chunk: int | None
) -> Array:
    """``T @ F^T``, with the products F of features made for some rows at a time, which then stay near the processor."""
    xp, where = home(rows[0])
    step = chunk or max(64, work_size(rows[0]) // size)

    def sum_of(parts: list[slice]) -> Array:
        total = xp.zeros((T.shape[0], size), dtype=xp.float64, **where)
        held = xp.empty((size, min(step, n_rows(rows[0]))), dtype=xp.float64, **where)
        for part in parts:
            F = held[:, : part.stop - part.start]
            products(F, *(transposed(r[part, :]) for r in rows))
            total += as_float(T[:, part]) @ F.T
        return total

    parts = steps_of(n_rows(rows[0]), step)
    shares = min(SHARES, len(parts) // 2)  # the same for any number of threads, so that sums are
    if not is_host(rows[0]) or shares < 2:
        return sum_of(parts)
    return reduce(add, for_each(sum_of, [parts[first::shares] for first in range(shares)]))


def _one_by_one(T: Weights, *rows: Rows, own: bool) -> list[Array]:
    """`one_vector` of every weight vector."""
    xp, where = home(rows[0])
    r = rows[0].shape[1]
    widths = [right.shape[1] for right in rows[0 if own else 1 :]]
    sums = [xp.zeros((T.shape[0], r, width), dtype=xp.float64, **where) for width in widths]

    def fill(b: int) -> None:
        for total, found in zip(sums, one_vector(T[b, :], *rows, own=own), strict=True):
            total[b, ...] = found

    if is_host(rows[0]) and T.shape[0] >= FEW:
        for_each(fill, range(T.shape[0]))
    else:
        for b in range(T.shape[0]):
            fill(b)
    return sums


def one_vector(weights: Rows, *rows: Rows, own: bool = True) -> list[Array]:
    """``phi^T diag(a) phi`` (with ``own``) and ``phi^T diag(a) psi`` for one weight vector; rows are phi, psi."""
    found: list[Array] = []
    for part in steps_of(n_rows(weights), max(4096, work_size(weights) * 4 // sum(r.shape[1] for r in rows))):
        weighted, *chosen = _weighted(weights[part], *(r[part, :] for r in rows))
        products = [weighted @ right for right in chosen[0 if own else 1 :]]
        found = [a + b for a, b in zip(found, products, strict=True)] if found else products
    return found


def _weighted(weights: Rows, phi: Rows, *others: Rows) -> tuple[Rows, ...]:
    """``phi^T diag(a)``, phi and others; in NumPy of the rows alone that have a weight."""
    if not is_host(phi):
        return (phi * as_float(weights)[:, None]).T, phi, *others
    rows = np.flatnonzero(weights)
    chosen = phi.take(rows, axis=0)
    # of a matrix and itself NumPy makes but half of the product
    weighted = chosen.T if weights.dtype == np.int8 else chosen.T * weights[rows]
    return weighted, chosen, *(other.take(rows, axis=0) for other in others)
