"""Random numbers that are functions of a key and a row number: the same on every device and in every chunk of rows.

SplitMix64: the number of row i is the mixed state ``key + i * GAMMA``, of which the upper half is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    Labels,
    Rows,
    each_step,
    move_to,
    n_rows,
    namespace,
    place_of,
    steps_of,
    work_size,
)

__all__ = ["below", "independent_labels", "keys_of", "thresholds"]

GAMMA, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
# A number has 32 bits, so probabilities are multiples of this.
STEP = 2.0**-32


def _signed(constant: int) -> int:
    """The same 64 bits as a signed integer, which every backend has."""
    return constant - 2**64 if constant >= 2**63 else constant


def below(numbers: Rows, limits: Rows, keys: Any) -> Any:
    """Whether the random number of each key and row is below the row's limit: shape (keys, rows)."""
    xp = namespace(limits)
    z = keys[:, None] + (numbers * _signed(GAMMA))[None, :]
    z ^= (z >> 30) & (2**34 - 1)  # the sign must not be shifted in
    z *= _signed(FIRST)
    z ^= (z >> 27) & (2**37 - 1)
    z *= _signed(SECOND)
    z >>= 32
    return z < xp.astype(limits, xp.int64)[None, :]


def thresholds(p: Rows) -> Rows:
    """Limits that a random number is below with probability p."""
    return namespace(p).round(p / STEP) - 2**31


def keys_of(seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """A key for each seed."""
    with np.errstate(over="ignore"):
        z = seeds + np.uint64(GAMMA)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(FIRST)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(SECOND)
    return (z ^ (z >> np.uint64(31))).view(np.int64)


def independent_labels(numbers: Rows, limits: Rows, keys: npt.NDArray[np.int64]) -> Labels:
    """Labels of a chunk of rows, each by itself: 1 where the number of its row is below its limit."""
    xp, where = place_of(limits)
    labels = xp.empty((len(keys), n_rows(limits)), dtype=xp.int8, **where)
    own = move_to(keys, limits)

    def fill(part: slice) -> None:
        labels[:, part] = xp.astype(below(numbers[part], limits[part], own), xp.int8)

    each_step(fill, steps_of(n_rows(limits), max(512, work_size(limits) // (4 * max(1, len(keys))))), limits)
    return labels
