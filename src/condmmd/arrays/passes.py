"""How a function of a block of rows is applied to all of them: at once, in slices, or block by block with dask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from condmmd.arrays.kinds import Rows, compute, home, is_host, is_lazy, n_rows, namespace, to_host, work_size
from condmmd.threads import for_each, one_blas_thread

__all__ = [
    "column_span", "distinct_rows", "each_step", "gather_rows", "kept", "map_rows", "row_numbers", "row_slices",
    "sample_rows", "steps_of", "sum_rows", "total",
]  # fmt: skip

# Sums of blocks are added in a tree of this many branches.
BRANCHES = 8


@lru_cache(64)
def sample_rows(n: int, at_most: int) -> npt.NDArray[np.int64]:
    """Numbers of some rows, in order, the same for every table of ``n`` rows; all of them if they are few."""
    if n <= at_most:
        return np.arange(n)
    rows = np.sort(np.random.default_rng(0).choice(n, at_most, replace=False, shuffle=False))
    rows.setflags(write=False)  # it is remembered
    return rows


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
    return compute(parts)[0]


def total(rows: Rows) -> Any:
    """The sum of each column, or of the numbers."""
    return sum_rows(_total, rows)


def _total(block: Any) -> Any:
    return namespace(block).sum(block, axis=0)


def gather_rows(function: Callable[..., Any], *rows: Rows) -> list[Any]:
    """What ``function`` makes of each block of rows, which should be small."""
    if not is_lazy(rows[0]):
        return [function(*rows)]
    return compute(_delayed(function, rows))


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
