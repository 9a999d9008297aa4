"""Data frames and series of any library, through narwhals."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

__all__ = ["as_frame", "check_names"]


def as_frame(data: Any) -> Any:
    """A data frame or series of narwhals; anything else as it is."""
    if isinstance(data, np.ndarray | list | tuple):  # the most common, and slow to ask narwhals about
        return data
    return nw.from_native(data, pass_through=True, allow_series=True)


def check_names(data: Any, argument: str) -> None:
    """Refuse a frame with columns of one name, in words of ours, before a library of frames does."""
    columns: Any = getattr(data, "columns", None) if hasattr(data, "iloc") else None  # pandas and its like
    if getattr(columns, "is_unique", True) is False:
        same = sorted({str(name) for name in columns[columns.duplicated()]})
        raise ValueError(f"`{argument}` has columns of the same name: {', '.join(same)}. Give each its own.")
