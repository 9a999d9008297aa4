"""Which row belongs to which sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, as_float, cached_property, in_chunks, kind_of, namespace, to_host, total
from condmmd.data.frames import as_frame
from condmmd.data.masks import unmasked
from condmmd.data.partitions import inspect_partitions, stack_parts

__all__ = ["Groups", "count_missing", "is_first_of_two", "label_values", "read_group"]


@dataclass(frozen=True, eq=False)
class Groups:
    """The labels ``t`` (1 for P, 0 for Q) and what the user called the two."""

    t: Rows
    p_label: str
    q_label: str

    @cached_property
    def n(self) -> int:
        """Rows of P."""
        return round(float(total(self.t)))

    @property
    def m(self) -> int:
        """Rows of Q."""
        return int(self.t.shape[0]) - self.n


def read_group(group: Any) -> Groups:
    """Read any binary label. The value 1 or True is P; with neither, the later in sorted order is."""
    if isinstance(group, Groups):
        return group
    kind = kind_of(group)
    if kind in ("chunked array", "chunked frame"):
        return _read_chunked_group(group)
    if kind == "device":
        return _read_device_group(group)
    labels = label_values(group)
    p, q = _two_labels(_distinct(labels))
    return _checked(Groups((labels == p).astype(np.float64), str(p), str(q)))


def _distinct(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        return np.unique(labels)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in labels})
        raise TypeError(f"`group` mixes labels of different types: {', '.join(kinds)}.") from None


def _two_labels(values: npt.NDArray[Any]) -> tuple[Any, Any]:
    """The label of P and that of Q."""
    if len(values) != 2:
        shown = ", ".join(str(value) for value in values[:5]) + (", ..." if len(values) > 5 else "")
        raise ValueError(
            f"`group` must have two different labels; got {len(values)}: {shown}. "
            "Select the rows of the two groups to compare."
        )
    first, second = values[0], values[1]
    return (first, second) if is_first_of_two(first) else (second, first)


def is_first_of_two(label: Any) -> bool:
    """Whether a label that is the earlier of two in sorted order is P all the same: 1 and True are."""
    return bool(label == 1) or str(label).lower() in {"1", "1.0", "true"}


def _checked(groups: Groups) -> Groups:
    for label, rows in ((groups.p_label, groups.n), (groups.q_label, groups.m)):
        if rows < 2:
            raise ValueError(f"`group`: '{label}' has {rows} row; a conditional distribution needs at least 2.")
    return groups


def _read_device_group(group: Any) -> Groups:
    xp = namespace(group)
    labels = group[:, 0] if group.ndim == 2 and group.shape[1] == 1 else group
    if labels.ndim != 1:
        raise ValueError(f"`group` must be 1-D, one label a row; got {labels.ndim}-D.")
    missing = int(xp.sum(xp.astype(~xp.isfinite(labels), xp.int64))) if xp.isdtype(labels.dtype, "real floating") else 0
    if missing:
        raise ValueError(f"`group` has {missing} missing, NaN or infinite labels; drop those rows.")
    p, q = _two_labels(to_host(xp.unique_values(labels)))
    return _checked(Groups(as_float(labels == p.item()), str(p), str(q)))


def _read_chunked_group(group: Any) -> Groups:
    if kind_of(group) == "chunked array" and np.isnan(group.shape[0]):
        group = group.compute_chunk_sizes()
    parts, found = inspect_partitions(group, _look)
    found_labels = [values for _, values in found if len(values)]
    p, q = _two_labels(_distinct(np.concatenate(found_labels)) if found_labels else np.empty(0))
    t = stack_parts(parts, [rows for rows, _ in found], partial(_is_p, p=p))
    return _checked(Groups(in_chunks(t), str(p), str(q)))


def _look(part: Any) -> tuple[int, npt.NDArray[Any]]:
    """Rows of a partition, and the labels it has."""
    labels = label_values(part)
    return len(labels), _distinct(labels)


def _is_p(part: Any, p: Any) -> Array:
    return (label_values(part) == p).astype(np.float64)


def label_values(group: Any) -> npt.NDArray[Any]:
    """One label a row, none missing."""
    native = as_frame(group)
    if isinstance(native, nw.DataFrame):
        if len(native.columns) != 1:
            raise ValueError(f"`group` must be one column; got a data frame with {len(native.columns)}.")
        native = next(iter(native.iter_columns()))
    missing = int(native.null_count()) if isinstance(native, nw.Series) else 0
    if missing:
        raise ValueError(f"`group` has {missing} missing, NaN or infinite labels; drop those rows.")
    labels: npt.NDArray[Any] = (
        native.to_numpy() if isinstance(native, nw.Series) else np.asarray(unmasked(native, "group"))
    )
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"`group` must be 1-D, one label a row; got {labels.ndim}-D.")
    missing = count_missing(labels)
    if missing:
        raise ValueError(f"`group` has {missing} missing, NaN or infinite labels; drop those rows.")
    return labels


def count_missing(labels: npt.NDArray[Any]) -> int:
    """How many of these are no value: NaN, infinite, no time, None."""
    if labels.dtype.kind == "f":
        return int((~np.isfinite(labels)).sum())
    if labels.dtype.kind == "M":
        return int(np.isnat(labels).sum())
    return sum(_is_missing(value) for value in labels) if labels.dtype.kind == "O" else 0


def _is_missing(value: Any) -> bool:
    """None, NaN, and pandas' NA, which will not say whether it equals itself."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - NaN differs from itself
    except TypeError:
        return True
