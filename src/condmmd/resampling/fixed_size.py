"""Independent Bernoulli labels, given that their sum is n: what two samples of fixed sizes are (conditional Bernoulli).

The law depends on the odds ``e / (1 - e)`` only up to a common factor, so a propensity for another prevalence will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from condmmd.samples import Array

__all__ = ["ExactSampler", "SwapSampler", "tilt"]

# Rows in a leaf: its tables have about this many entries for each row.
LEAF = 64


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
        p = tilt(log_odds, n)
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
        rest = np.zeros((leaves, n + 1))
        rest[-1, 0] = 1.0
        for g in range(leaves - 1, 0, -1):
            rest[g - 1] = np.convolve(rest[g], law[g])[: n + 1]
        return cls(n, len(p), law, rest, one)

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        """``size`` label vectors, shape (size, N)."""
        counts = self._leaf_counts(size, rng)
        leaves = counts.shape[1]
        labels = np.empty((size, leaves, LEAF))
        which = np.arange(leaves)
        for j in range(LEAF):
            is_one = rng.random((size, leaves)) < self.one[j, which, counts]
            labels[:, :, j] = is_one
            counts -= is_one
        return labels.reshape(size, -1)[:, : self.n_rows]

    def _leaf_counts(self, size: int, rng: np.random.Generator) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        leaves = len(self.leaf_laws)
        counts = np.empty((size, leaves), dtype=np.int64)
        left = np.full(size, self.n)
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
class SwapSampler:
    """Draws for many rows: random disjoint pairs exchange their labels by the odds, ``sweeps`` times over.

    Given that one of rows i and j is a one, it is i with probability ``o_i / (o_i + o_j)``: each sweep is reversible
    and leaves the law as it is. The chain first goes ``sweeps`` back from the observed labels to a hub, and every draw
    goes as far forward from there. So the observed labels and the draws are exchangeable whatever the number of sweeps
    (Besag and Clifford 1989; Berrett et al. 2020): the p-value is exact, and more sweeps only make draws less alike.
    """

    hub: Array
    log_odds: Array
    sweeps: int = 50

    @classmethod
    def of(cls, log_odds: Array, t: Array, rng: np.random.Generator, sweeps: int = 50) -> SwapSampler:
        """Go back from the observed labels."""
        hub = t.copy()
        _sweep(hub, log_odds, rng, sweeps)
        return cls(hub, log_odds, sweeps)

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        """``size`` label vectors, shape (size, N)."""
        labels = np.repeat(self.hub[None, :], size, axis=0)
        for row in labels:
            _sweep(row, self.log_odds, rng, self.sweeps)
        return labels


def _sweep(row: Array, log_odds: Array, rng: np.random.Generator, sweeps: int) -> None:
    half = len(row) // 2
    for _ in range(sweeps):
        order = rng.permutation(len(row))
        i, j = order[:half], order[half : 2 * half]
        differ = row[i] != row[j]
        i, j = i[differ], j[differ]
        first = rng.random(len(i)) < expit(log_odds[i] - log_odds[j])
        row[i], row[j] = first, ~first
