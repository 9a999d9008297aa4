"""Rows go together by their position; indexes with the same labels in another order say that they do not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from condmmd.backend import kind_of
from condmmd.data.frames import as_frame, check_names
from condmmd.data.partitions import inspect_partitions

__all__ = ["check_order"]


class _Sums(NamedTuple):
    """Of the labels of an index, as numbers modulo 2^64: how many, their sum, and their sum weighted by position."""

    rows: int
    total: int
    weighted: int


def check_order(given: dict[str, Any]) -> None:
    """Refuse arguments whose indexes have the same labels in different orders; those without an index are fine."""
    for name, data in given.items():
        check_names(data, name)
    indexes = {name: index for name, data in given.items() if (index := _index(data)) is not None}
    for first, second in pairwise(indexes):
        if _reordered(indexes[first], indexes[second]):
            raise ValueError(
                f"`{first}` and `{second}` have the same index in different orders, and rows go together by position. "
                f"Put them in one order: {second}.loc[{first}.index], or reset both indexes if the order is meant."
            )


def _index(data: Any) -> Any:
    """The index of a frame or series that has one; of one in partitions, a collection of dask."""
    if kind_of(data) == "chunked frame":
        return getattr(data, "index", None)
    frame = as_frame(data)
    return nw.maybe_get_index(frame) if isinstance(frame, nw.DataFrame | nw.Series) else None


def _reordered(one: Any, other: Any) -> bool:
    if any(kind_of(index) == "chunked frame" for index in (one, other)):
        first, second = _sums(one), _sums(other)
        if (first.rows, first.total) != (second.rows, second.total) or first.weighted == second.weighted:
            return False
        one, other = (index.compute() if kind_of(index) == "chunked frame" else index for index in (one, other))
    if len(one) != len(other) or one.equals(other) or not (one.is_unique and other.is_unique):
        return False
    return bool(one.isin(other).all())


def _sums(index: Any) -> _Sums:
    """Without bringing the labels here: they may be as many as the rows."""
    parts = inspect_partitions(index, _part_sums)[1] if kind_of(index) == "chunked frame" else [_part_sums(index)]
    count = total = weighted = 0
    for rows, own, own_weighted in parts:
        weighted = (weighted + own_weighted + count * own) % 2**64
        count, total = count + rows, (total + own) % 2**64
    return _Sums(count, total, weighted)


def _part_sums(index: Any) -> _Sums:
    import pandas as pd  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra; what has an index is pandas' own

    labels = pd.util.hash_pandas_object(index, index=False).to_numpy()
    position = np.arange(len(labels), dtype=np.uint64)
    return _Sums(len(labels), int(labels.sum(dtype=np.uint64)), int((labels * position).sum(dtype=np.uint64)))
