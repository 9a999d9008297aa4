"""Signs in place of labels: under the null hypothesis each row's residual feature could have pointed the other way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import HeldLabels, LabelBatch, Labels, Rows, made_labels, move_to, namespace, row_numbers
from condmmd.labels.counters import keys_of
from condmmd.labels.halving import independent_labels
from condmmd.labels.schemes import Units

__all__ = ["EverySign", "SignFlips", "ways_to_flip"]


@dataclass(frozen=True)
class SignFlips:
    """Each row +1 or -1 with equal chances: a function of a key and the row's number, so the same in any chunks."""

    name: str = "sign flips"

    def draw(self, units: Units, t: Rows) -> LabelBatch:
        seeds = np.concatenate([rng.integers(2**64, size=size, dtype=np.uint64) for size, rng in units])
        rows = row_numbers(t), namespace(t).zeros_like(t)  # the limit of a chance of one half
        return made_labels(partial(_signs, keys=keys_of(seeds, 0)), rows, len(seeds))


@dataclass(frozen=True)
class EverySign:
    """Every way to flip the signs of a few rows, but the one that flips none: an exact null by enumeration.

    Statistics are the same for all signs turned round, so the first row keeps its own.
    """

    count: int

    @property
    def name(self) -> str:
        return "every sign flip"

    def draw(self, units: Units, t: Rows) -> LabelBatch:  # noqa: ARG002 - nothing is random
        codes = np.arange(1, ways_to_flip(self.count), dtype=np.int64)
        flipped = (codes[:, None] >> np.arange(self.count - 1)[None, :]) & 1
        signs = np.concatenate([np.ones((len(codes), 1), dtype=np.int8), 1 - 2 * flipped.astype(np.int8)], axis=1)
        return HeldLabels(move_to(signs, t))


def ways_to_flip(count: int) -> int:
    """Sign vectors of so many rows that a statistic can tell apart."""
    return int(2 ** (count - 1))


def _signs(numbers: Rows, limits: Rows, keys: npt.NDArray[np.int64]) -> Labels:
    below: Any = independent_labels(numbers, limits, keys)
    signs: Labels = 2 * below - 1
    return signs
