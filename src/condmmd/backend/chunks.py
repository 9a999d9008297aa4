"""How a function of a chunk of rows is applied to all of them: at once, in slices, or chunk by chunk with dask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from condmmd.backend.arrays import (
    AnyArray,
    Rows,
    compute,
    is_chunked,
    kind_of,
    move_to,
    n_rows,
    namespace,
    on_processor,
    place_of,
    to_host,
    work_size,
)
from condmmd.backend.threads import for_each, one_blas_thread

__all__ = [
    "column_span", "distinct_rows", "each_chunk", "each_step", "first_rows", "in_chunks", "map_rows", "persist",
    "pick_rows", "place_rows", "row_numbers", "row_slices", "rows_like", "sample_rows", "steps_of", "sum_rows", "take",
    "together", "total",
]  # fmt: skip

Step = TypeVar("Step")

# Rows of a chunk, at most: then a few chunks' features fit in memory whatever the partitions are.
CHUNK_ROWS = 2**17

# Sums of chunks are added in a tree of this many branches.
BRANCHES = 8


@lru_cache(64)
def sample_rows(n: int, at_most: int) -> npt.NDArray[np.int64]:
    """Numbers of some rows, in order, the same for every table of ``n`` rows; all of them if they are few."""
    if n <= at_most:
        return np.arange(n)
    rows = np.sort(np.random.default_rng(0).choice(n, at_most, replace=False, shuffle=False))
    rows.setflags(write=False)  # it is remembered
    return rows


def _chunks(rows: Any) -> tuple[int, ...]:
    """The number of rows of each chunk."""
    sizes: tuple[int, ...] = rows.chunks[0]
    return sizes


def row_numbers(rows: Rows) -> Rows:
    """0, 1, 2, ... in chunks like those of ``rows``."""
    if is_chunked(rows):
        import dask.array as da  # noqa: PLC0415 - an extra

        return da.arange(n_rows(rows), chunks=(_chunks(rows),), dtype=np.int64)
    xp, where = place_of(rows)
    return xp.arange(n_rows(rows), dtype=xp.int64, **where)


def steps_of(n: int, step: int) -> list[slice]:
    """Slices of at most ``step`` that cover ``n``; an empty one where there is nothing to cover."""
    if n == 0:
        return [slice(0, 0)]
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def row_slices(rows: Rows, numbers_a_row: int) -> list[slice]:
    """Slices of the rows, such that a step has about `work_size` numbers."""
    return steps_of(n_rows(rows), max(64, work_size(rows) // max(1, numbers_a_row)))


def each_step(function: Callable[[Step], Any], steps: Sequence[Step], rows: Rows) -> list[Any]:
    """``function`` of every step; several at once on a processor, one after another on a device."""
    if not on_processor(rows) or len(steps) == 1:
        return [function(step) for step in steps]
    return for_each(function, steps)


def map_rows(function: Callable[..., Any], *rows: Rows, columns: int | None = None) -> Rows:
    """``function`` of every chunk of rows: one row of the result for each.

    Parameters
    ----------
    function
        Of chunks of all of ``rows``.
    rows
        Arrays with the same rows; in memory they may be in slices, so that no intermediate result is large.
    columns
        Of the result; None if it is one number a row.
    """
    first = rows[0]
    if is_chunked(first):
        return _blockwise(function, rows, columns)
    slices = row_slices(first, columns or 1)
    if not on_processor(first) or len(slices) == 1:
        return function(*rows)
    count = n_rows(first)
    result = np.empty((count,) if columns is None else (count, columns))

    def fill(part: slice) -> None:
        result[part] = function(*(r[part] for r in rows))

    for_each(fill, slices)
    return result


def persist(rows: Any) -> Any:
    """The same rows; with dask, made now and held by the workers, since many passes need them."""
    if not is_chunked(rows):
        return rows
    with one_blas_thread():
        return rows.persist()


def sum_rows(function: Callable[..., Any], *rows: Rows) -> Any:
    """The sum of ``function`` over chunks of rows: an array, or a tuple of arrays summed one by one."""
    if not is_chunked(rows[0]):
        return function(*rows)
    parts = _delayed(function, rows)
    while len(parts) > 1:
        parts = [_delay(_add)(parts[k : k + BRANCHES]) for k in range(0, len(parts), BRANCHES)]
    return compute(parts)[0]


def total(rows: Rows) -> Any:
    """The sum of each column, or of the numbers."""
    return sum_rows(_total, rows)


def _total(chunk: Any) -> Any:
    return namespace(chunk).sum(chunk, axis=0)


def each_chunk(function: Callable[..., Any], *rows: Rows) -> list[Any]:
    """What ``function`` makes of each chunk of rows, which should be small."""
    if not is_chunked(rows[0]):
        return [function(*rows)]
    return compute(_delayed(function, rows))


def distinct_rows(rows: Rows) -> npt.NDArray[Any]:
    """The different rows, in order, in NumPy."""
    found = each_chunk(_distinct, rows)
    return found[0] if len(found) == 1 else np.unique(np.concatenate(found), axis=0)


def _distinct(chunk: Any) -> npt.NDArray[Any]:
    return np.unique(to_host(chunk), axis=0)


def column_span(rows: Rows) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Smallest and largest value of each column; NaN where there is a NaN."""
    found = each_chunk(_span, rows)
    return np.min([low for low, _ in found], axis=0), np.max([high for _, high in found], axis=0)


