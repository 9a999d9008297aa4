"""Laws of sums of independent labels, trimmed to where there is mass."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np
import numpy.typing as npt
from scipy.signal import fftconvolve

from condmmd.backend import Array

__all__ = ["Law", "law_of_sum"]

# Rows whose law is made one row at a time; then laws are joined by transforms.
LEAF = 64
# Probabilities of a sum that are smaller than this, relative to the largest, are rounding of the transforms.
NEGLIGIBLE = 1e-14


@dataclass(frozen=True, eq=False)
class Law:
    """Probabilities of a whole number, from ``start`` on; elsewhere there is none worth speaking of."""

    start: int
    probabilities: Array

    def __call__(self, values: npt.NDArray[np.int64]) -> Array:
        """The probability of each value."""
        at = values - self.start
        inside = (at >= 0) & (at < len(self.probabilities))
        return np.where(inside, self.probabilities[np.clip(at, 0, len(self.probabilities) - 1)], 0.0)

    def plus(self, other: Law) -> Law:
        """The law of the sum of two independent numbers."""
        joined = np.maximum(fftconvolve(self.probabilities, other.probabilities), 0.0)
        return _trimmed(Law(self.start + other.start, joined))


def _trimmed(law: Law) -> Law:
    """Without what is rounding at both ends."""
    inside = np.flatnonzero(law.probabilities > NEGLIGIBLE * law.probabilities.max())
    return Law(law.start + int(inside[0]), law.probabilities[inside[0] : inside[-1] + 1])


def law_of_sum(p: Array) -> Law:
    """The law of the number of ones among independent rows: leaves one row at a time, then pairs of leaves."""
    leaves = 1 << max(0, ceil(log2(max(1, len(p)) / LEAF)))
    rows = np.zeros(leaves * LEAF)
    rows[: len(p)] = p
    law = np.zeros((leaves, LEAF + 1))
    law[:, 0] = 1.0
    for own in rows.reshape(leaves, LEAF).T:
        taken = own[:, None] * law
        law -= taken
        law[:, 1:] += taken[:, :-1]
    while len(law) > 1:
        law = np.maximum(fftconvolve(law[0::2], law[1::2], axes=1), 0.0)
    return _trimmed(Law(0, law[0, : len(p) + 1]))
