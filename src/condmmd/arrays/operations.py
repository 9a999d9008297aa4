"""Operations that the array API lacks, or that a backend does better in its own way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import array_api_compat as compat
import numpy as np
import numpy.typing as npt
from scipy.special import expit

from condmmd.arrays.kinds import Rows, compute, home, is_host, is_lazy, matching, n_rows, namespace, to_host

__all__ = [
    "first_rows", "largest", "multiply_into", "one_kernel", "pick_rows", "put_rows", "sigmoid", "solve_positive",
    "square_sums", "squared_norms", "take", "transposed",
]  # fmt: skip

# Matrices smaller than this are solved faster as a batch.
CUPY_BATCH = 256


def sigmoid(values: Any) -> Any:
    """``1 / (1 + exp(-values))``."""
    return expit(values) if is_host(values) else 1 / (1 + namespace(values).exp(-values))


def squared_norms(rows: Any) -> Any:
    """``|a|^2`` for every row a."""
    return np.einsum("...j,...j->...", rows, rows) if is_host(rows) else namespace(rows).vecdot(rows, rows)


def square_sums(rows: Any) -> Any:
    """The sum of the squares of each column."""
    return np.einsum("ij,ij->j", rows, rows) if is_host(rows) else namespace(rows).sum(rows**2, axis=0)


def take(array: Any, index: npt.NDArray[np.int64] | Sequence[int], axis: int = 0) -> Any:
    """The entries of ``array`` at some positions of an axis."""
    if is_host(array):
        return array.take(np.asarray(index, dtype=np.int64), axis=axis)
    xp, where = home(array)
    return xp.take(array, xp.asarray(np.array(index, dtype=np.int64), **where), axis=axis)


def pick_rows(rows: Rows, index: npt.NDArray[np.int64]) -> Any:
    """Some rows, given in order; from dask they come as an array of NumPy."""
    if is_lazy(rows):
        return np.asarray(compute([rows[index]])[0])
    return rows if len(index) == n_rows(rows) else take(rows, index)


def first_rows(rows: Rows, wanted: int) -> npt.NDArray[Any]:
    """The first rows, in NumPy."""
    return to_host(rows[: min(wanted, n_rows(rows)), ...])


def put_rows(target: Any, index: npt.NDArray[np.int64], values: Any) -> None:
    """Write ``values`` over the rows of ``target`` at ``index``."""
    if is_host(target) or compat.is_torch_array(target) or compat.is_cupy_array(target):
        target[matching(index, target)] = values
        return
    for row, at in enumerate(index):  # the array API has no assignment to several rows
        target[int(at), ...] = values[row, ...]


def largest(values: Any, wanted: int) -> npt.NDArray[np.int64]:
    """Positions of the ``wanted`` largest numbers, and of those that are as large as the last of them."""
    size = n_rows(values)
    if wanted >= size:
        return np.arange(size)
    if is_host(values):
        return np.flatnonzero(values >= np.partition(values, size - wanted)[size - wanted])
    xp = namespace(values)
    return to_host(xp.nonzero(values >= xp.sort(values)[size - wanted])[0])


def transposed(rows: Any) -> Any:
    """Columns as rows, each in one piece."""
    if compat.is_torch_array(rows):
        return rows.T.contiguous()
    return namespace(rows).ascontiguousarray(rows.T) if is_host(rows) or compat.is_cupy_array(rows) else rows.T


def multiply_into(target: Any, first: Any, second: Any) -> None:
    """Write a product where it is to be."""
    if is_host(target) or compat.is_torch_array(target) or compat.is_cupy_array(target):
        namespace(target).multiply(first, second, out=target)
    else:
        target[...] = first * second


def solve_positive(A: Any, B: Any) -> Any:
    """``A^-1 B`` for a batch of positive definite matrices on a device."""
    if compat.is_torch_array(A):
        import torch  # noqa: PLC0415 - the array API has no triangular solve

        return torch.cholesky_solve(B, torch.linalg.cholesky(A))
    if compat.is_cupy_array(A) and A.shape[-1] > CUPY_BATCH:
        from cupyx.lapack import posv  # noqa: PLC0415

        return namespace(A).stack([posv(A[b, ...], B[b, ...]) for b in range(A.shape[0])])
    return namespace(A).linalg.solve(A, B)


def one_kernel(name: str, code: str, array: Any) -> Callable[..., Any] | None:
    """An elementwise function written in C++ as one kernel of the device of ``array``; None where there is no way."""
    if compat.is_torch_array(array) and array.device.type == "cuda":
        return _jitted(code)
    if compat.is_cupy_array(array):
        return _cupy_kernel(name, code)
    return None


@cache
def _jitted(code: str) -> Callable[..., Any]:
    import torch  # noqa: PLC0415

    return torch.cuda.jiterator._create_jit_fn(code)  # noqa: SLF001 - the public way to it, as its documentation has it


@cache
def _cupy_kernel(name: str, code: str) -> Callable[..., Any]:
    import cupy  # noqa: PLC0415

    return cupy.ElementwiseKernel("T a, T b, T c", "T out", f"out = {name}<T>(a, b, c)", f"of_{name}", preamble=code)
