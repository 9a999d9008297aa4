"""Arrays and data frames of dask: the same checks, chunk by chunk, and rows that stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from condmmd.backend import Rows, in_chunks

__all__ = ["Partitions", "chunked_array", "inspect_partitions", "stack_parts", "without_mask"]


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
    parts = _without_aliases(list(delayed.ravel() if isinstance(delayed, np.ndarray) else delayed))
    return parts, list(dask.compute(*[dask.delayed(function, pure=False)(part) for part in parts]))


def _without_aliases(parts: list[Any]) -> list[Any]:
    """The same partitions, with a task for each second name of one.

    Dask loses such names (as ``from_delayed(..., verify_meta=False)`` gives) when arrays are made of the partitions.
    """
    from dask.delayed import Delayed  # noqa: PLC0415

    graphs: dict[int, Any] = {}
    found = []
    for part in parts:
        graph = getattr(part, "dask", None)
        if graph is None:
            found.append(part)
            continue
        if id(graph) not in graphs:
            tasks = dict(graph)
            aliases = {key: task.target for key, task in tasks.items() if type(task).__name__ == "Alias"}
            graphs[id(graph)] = tasks | {key: (_same, target) for key, target in aliases.items()} if aliases else None
        own = graphs[id(graph)]
        found.append(part if own is None else Delayed(part.key, own))
    return found


def _same(part: Any) -> Any:
    return part


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
    data = without_mask(data, argument)
    if data.dtype.kind not in "biuf":
        raise TypeError(
            f"`{argument}` must hold numbers or booleans; got a dask array of dtype {data.dtype}. Put categories and "
            "strings into a dask data frame."
        )
    if np.isnan(data.shape[0]):
        data = data.compute_chunk_sizes()
    return in_chunks((data[:, None] if data.ndim == 1 else data).astype(np.float64))


def without_mask(data: Any, argument: str) -> Any:
    """A dask array without its mask, which must hide nothing; one that has none as it is."""
    if not isinstance(data._meta, np.ma.MaskedArray):  # noqa: SLF001 - what dask's own functions ask
        return data
    import dask.array as da  # noqa: PLC0415

    hidden = int(da.ma.getmaskarray(data).sum().compute())
    if hidden:
        raise ValueError(f"`{argument}` has {hidden} masked values; drop those rows or fill them.")
    return da.ma.getdata(data)
