"""Data frames and series of any library, through narwhals."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

__all__ = ["as_frame"]


def as_frame(data: Any) -> Any:
    """A data frame or series of narwhals; anything else as it is."""
    if isinstance(data, np.ndarray | list | tuple):  # the most common, and slow to ask narwhals about
        return data
    return nw.from_native(data, pass_through=True, allow_series=True)
