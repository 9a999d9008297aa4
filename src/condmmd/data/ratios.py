"""A hypothesised ratio of densities, one positive number a row."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from condmmd.backend import Array, host_floats
from condmmd.data.frames import as_frame
from condmmd.data.masks import unmasked

__all__ = ["log_ratios"]

# Probabilities of labels are between 0 and 1 in double precision if ratios differ by no more than this, as a logarithm.
WIDEST = 60.0


def log_ratios(ratio: Any, rows: int) -> Array:
    """Logarithms of the ratios at the rows, less the middle between the smallest and the largest.

    Labels know the ratio up to a factor only.
    """
    values = _numbers(ratio)
    if values.shape != (rows,):
        raise ValueError(f"`ratio` must give one number a row, {rows}; got shape {values.shape}.")
    bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(bad):
        more = f" ({len(bad)} such rows)" if len(bad) > 1 else ""
        raise ValueError(
            f"`ratio` must be positive and finite; row {bad[0]} has {values[bad[0]]:g}{more}. Leave out rows that one "
            "group cannot have."
        )
    logarithms = np.log(values)
    low, high = logarithms.min(), logarithms.max()
    if high - low > WIDEST:
        raise ValueError(
            f"`ratio` goes from {values.min():.3g} (row {values.argmin()}) to {values.max():.3g} (row "
            f"{values.argmax()}): such rows are of one group for sure. Leave them out."
        )
    return np.asarray(logarithms - (low + high) / 2)


def _numbers(ratio: Any) -> Array:
    frame = as_frame(unmasked(ratio, "ratio"))
    if isinstance(frame, nw.DataFrame | nw.Series):
        frame = frame.to_numpy()
    try:
        values = host_floats(frame)
    except (TypeError, ValueError):
        raise TypeError(f"`ratio` must be numbers, one a row; got {type(ratio).__name__}.") from None
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
