"""Arrays and data frames of dask: the same checks, chunk by chunk, and rows that stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from condmmd.backend import Rows, in_chunks

__all__ = ["Partitions", "chunked_array", "inspect_partitions", "stack_parts"]


@dataclass(frozen=True, eq=False)
class Partitions:
    """A data frame in partitions, each a delayed table of any kind that has ``select``."""

    parts: tuple[Any, ...]
    ndim: ClassVar[int] = 2

    def to_delayed(self) -> list[Any]:
        """The partitions, as dask's own data frames give them."""
        return list(self.parts)

    def select(self, names: Sequence[str]) -> Partitions:
        """Some columns."""
        return Partitions(tuple(part.select(list(names)) for part in self.parts))


def inspect_partitions(data: Any, function: Callable[[Any], Any]) -> tuple[list[Any], list[Any]]:
    """The partitions of a dask collection, and what ``function`` finds in each: one pass over the data."""
    import dask  # noqa: PLC0415 - an extra

    delayed = data.to_delayed()
    parts = list(delayed.ravel() if isinstance(delayed, np.ndarray) else delayed)
    return parts, list(dask.compute(*[dask.delayed(function, pure=False)(part) for part in parts]))


def stack_parts(
    parts: list[Any], lengths: list[int], function: Callable[[Any], Any], columns: int | None = None
) -> Rows:
    """``function`` of every partition that has rows, as one array in chunks that are not too large."""
    import dask  # noqa: PLC0415
    import dask.array as da  # noqa: PLC0415

    made = dask.delayed(function, pure=False)
    chunks = [
        da.from_delayed(made(part), shape=(length,) if columns is None else (length, columns), dtype=np.float64)
        for part, length in zip(parts, lengths, strict=True)
        if length
    ]
    return in_chunks(da.concatenate(chunks)) if chunks else da.empty((0,) if columns is None else (0, columns))


def chunked_array(data: Any, argument: str) -> Rows:
    """A dask array of numbers as rows and columns."""
    if data.ndim not in (1, 2):
        raise ValueError(f"`{argument}` must be a 1-D or 2-D array (rows are observations); got {data.ndim}-D.")
    if data.dtype.kind not in "biuf":
        raise TypeError(
            f"`{argument}` must hold numbers or booleans; got a dask array of dtype {data.dtype}. Put categories and "
            "strings into a dask data frame."
        )
    if np.isnan(data.shape[0]):
        data = data.compute_chunk_sizes()
    return in_chunks((data[:, None] if data.ndim == 1 else data).astype(np.float64))
