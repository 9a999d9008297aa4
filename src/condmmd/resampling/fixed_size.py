"""Independent Bernoulli labels, given that their sum is n: what two samples of fixed sizes are (conditional Bernoulli).

The law depends on the odds ``e / (1 - e)`` only up to a common factor, so a propensity for another prevalence will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.signal import fftconvolve
from scipy.special import expit

from condmmd.samples import Array, Labels

__all__ = ["ExactSampler", "HalvingSampler", "law_of_sum", "tilt"]

# Rows in a leaf: its tables have about this many entries for each row.
LEAF = 64
# More rows than this are halved first; random numbers drawn at once in a half.
TABLE_ROWS = 8192
DRAWN_AT_ONCE = 2**22


def tilt(log_odds: Array, n: int) -> Array:
    """Probabilities with these odds up to a factor and with sum n: where the conditional law is best represented."""

    def excess(shift: float) -> float:
        return float(expit(log_odds + shift).sum() - n)

    low, high = -float(log_odds.max()) - 40.0, -float(log_odds.min()) + 40.0
    return expit(log_odds + float(brentq(excess, low, high, xtol=1e-12)))


@dataclass(frozen=True, eq=False)
class ExactSampler:
    """Exact draws: first how many ones each leaf of rows gets, then which.

    With f_g the law of the number of ones in leaf g, and F_g that of the leaves after g, the leaf's number given s ones
    to place is drawn from ``f_g(k) F_g(s - k)``; inside a leaf the same with rows for leaves. All tables are
    probabilities of sums, so nothing under- or overflows where there is mass.

    Attributes
    ----------
    n
        The number of ones.
    n_rows
        The number of rows; the last leaf is filled up with rows of probability zero.
    leaf_laws
        f_g, shape (leaves, LEAF + 1).
    rest
        F_g, shape (leaves, n + 1).
    one
        Probability that row j of leaf g is a one given c ones to place from j on, shape (LEAF, leaves, LEAF + 1).
    """

    n: int
    n_rows: int
    leaf_laws: Array
    rest: Array
    one: Array

    @classmethod
    def of(cls, log_odds: Array, n: int) -> ExactSampler:
        """Make the tables: O(N n / LEAF + N LEAF) numbers."""
        return cls.of_probabilities(tilt(log_odds, n), n, n)

    @classmethod
    def of_probabilities(cls, p: Array, n: int, largest: int) -> ExactSampler:
        """The same from probabilities as they are, for numbers of ones up to ``largest``."""
        leaves = -(-len(p) // LEAF)
        padded = np.zeros(leaves * LEAF)
        padded[: len(p)] = p
        in_leaf = padded.reshape(leaves, LEAF)
        law = np.zeros((leaves, LEAF + 1))
        law[:, 0] = 1.0
        one = np.zeros((LEAF, leaves, LEAF + 1))
        for j in range(LEAF - 1, -1, -1):
            taken = np.zeros_like(law)
            taken[:, 1:] = in_leaf[:, j, None] * law[:, :-1]
            law = (1 - in_leaf[:, j, None]) * law + taken
            one[j] = np.divide(taken, law, out=np.zeros_like(law), where=law > 0)
        rest = np.zeros((leaves, largest + 1))
        rest[-1, 0] = 1.0
        for g in range(leaves - 1, 0, -1):
            rest[g - 1] = np.convolve(rest[g], law[g])[: largest + 1]
        return cls(n, len(p), law, rest, one)

    def draw(self, size: int, rng: np.random.Generator) -> Labels:
        """``size`` label vectors, shape (size, N)."""
        return self.draw_with(np.full(size, self.n), rng)

    def draw_with(self, ones: npt.NDArray[np.int64], rng: np.random.Generator) -> Labels:
        """A label vector for each number of ones."""
        size, counts = len(ones), self._leaf_counts(ones, rng)
        leaves = counts.shape[1]
        labels = np.empty((size, leaves, LEAF), dtype=np.int8)
        which = np.arange(leaves)
        for j in range(LEAF):
            is_one = rng.random((size, leaves)) < self.one[j, which, counts]
            labels[:, :, j] = is_one
            counts -= is_one
        return labels.reshape(size, -1)[:, : self.n_rows]

    def _leaf_counts(self, ones: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        leaves, size = len(self.leaf_laws), len(ones)
        counts = np.empty((size, leaves), dtype=np.int64)
        left = ones
        k = np.arange(LEAF + 1)
        for g in range(leaves):
            after = left[:, None] - k
            weights = self.leaf_laws[g] * np.where(after >= 0, self.rest[g, np.maximum(after, 0)], 0.0)
            cumulative = np.cumsum(weights, axis=1)
            u = rng.random(size) * cumulative[:, -1]
            counts[:, g] = (cumulative <= u[:, None]).sum(axis=1)
            left = left - counts[:, g]
        return counts


@dataclass(frozen=True, eq=False)
class HalvingSampler:
    """Exact draws for many rows: half of them freely, then half of the rest, until tables can do what is left.

    If half of the rows got s ones, the rest must make up n - s. Keeping s with the probability of that number in the
    rest, over the largest such probability, is rejection sampling from the conditional law; with halves that are alike
    about 7 draws in 10 are kept, so a label vector costs some 1.5 N random numbers and nothing of size N n is stored.

    Attributes
    ----------
    n, n_rows
        The number of ones and of rows.
    halves
        The rows drawn freely, in the order in which they are drawn, with their probabilities.
    keep
        For each half: the probability of keeping it by the number of ones that is left for the rest.
    last_rows, last
        The rows that are left, and their tables.
    """

    n: int
    n_rows: int
    halves: list[tuple[npt.NDArray[np.int64], Array]]
    keep: list[Array]
    last_rows: npt.NDArray[np.int64]
    last: ExactSampler

    @classmethod
    def of(cls, log_odds: Array, n: int) -> HalvingSampler:
        """Deal the rows by their odds, so that what is left is always like what was drawn."""
        p = tilt(log_odds, n)
        rows, halves = np.argsort(p, kind="stable"), []
        while len(rows) > TABLE_ROWS:
            halves.append((rows[0::2], p[rows[0::2]]))
            rows = rows[1::2]
        law = law_of_sum(p[rows])
        keep = []
        for _, half in reversed(halves):
            keep.append(law / law.max())
            law = np.maximum(fftconvolve(law, law_of_sum(half)), 0.0)
        return cls(n, len(p), halves, keep[::-1], rows, ExactSampler.of_probabilities(p[rows], 0, len(rows)))

    def draw(self, size: int, rng: np.random.Generator) -> Labels:
        """``size`` label vectors, shape (size, N)."""
        labels = np.empty((size, self.n_rows), dtype=np.int8)
        ones = np.full(size, self.n)
        for (rows, p), keep in zip(self.halves, self.keep, strict=True):
            at_once = max(1, DRAWN_AT_ONCE // len(rows))
            for start in range(0, size, at_once):
                waiting = np.arange(start, min(start + at_once, size))
                while len(waiting):
                    drawn = rng.random((len(waiting), len(rows))) < p
                    left = ones[waiting] - drawn.sum(axis=1)
                    possible = (left >= 0) & (left < len(keep))
                    kept = rng.random(len(waiting)) < np.where(possible, keep[np.clip(left, 0, len(keep) - 1)], 0.0)
                    labels[np.ix_(waiting[kept], rows)] = drawn[kept]
                    ones[waiting[kept]] = left[kept]
                    waiting = waiting[~kept]
        labels[:, self.last_rows] = self.last.draw_with(ones, rng)
        return labels


def law_of_sum(p: Array) -> Array:
    """Probabilities of 0 to N ones among independent rows: leaves one row at a time, then pairs of leaves by FFT."""
    leaves = 1 << max(0, int(np.ceil(np.log2(max(1, len(p)) / LEAF))))
    padded = np.zeros(leaves * LEAF)
    padded[: len(p)] = p
    law = np.zeros((leaves, LEAF + 1))
    law[:, 0] = 1.0
    for column in padded.reshape(leaves, LEAF).T:
        law[:, 1:] = (1 - column[:, None]) * law[:, 1:] + column[:, None] * law[:, :-1]
        law[:, 0] *= 1 - column
    while len(law) > 1:
        length = 2 * law.shape[1] - 1
        spectrum = np.fft.rfft(law, n=length)
        law = np.maximum(np.fft.irfft(spectrum[0::2] * spectrum[1::2], n=length), 0.0)
    return law[0, : len(p) + 1]
