"""The one module that knows about backends: NumPy, arrays on a device (PyTorch, CuPy), and dask's blocks of rows.

A function of the flow is written for a block of rows in the array API. Here it is applied to all rows: at once in
memory or on a device, block by block with dask. What is made from all rows (`map_rows`) stays where the rows are; what
is summed over them (`sum_rows`) is small, and comes as an array of the blocks' kind, so with dask as one of NumPy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from itertools import count
from typing import Any, TypeAlias
from uuid import uuid4

import array_api_compat as compat
import numpy as np
import numpy.typing as npt
from scipy.special import expit

from condmmd.threads import for_each, one_blas_thread

__all__ = [
    "Rows",
    "as_float",
    "column_span",
    "device_memory",
    "distinct_rows",
    "each_step",
    "first_rows",
    "gather_rows",
    "home",
    "is_device",
    "is_host",
    "is_lazy",
    "is_lazy_frame",
    "kept",
    "largest",
    "map_rows",
    "matching",
    "multiply_into",
    "n_rows",
    "namespace",
    "one_kernel",
    "pick_rows",
    "put_rows",
    "row_numbers",
    "row_slices",
    "sample_rows",
    "sigmoid",
    "solve_positive",
    "square_sums",
    "squared_norms",
    "steps_of",
    "sum_rows",
    "take",
    "to_host",
    "total",
    "transposed",
    "watching",
    "work_size",
]  # fmt: skip

Rows: TypeAlias = Any  # an array with a row for each row of the data, of any backend

# Rows of a block of dask, at most: then a few blocks' features fit in memory whatever the partitions are.
BLOCK_ROWS = 2**17
# Numbers that a step of a long computation holds: about the cache of a processor, or one for so many bytes of a device.
HOST_NUMBERS = 2**21
DEVICE_SHARE = 512
_watch: ContextVar[Callable[[], None] | None] = ContextVar("watch", default=None)
# Sums of blocks are added in a tree of this many branches.
BRANCHES = 8


def namespace(*arrays: Rows) -> Any:
    """The array API of these arrays."""
    return compat.array_namespace(*arrays)


def is_host(array: Any) -> bool:
    """Whether this is an array of NumPy."""
    return isinstance(array, np.ndarray)


def is_lazy(array: Any) -> bool:
    """Whether this is an array of dask."""
    return "dask.array" in sys.modules and compat.is_dask_array(array)


def is_lazy_frame(data: Any) -> bool:
    """Whether this is a data frame or series of dask, or anything else that has partitions."""
    return hasattr(data, "to_delayed") and not is_lazy(data)


def is_device(array: Any) -> bool:
    """Whether this is an array of another library of the array API, such as PyTorch's or CuPy's."""
    return not (is_host(array) or is_lazy(array)) and compat.is_array_api_obj(array)


def home(rows: Rows) -> tuple[Any, dict[str, Any]]:
    """The namespace of what is made from these rows and is small, and how to create an array there."""
    if is_lazy(rows):
        return compat.array_namespace(np.empty(0)), {}
    return namespace(rows), {"device": compat.device(rows)}


def matching(values: npt.NDArray[Any], rows: Rows) -> Any:
    """A small array of NumPy, where what is made from these rows is."""
    if is_host(rows) or is_lazy(rows):
        return values
    xp, where = home(rows)
    return xp.asarray(np.ascontiguousarray(values), **where)


def to_host(array: Any) -> npt.NDArray[Any]:
    """The same array in NumPy."""
    if is_host(array):
        return array
    if is_lazy(array):
        return np.asarray(_compute([array])[0])
    if compat.is_torch_array(array):
        return np.asarray(array.detach().cpu().numpy())
    if compat.is_cupy_array(array):
        return np.asarray(array.get())
    return np.array(np.from_dlpack(array)) if hasattr(array, "__dlpack__") else np.asarray(array)


def as_float(array: Any) -> Any:
    """In double precision."""
    xp = namespace(array)
    return xp.astype(array, xp.float64, copy=False)


def sigmoid(values: Any) -> Any:
    """``1 / (1 + exp(-values))``."""
    return expit(values) if is_host(values) else 1 / (1 + namespace(values).exp(-values))


def squared_norms(rows: Any) -> Any:
    """``|a|^2`` for every row a."""
    return np.einsum("...j,...j->...", rows, rows) if is_host(rows) else namespace(rows).vecdot(rows, rows)


def square_sums(rows: Any) -> Any:
    """The sum of the squares of each column."""
    return np.einsum("ij,ij->j", rows, rows) if is_host(rows) else namespace(rows).sum(rows**2, axis=0)


def n_rows(rows: Rows) -> int:
    """The number of rows."""
    return int(rows.shape[0])


def work_size(rows: Rows) -> int:
    """Numbers that a step of a computation on these rows should hold."""
    memory = device_memory(rows)
    return HOST_NUMBERS if memory == 0 else max(HOST_NUMBERS, memory // DEVICE_SHARE)


def device_memory(array: Any) -> int:
    """Bytes of a device that has memory of its own; else 0."""
    if compat.is_torch_array(array) and array.device.type == "cuda":
        return _cuda_memory(array.device)
    return int(array.device.mem_info[1]) if compat.is_cupy_array(array) else 0


@cache
def _cuda_memory(device: Any) -> int:
    import torch  # noqa: PLC0415

    return int(torch.cuda.get_device_properties(device).total_memory)


@lru_cache(64)
def sample_rows(n: int, at_most: int) -> npt.NDArray[np.int64]:
    """Numbers of some rows, in order, the same for every table of ``n`` rows; all of them if they are few."""
    if n <= at_most:
        return np.arange(n)
    rows = np.sort(np.random.default_rng(0).choice(n, at_most, replace=False, shuffle=False))
    rows.setflags(write=False)  # it is remembered
    return rows


def take(array: Any, index: npt.NDArray[np.int64] | Sequence[int], axis: int = 0) -> Any:
    """The entries of ``array`` at some positions of an axis."""
    if is_host(array):
        return array.take(np.asarray(index, dtype=np.int64), axis=axis)
    xp, where = home(array)
    return xp.take(array, xp.asarray(np.array(index, dtype=np.int64), **where), axis=axis)


def pick_rows(rows: Rows, index: npt.NDArray[np.int64]) -> Any:
    """Some rows, given in order; from dask they come as an array of NumPy."""
    if is_lazy(rows):
        return np.asarray(_compute([rows[index]])[0])
    return rows if len(index) == n_rows(rows) else take(rows, index)


def first_rows(rows: Rows, wanted: int) -> npt.NDArray[Any]:
    """The first rows, in NumPy."""
    return to_host(rows[: min(wanted, n_rows(rows)), ...])


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


@cache
def _jitted(code: str) -> Callable[..., Any]:
    import torch  # noqa: PLC0415

    return torch.cuda.jiterator._create_jit_fn(code)  # noqa: SLF001 - the public way to it, as its documentation has it


def one_kernel(name: str, code: str, array: Any) -> Callable[..., Any] | None:
    """An elementwise function written in C++ as one kernel of the device of ``array``; None where there is no way."""
    if compat.is_torch_array(array) and array.device.type == "cuda":
        return _jitted(code)
    if compat.is_cupy_array(array):
        return _cupy_kernel(name, code)
    return None


@cache
def _cupy_kernel(name: str, code: str) -> Callable[..., Any]:
    import cupy  # noqa: PLC0415

    return cupy.ElementwiseKernel("T a, T b, T c", "T out", f"out = {name}<T>(a, b, c)", f"of_{name}", preamble=code)


def solve_positive(A: Any, B: Any) -> Any:
    """``A^-1 B`` for a batch of positive definite matrices on a device."""
    if compat.is_torch_array(A):
        import torch  # noqa: PLC0415 - the array API has no triangular solve

        return torch.cholesky_solve(B, torch.linalg.cholesky(A))
    if compat.is_cupy_array(A) and A.shape[-1] > 256:  # smaller ones are solved faster as a batch
        from cupyx.lapack import posv  # noqa: PLC0415

        return namespace(A).stack([posv(A[b, ...], B[b, ...]) for b in range(A.shape[0])])
    return namespace(A).linalg.solve(A, B)


def put_rows(target: Any, index: npt.NDArray[np.int64], values: Any) -> None:
    """Write ``values`` over the rows of ``target`` at ``index``."""
    if is_host(target) or compat.is_torch_array(target) or compat.is_cupy_array(target):
        target[matching(index, target)] = values
        return
    for row, at in enumerate(index):  # the array API has no assignment to several rows
        target[int(at), ...] = values[row, ...]


def row_numbers(rows: Rows) -> Rows:
    """0, 1, 2, ... in blocks like those of ``rows``."""
    if is_lazy(rows):
        import dask.array as da  # noqa: PLC0415 - an extra

        return da.arange(n_rows(rows), chunks=(rows.chunks[0],), dtype=np.int64)
    xp, where = home(rows)
    return xp.arange(n_rows(rows), dtype=xp.int64, **where)


def steps_of(n: int, step: int) -> list[slice]:
    """Slices of at most ``step`` that cover ``n``; an empty one where there is nothing to cover."""
    if n == 0:
        return [slice(0, 0)]
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def row_slices(rows: Rows, numbers_a_row: int) -> list[slice]:
    """Slices of the rows, such that a step has about `work_size` numbers."""
    return steps_of(n_rows(rows), max(64, work_size(rows) // max(1, numbers_a_row)))


def each_step(function: Callable[[slice], Any], steps: list[slice], rows: Rows) -> list[Any]:
    """``function`` of every step; several at once on a processor, one after another on a device."""
    if not is_host(rows) or len(steps) == 1:
        return [function(step) for step in steps]
    return for_each(function, steps)


def map_rows(function: Callable[..., Any], *rows: Rows, columns: int | None = None) -> Rows:
    """``function`` of every block of rows: one row of the result for each.

    Parameters
    ----------
    function
        Of blocks of all of ``rows``.
    rows
        Arrays with the same rows; in memory they may be in slices, so that no intermediate result is large.
    columns
        Of the result; None if it is one number a row.
    """
    first = rows[0]
    if is_lazy(first):
        return _blockwise(function, rows, columns)
    slices = row_slices(first, columns or 1)
    if not is_host(first) or len(slices) == 1:
        return function(*rows)
    result = np.empty((len(first),) if columns is None else (len(first), columns))

    def fill(part: slice) -> None:
        result[part] = function(*(r[part] for r in rows))

    for_each(fill, slices)
    return result


def kept(rows: Rows) -> Rows:
    """The same rows; with dask, made now and held by the workers, since many passes need them."""
    if not is_lazy(rows):
        return rows
    with one_blas_thread():
        return rows.persist()


def sum_rows(function: Callable[..., Any], *rows: Rows) -> Any:
    """The sum of ``function`` over blocks of rows: an array, or a tuple of arrays summed one by one."""
    if not is_lazy(rows[0]):
        return function(*rows)
    parts = _delayed(function, rows)
    while len(parts) > 1:
        parts = [_delay(_add)(parts[k : k + BRANCHES]) for k in range(0, len(parts), BRANCHES)]
    return _compute(parts)[0]


def total(rows: Rows) -> Any:
    """The sum of each column, or of the numbers."""
    return sum_rows(_total, rows)


def _total(block: Any) -> Any:
    return namespace(block).sum(block, axis=0)


def gather_rows(function: Callable[..., Any], *rows: Rows) -> list[Any]:
    """What ``function`` makes of each block of rows, which should be small."""
    if not is_lazy(rows[0]):
        return [function(*rows)]
    return _compute(_delayed(function, rows))


@contextmanager
def watching(tell: Callable[[int], None]) -> Iterator[None]:
    """Call ``tell`` with the number of each pass over blocks of rows, as it begins."""
    numbers = count(1)
    token = _watch.set(lambda: tell(next(numbers)))
    try:
        yield
    finally:
        _watch.reset(token)


def _compute(parts: list[Any]) -> list[Any]:
    import dask  # noqa: PLC0415

    watch = _watch.get()
    if watch is not None:
        watch()
    with one_blas_thread():  # dask has threads of its own
        return list(dask.compute(*parts))


def _delay(function: Callable[..., Any]) -> Any:
    import dask  # noqa: PLC0415

    return dask.delayed(function, pure=False)


def _delayed(function: Callable[..., Any], rows: tuple[Rows, ...]) -> list[Any]:
    return list(_blockwise(function, rows, None).to_delayed().ravel())


def _blockwise(function: Callable[..., Any], rows: tuple[Rows, ...], columns: int | None) -> Rows:
    """A dask array whose blocks are ``function`` of the blocks of rows."""
    import dask.array as da  # noqa: PLC0415

    arguments = [part for number, r in enumerate(rows) for part in (r, ("row", f"own {number}")[: r.ndim])]
    return da.blockwise(
        function, ("row",) if columns is None else ("row", "column"), *arguments, name=f"rows-{uuid4().hex}",
        new_axes=None if columns is None else {"column": columns}, concatenate=True, align_arrays=False,
        dtype=np.float64, meta=np.empty((0,) * (1 if columns is None else 2)),
    )  # fmt: skip


def _add(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], tuple):
        return tuple(sum(some[1:], some[0]) for some in zip(*parts, strict=True))
    return sum(parts[1:], parts[0])


def distinct_rows(rows: Rows) -> npt.NDArray[Any]:
    """The different rows, in order, in NumPy."""
    found = gather_rows(_distinct, rows)
    return found[0] if len(found) == 1 else np.unique(np.concatenate(found), axis=0)


def _distinct(block: Any) -> npt.NDArray[Any]:
    return np.unique(to_host(block), axis=0)


def column_span(rows: Rows) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Smallest and largest value of each column; NaN where there is a NaN."""
    found = gather_rows(_span, rows)
    return np.min([low for low, _ in found], axis=0), np.max([high for _, high in found], axis=0)


def _span(block: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    xp = namespace(block)
    return to_host(xp.min(block, axis=0)), to_host(xp.max(block, axis=0))
