"""Data frames and series of any library, through narwhals."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

__all__ = ["as_frame"]


def as_frame(data: Any) -> Any:
    """A data frame or series of narwhals; anything else as it is. Arrays are told first, as there are many of them."""
    if isinstance(data, np.ndarray | list | tuple):
        return data
    return nw.from_native(data, pass_through=True, allow_series=True)
