"""Masks: what a mask hides is no data, so it is refused wherever numbers or labels come in."""

from __future__ import annotations

from typing import Any

import numpy as np

from condmmd.backend import kind_of
from condmmd.data.partitions import without_mask

__all__ = ["unmasked"]


def unmasked(values: Any, argument: str) -> Any:
    """The same values without their mask, which must hide none of them; anything that cannot have one as it is."""
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.is_masked(values):
            hidden = int(np.ma.getmaskarray(values).sum())
            raise ValueError(f"`{argument}` has {hidden} masked values; drop those rows or fill them.")
        return np.ma.getdata(values)
    return without_mask(values, argument) if kind_of(values) == "chunked array" else values
