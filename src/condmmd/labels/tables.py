"""Independent Bernoulli labels, given that their sum is n: what two samples of fixed sizes are (conditional Bernoulli).

The law depends on the odds ``e / (1 - e)`` only up to a common factor, so a propensity for another prevalence will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Labels, steps_of, to_host
from condmmd.labels.laws import LEAF, Law, law_of_sum
from condmmd.regression.odds import tilt

__all__ = ["TABLE_ROWS", "ExactSampler", "PartsSampler"]

# Tables grow as the square of the rows, so of more rows than this each part of so many has tables of its own.
TABLE_ROWS = 8192


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
        return cls.of_probabilities(to_host(tilt(log_odds, n)), n, n)

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
        return self.draw_units(np.full(size, self.n), [(size, rng)])

    def draw_labels(self, units: list[tuple[int, np.random.Generator]]) -> Labels:
        """Label vectors from several generators, one after another."""
        return self.draw_units(np.full(sum(size for size, _ in units), self.n), units)

    def draw_units(self, ones: npt.NDArray[np.int64], units: list[tuple[int, np.random.Generator]]) -> Labels:
        """A label vector for each number of ones, from several generators."""
        leaves = len(self.leaf_laws)
        drawn = [(rng.random((leaves, size)), rng.random((LEAF, size, leaves))) for size, rng in units]
        for_leaves, for_rows = (np.concatenate(part, axis=1) for part in zip(*drawn, strict=True))
        counts = self._leaf_counts(ones, for_leaves)
        labels = np.empty((len(ones), leaves, LEAF), dtype=np.int8)
        which = np.arange(leaves)
        for j in range(LEAF):
            is_one = for_rows[j] < self.one[j, which, counts]
            labels[:, :, j] = is_one
            counts -= is_one
        return labels.reshape(len(ones), -1)[:, : self.n_rows]

    def _leaf_counts(self, ones: npt.NDArray[np.int64], lots: Array) -> npt.NDArray[np.int64]:
        leaves, size = len(self.leaf_laws), len(ones)
        counts = np.empty((size, leaves), dtype=np.int64)
        left = ones
        k = np.arange(LEAF + 1)
        for g in range(leaves):
            after = left[:, None] - k
            weights = self.leaf_laws[g] * np.where(after >= 0, self.rest[g, np.maximum(after, 0)], 0.0)
            cumulative = np.cumsum(weights, axis=1)
            u = lots[g] * cumulative[:, -1]
            counts[:, g] = (cumulative <= u[:, None]).sum(axis=1)
            left = left - counts[:, g]
        return counts


@dataclass(frozen=True, eq=False)
class PartsSampler:
    """The same for many rows: first how many ones each part gets, given those before it, and then which rows.

    Attributes
    ----------
    n
        The number of ones.
    p
        Their probabilities as independent labels, scaled to have the sum n.
    laws, rest
        Of the number of ones in each part, and in all parts after it.
    """

    n: int
    p: Array
    laws: tuple[Law, ...]
    rest: tuple[Law, ...]

    @classmethod
    def of(cls, log_odds: Array, n: int) -> PartsSampler:
        """Laws of the parts, and of what is left after each."""
        p = np.asarray(to_host(tilt(log_odds, n)))
        laws = [law_of_sum(p[part]) for part in steps_of(len(p), TABLE_ROWS)]
        rest = [Law(0, np.ones(1))]
        for law in laws[:0:-1]:
            rest.append(rest[-1].plus(law))
        return cls(n, p, tuple(laws), tuple(rest[::-1]))

    def draw_labels(self, units: list[tuple[int, np.random.Generator]]) -> Labels:
        """Label vectors from several generators, one after another."""
        left = np.full(sum(size for size, _ in units), self.n)
        labels = np.empty((len(left), len(self.p)), dtype=np.int8)
        parts = steps_of(len(self.p), TABLE_ROWS)
        for part, law, rest in zip(parts, self.laws, self.rest, strict=True):
            ones = self._ones(law, rest, left, np.concatenate([rng.random(size) for size, rng in units]))
            tables = ExactSampler.of_probabilities(self.p[part], 0, int(ones.max()))
            labels[:, part] = tables.draw_units(ones, units)
            left = left - ones
        return labels

    @staticmethod
    def _ones(law: Law, rest: Law, left: npt.NDArray[np.int64], lots: Array) -> npt.NDArray[np.int64]:
        """How many of those left are in this part, by the chance of it and of the others in all parts after it."""
        k = law.start + np.arange(len(law.probabilities))
        found = np.empty_like(left)
        for number in np.unique(left):
            own = left == number
            cumulative = np.cumsum(law.probabilities * rest(number - k))
            found[own] = k[np.searchsorted(cumulative, lots[own] * cumulative[-1], side="right")]
        return found
