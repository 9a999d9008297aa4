"""Which row belongs to which sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from condmmd.samples.table import Array

__all__ = ["Groups", "read_group"]


@dataclass(frozen=True, eq=False)
class Groups:
    """The labels ``t`` (1 for P, 0 for Q) and what the user called the two."""

    t: Array
    p_label: str
    q_label: str

    @property
    def n(self) -> int:
        """Rows of P."""
        return int(self.t.sum())

    @property
    def m(self) -> int:
        """Rows of Q."""
        return len(self.t) - self.n


def read_group(group: Any) -> Groups:
    """Read any binary label. The value 1 or True is P; with neither, the later in sorted order is."""
    if isinstance(group, Groups):
        return group
    labels = _label_array(group)
    try:
        values = np.unique(labels)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in labels})
        raise TypeError(f"`group` mixes labels of different types: {', '.join(kinds)}.") from None
    if len(values) != 2:
        shown = ", ".join(str(value) for value in values[:5]) + (", ..." if len(values) > 5 else "")
        raise ValueError(
            f"`group` must have two different labels; got {len(values)}: {shown}. "
            "Select the rows of the two groups to compare."
        )
    is_p = labels == (values[0] if values[0] == 1 else values[1])
    groups = Groups(is_p.astype(np.float64), str(labels[is_p][0]), str(labels[~is_p][0]))
    for label, rows in ((groups.p_label, groups.n), (groups.q_label, groups.m)):
        if rows < 2:
            raise ValueError(f"`group`: '{label}' has {rows} row; a conditional distribution needs at least 2.")
    return groups


def _label_array(group: Any) -> npt.NDArray[Any]:
    """One label a row, none missing."""
    native = nw.from_native(group, pass_through=True, allow_series=True)
    if isinstance(native, nw.DataFrame):
        if len(native.columns) != 1:
            raise ValueError(f"`group` must be one column; got a data frame with {len(native.columns)}.")
        native = next(iter(native.iter_columns()))
    missing = int(native.null_count()) if isinstance(native, nw.Series) else 0
    if missing:
        raise ValueError(f"`group` has {missing} missing, NaN or infinite labels; drop those rows.")
    labels: npt.NDArray[Any] = native.to_numpy() if isinstance(native, nw.Series) else np.asarray(native)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"`group` must be 1-D, one label a row; got {labels.ndim}-D.")
    if labels.dtype.kind == "f":
        missing = int((~np.isfinite(labels)).sum())
    elif labels.dtype.kind == "M":
        missing = int(np.isnat(labels).sum())
    elif labels.dtype.kind == "O":
        missing = sum(_is_missing(value) for value in labels)
    if missing:
        raise ValueError(f"`group` has {missing} missing, NaN or infinite labels; drop those rows.")
    return labels


def _is_missing(value: Any) -> bool:
    """None, NaN, and pandas' NA, which will not say whether it equals itself."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - NaN differs from itself
    except TypeError:
        return True
