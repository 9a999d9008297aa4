"""Laws of sums of independent labels: of a few rows exactly, of many by transforms, trimmed to where there is mass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import ceil, log2

import numpy as np
import numpy.typing as npt
from scipy.signal import fftconvolve

from condmmd.arrays import Rows, each_step, home, is_host, n_rows, row_slices, to_host
from condmmd.samples import Array

__all__ = ["LEAF", "Law", "law_of_labels", "law_of_sum", "trimmed"]

# Rows in a leaf: its tables have about this many entries for each row.
LEAF = 64
DEVICE_LEAF = 8
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
        return trimmed(Law(self.start + other.start, joined))

    @property
    def variance(self) -> float:
        """Of the number."""
        k, total = np.arange(len(self.probabilities)), self.probabilities.sum()
        mean = np.sum(k * self.probabilities) / total
        return float(np.sum((k - mean) ** 2 * self.probabilities) / total)


def trimmed(law: Law) -> Law:
    """Without what is rounding at both ends."""
    inside = np.flatnonzero(law.probabilities > NEGLIGIBLE * law.probabilities.max())
    return Law(law.start + int(inside[0]), law.probabilities[inside[0] : inside[-1] + 1])


def law_of_labels(p: Rows) -> Law:
    """The law of the sum of labels with these probabilities, from parts that are trimmed before they are joined."""
    parts = row_slices(p, LEAF)
    laws = each_step(lambda part: trimmed(Law(0, law_of_sum(p[part]))), parts, p)
    return reduce(Law.plus, laws, Law(0, np.ones(1)))


def law_of_sum(p: Rows) -> Array:
    """Probabilities of 0 to N ones among independent rows: leaves one row at a time, then pairs of leaves by FFT."""
    xp, where = home(p)
    count, leaf = n_rows(p), LEAF if is_host(p) else DEVICE_LEAF
    leaves = 1 << max(0, ceil(log2(max(1, count) / leaf)))
    padded = xp.concat([p, xp.zeros(leaves * leaf - count, dtype=xp.float64, **where)])
    rows = xp.reshape(padded, (leaves, leaf))
    law = xp.zeros((leaves, leaf + 1), dtype=xp.float64, **where)
    law[:, 0] = 1.0
    for j in range(leaf):
        taken = rows[:, j, None] * law
        law -= taken
        law[:, 1:] += taken[:, :-1]
    while law.shape[0] > 1:
        length = 2 * law.shape[1] - 1
        spectrum = xp.fft.rfft(law, n=length)
        law = xp.clip(xp.fft.irfft(spectrum[0::2, :] * spectrum[1::2, :], n=length), min=0.0)
    return to_host(law[0, : count + 1])
