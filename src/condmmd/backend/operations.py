"""Operations that the array API lacks, or that a backend does better in its own way."""

from __future__ import annotations

from typing import Any

import array_api_compat as compat
import numpy as np
import numpy.typing as npt
from scipy.special import expit

from condmmd.backend.arrays import AnyArray, Array, Rows, as_float, move_to, n_rows, namespace, on_processor, to_host

__all__ = [
    "as_float_like", "at_least", "disjoint_columns", "exp_in_place", "inner_products", "interpolate",
    "largest", "multiply_in_place", "multiply_into", "put_rows", "root", "sigmoid", "softplus", "square_sums",
    "squared_norms", "transposed", "weighted_rows",
]  # fmt: skip


def sigmoid(values: Any) -> Any:
    """``1 / (1 + exp(-values))``."""
    return expit(values) if on_processor(values) else 1 / (1 + namespace(values).exp(-values))


def softplus(values: Any) -> Any:
    """``log(1 + exp(values))``, without overflow."""
    xp = namespace(values)
    return xp.log1p(xp.exp(-xp.abs(values))) + at_least(values, 0.0)


def at_least(values: Any, low: float) -> Any:
    """The values, or ``low`` where they are smaller."""
    return np.maximum(values, low) if on_processor(values) else namespace(values).clip(values, min=low)


def exp_in_place(values: Any) -> Any:
    """``exp(values)``, which may overwrite them."""
    return np.exp(values, out=values) if on_processor(values) else namespace(values).exp(values)


def multiply_in_place(values: Any, factor: Any) -> Any:
    """``values * factor``, which may overwrite them, unless a gradient through them will be asked for."""
    if getattr(values, "requires_grad", False):
        return values * factor
    values *= factor
    return values


def root(squares: Any) -> Any:
    """``sqrt(squares)``, or 0 where these are not positive; a gradient is 0 there, not infinite."""
    xp = namespace(squares)
    if not getattr(squares, "requires_grad", False):
        return xp.sqrt(xp.clip(squares, min=0.0))
    positive = squares > 0
    return xp.where(positive, xp.sqrt(xp.where(positive, squares, xp.ones_like(squares))), xp.zeros_like(squares))


def as_float_like(found: Any, rows: AnyArray) -> Any:
    """What a user's function made of these rows, in double precision and of their kind."""
    return np.asarray(found, dtype=np.float64) if on_processor(rows) else as_float(found)


def interpolate(values: Any, knots: Array, heights: Array) -> Any:
    """The piecewise linear function through (knots, heights), constant beyond them."""
    if on_processor(values):
        return np.interp(values, knots, heights)
    xp = namespace(values)
    at, height = move_to(knots, values), move_to(heights, values)
    if at.shape[0] == 1:
        return xp.zeros_like(values) + height[0]
    left = xp.clip(xp.searchsorted(at, values, side="right") - 1, 0, at.shape[0] - 2)
    low, high = xp.take(at, left), xp.take(at, left + 1)
    share = xp.clip((values - low) / (high - low), 0.0, 1.0)
    return xp.take(height, left) * (1 - share) + xp.take(height, left + 1) * share


def disjoint_columns(phi: Rows) -> list[npt.NDArray[np.int64]] | None:
    """The rows of each feature, if no row has two (categories), which then cost one r-th. Else None."""
    r = phi.shape[1]
    if r < 2 or not isinstance(phi, np.ndarray) or np.count_nonzero(phi[:64]) > 64 or np.count_nonzero(phi) > len(phi):
        return None
    present = phi != 0
    if (present.sum(axis=1) > 1).any():
        return None
    of_row = present.argmax(axis=1)
    order = np.argsort(of_row, kind="stable")
    return np.split(order, np.searchsorted(of_row[order], np.arange(1, r)))


def weighted_rows(weights: Any, phi: Any, *others: Any) -> tuple[Any, ...]:
    """``phi^T diag(a)``, phi and others; in NumPy of the rows alone that have a weight."""
    if not on_processor(phi):
        return (phi * as_float(weights)[:, None]).T, phi, *others
    rows = np.flatnonzero(weights)
    chosen = phi.take(rows, axis=0)
    # of a matrix and itself NumPy makes but half of the product
    weighted = chosen.T if weights.dtype == np.int8 else chosen.T * weights[rows]
    return weighted, chosen, *(other.take(rows, axis=0) for other in others)


def squared_norms(rows: Any) -> Any:
    """``|a|^2`` for every row a."""
    return inner_products(rows, rows)


def inner_products(A: Any, B: Any) -> Any:
    """``<a, b>`` for every row a of ``A`` and the same row b of ``B``."""
    return np.einsum("...j,...j->...", A, B) if on_processor(A) else namespace(A).vecdot(A, B)


def square_sums(rows: Any) -> Any:
    """The sum of the squares of each column."""
    return np.einsum("ij,ij->j", rows, rows) if on_processor(rows) else namespace(rows).sum(rows**2, axis=0)


def put_rows(target: Any, index: npt.NDArray[np.int64], values: Any) -> None:
    """Write ``values`` over the rows of ``target`` at ``index``."""
    if on_processor(target) or compat.is_torch_array(target) or compat.is_cupy_array(target):
        target[move_to(index, target)] = values
        return
    for row, at in enumerate(index):  # the array API has no assignment to several rows
        target[int(at), ...] = values[row, ...]


def largest(values: Any, wanted: int) -> npt.NDArray[np.int64]:
    """Positions of the ``wanted`` largest numbers, and of those that are as large as the last of them."""
    size = n_rows(values)
    if wanted >= size:
        return np.arange(size)
    if on_processor(values):
        return np.flatnonzero(values >= np.partition(values, size - wanted)[size - wanted])
    xp = namespace(values)
    return to_host(xp.nonzero(values >= xp.sort(values)[size - wanted])[0])


def transposed(rows: Any) -> Any:
    """Columns as rows, each in one piece."""
    if compat.is_torch_array(rows):
        return rows.T.contiguous()
    return namespace(rows).ascontiguousarray(rows.T) if on_processor(rows) or compat.is_cupy_array(rows) else rows.T


def multiply_into(target: Any, first: Any, second: Any) -> None:
    """Write a product where it is to be."""
    if on_processor(target) or compat.is_torch_array(target) or compat.is_cupy_array(target):
        namespace(target).multiply(first, second, out=target)
    else:
        target[...] = first * second