def _span(chunk: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    xp = namespace(chunk)
    return to_host(xp.min(chunk, axis=0)), to_host(xp.max(chunk, axis=0))


def _delay(function: Callable[..., Any]) -> Any:
    import dask  # noqa: PLC0415

    return dask.delayed(function, pure=False)


def _delayed(function: Callable[..., Any], rows: tuple[Rows, ...]) -> list[Any]:
    return list(_blockwise(function, rows, None).to_delayed().ravel())


def _blockwise(function: Callable[..., Any], rows: tuple[Rows, ...], columns: int | None) -> Any:
    """A dask array whose chunks are ``function`` of the chunks of rows."""
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


def take(array: AnyArray, index: npt.NDArray[np.int64] | Sequence[int], axis: int = 0) -> Any:
    """The entries of ``array`` at some positions of an axis."""
    if isinstance(array, np.ndarray):
        return array.take(np.asarray(index, dtype=np.int64), axis=axis)
    if is_chunked(array):
        return array[(slice(None),) * axis + (list(index),)]
    xp, where = place_of(array)
    return xp.take(array, xp.asarray(np.array(index, dtype=np.int64), **where), axis=axis)


def pick_rows(rows: Rows, index: npt.NDArray[np.int64]) -> Any:
    """Some rows, given in order; from chunks they come as an array of NumPy."""
    if is_chunked(rows):
        return np.asarray(compute([rows[index]])[0])
    return rows if len(index) == n_rows(rows) else take(rows, index)


def first_rows(rows: Rows, wanted: int) -> npt.NDArray[Any]:
    """The first rows, in NumPy."""
    return to_host(rows[: min(wanted, n_rows(rows)), ...])


def in_chunks(rows: Any, like: Rows | None = None) -> Any:
    """Rows in chunks of a moderate size, whatever the partitions were; or in chunks like those of other rows."""
    import dask.array as da  # noqa: PLC0415

    if not is_chunked(rows):
        rows = da.from_array(rows, chunks=CHUNK_ROWS)
    if like is not None:
        chunks: Any = _chunks(like)
    else:
        chunks = tuple(
            part
            for size in rows.chunks[0]
            for part in (CHUNK_ROWS,) * (size // CHUNK_ROWS) + ((size % CHUNK_ROWS,) if size % CHUNK_ROWS else ())
        ) or (0,)
    return rows.rechunk((chunks,) if rows.ndim == 1 else (chunks, -1))


def place_rows(values: npt.NDArray[Any], like: Rows) -> Any:
    """Rows that were made in NumPy, where other rows are."""
    return in_chunks(values, like) if is_chunked(like) else move_to(values, like)


def rows_like(values: Any, like: Rows) -> Any:
    """Numbers that a user gave, one a row, where other rows are; as they come if there are not as many."""
    if not is_chunked(values) and kind_of(values) == "device":
        xp = namespace(values)
        return xp.reshape(xp.astype(values, xp.float64), (-1,))
    read = values if is_chunked(values) else np.asarray(values, dtype=np.float64).reshape(-1)
    if is_chunked(like):
        return read if n_rows(read) != n_rows(like) else in_chunks(read.reshape(-1), like)
    return move_to(to_host(read), like)


def together(arrays: Sequence[Rows]) -> list[Any]:
    """Arrays of the same rows in the same chunks, or on the same device: where any of them is."""
    chunked = [a for a in arrays if is_chunked(a)]
    if chunked:
        return [in_chunks(a if is_chunked(a) else to_host(a), chunked[0]) for a in arrays]
    elsewhere = [a for a in arrays if not on_processor(a)]
    return [move_to(a, elsewhere[0]) if elsewhere and on_processor(a) else a for a in arrays]
