"""Independent Bernoulli labels, given that their sum is n: what two samples of fixed sizes are (conditional Bernoulli).

The law depends on the odds ``e / (1 - e)`` only up to a common factor, so a propensity for another prevalence will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from math import ceil, log2

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.signal import fftconvolve

from condmmd.arrays import (
    Rows,
    column_span,
    each_step,
    gather_rows,
    home,
    is_host,
    is_lazy,
    kept,
    map_rows,
    matching,
    n_rows,
    namespace,
    pick_rows,
    row_numbers,
    row_slices,
    sigmoid,
    steps_of,
    sum_rows,
    take,
    to_host,
    work_size,
)
from condmmd.resampling.counters import below, chance, keys_of, rounded, thresholds
from condmmd.resampling.drawn import Drawn
from condmmd.samples import Array, Labels

__all__ = ["ExactSampler", "HalvingSampler", "law_of_sum", "tilt"]

# Rows in a leaf: its tables have about this many entries for each row.
LEAF = 64
DEVICE_LEAF = 8
# More rows than this are halved, until no more than so many are left.
TABLE_ROWS = 8192
LAST_ROWS = 1024
# Attempts made at once, in random numbers for each row: on a device and with dask a pass over the rows costs more than
# they do.
ATTEMPTS, DEVICE_ATTEMPTS, LAZY_ATTEMPTS = 0.04, 0.1, 1.5
MAX_ATTEMPTS = 64
# Halves of the rows as they come that differ more than this in what is random of their labels are shuffled first.
MIN_ALIKE = 0.05
# Probabilities of a sum that are smaller than this, relative to the largest, are rounding of the transforms.
NEGLIGIBLE = 1e-14


def tilt(log_odds: Rows, n: int) -> Rows:
    """Probabilities with these odds up to a factor and with sum n: where the conditional law is best represented."""

    def excess(shift: float) -> float:
        return float(sum_rows(partial(_total, shift=shift), log_odds)) - n

    shift = 0.0
    if abs(excess(0.0)) > 1e-9 * n:
        low, high = column_span(log_odds)
        near = -0.01, 0.01  # a fitted propensity has almost the right sum
        if not excess(near[0]) <= 0 <= excess(near[1]):
            near = -float(high) - 40.0, -float(low) + 40.0
        shift = float(brentq(excess, *near, xtol=1e-12))
    return map_rows(partial(_shifted, shift=shift), log_odds)


def _shifted(log_odds: Rows, shift: float) -> Rows:
    return sigmoid(log_odds + shift)


def _total(log_odds: Rows, shift: float) -> Rows:
    return namespace(log_odds).sum(_shifted(log_odds, shift))


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
        return self.draw_units(np.full(size, self.n), [(size, rng)])

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


def half(j: int, first: int = 0) -> slice:
    """Rows of the j-th half, of a block whose first row has this number: half of the rows, a quarter, an eighth, ..."""
    return slice((2**j - 1 - first) % 2 ** (j + 1), None, 2 ** (j + 1))


def rest(depth: int, first: int = 0) -> slice:
    """What ``depth`` halves leave."""
    return slice((2**depth - 1 - first) % 2**depth, None, 2**depth)


@dataclass(frozen=True, eq=False)
class HalvingSampler:
    """Exact draws for many rows: half of them freely, then half of the rest, until tables can do what is left.

    If half of the rows got s ones, the rest must make up n - s. Keeping s with the probability of that number in the
    rest, over the largest such probability, is rejection sampling from the conditional law; with halves that are alike
    about 7 draws in 10 are kept. Halves are every other row, of what is left every other, and so on. A label is a
    function of its key and its row's number, so what is remembered of a draw is which attempt was kept for each half,
    and labels are made where the rows are: no two blocks of rows need to know of each other.

    Attributes
    ----------
    n
        The number of ones.
    limits, numbers
        Thresholds (probabilities, in units of the random numbers) and row numbers.
    after
        For each half: the law of the number of ones in what is left after it.
    last
        Tables for the rows that are left.
    order
        Where the rows of each half were like none of the others: the order of the rows that mends that.
    """

    n: int
    limits: Rows
    numbers: Rows
    after: list[Law]
    last: ExactSampler
    order: npt.NDArray[np.int64] | None = None

    @classmethod
    def of(cls, log_odds: Rows, n: int) -> HalvingSampler:
        """Find the laws of the halves' numbers of ones."""
        limits = kept(map_rows(thresholds, tilt(log_odds, n)))
        sampler = cls._of_limits(limits, n)
        if sampler is not None:
            return sampler
        if is_lazy(limits):
            raise ValueError(
                "the rows alternate between such as could be of one group only and such as could be of either, so that "
                "null labels cannot be drawn block by block; shuffle the rows."
            )
        order = np.random.default_rng(0).permutation(n_rows(limits))
        shuffled = cls._of_limits(take(limits, order), n, order, alike=0.0)
        assert shuffled is not None  # noqa: S101 - nothing is too unlike then
        return shuffled

    @classmethod
    def _of_limits(
        cls, limits: Rows, n: int, order: npt.NDArray[np.int64] | None = None, alike: float = MIN_ALIKE
    ) -> HalvingSampler | None:
        """None where two halves are too unlike."""
        count, depth = n_rows(limits), 0
        while count >> depth > min(LAST_ROWS, TABLE_ROWS):
            depth += 1
        numbers = row_numbers(limits)
        laws = [Law(0, np.ones(1))] * depth
        for block in gather_rows(partial(_block_laws, depth=depth), numbers, limits):
            laws = [law.plus(more) for law, more in zip(laws, block, strict=True)]
        p = rounded(to_host(pick_rows(limits, np.arange(count)[rest(depth)])))
        left, after = trimmed(Law(0, law_of_sum(p))), []
        for law in reversed(laws):
            if left.variance < alike * law.variance:
                return None
            after.append(left)
            left = left.plus(law)
        return cls(n, limits, numbers, after[::-1], ExactSampler.of_probabilities(p, 0, len(p)), order)

    def draw(self, size: int, rng: np.random.Generator) -> Labels | Drawn:
        """``size`` label vectors, shape (size, N)."""
        return self.draw_units([(size, rng)])

    def draw_units(self, units: list[tuple[int, np.random.Generator]]) -> Labels | Drawn:
        """Label vectors from several generators, the same as one after another."""
        seeds = np.concatenate([rng.integers(2**64, size=size, dtype=np.uint64) for size, rng in units])
        ones, keys = np.full(len(seeds), self.n), np.empty((len(seeds), len(self.after)), dtype=np.int64)
        at_once = ATTEMPTS if is_host(self.limits) else LAZY_ATTEMPTS if is_lazy(self.limits) else DEVICE_ATTEMPTS
        for j, law in enumerate(self.after):
            largest = law.probabilities.max()
            waiting, attempt = np.arange(len(seeds)), 0
            while len(waiting):  # a few labels take many attempts: the fewer wait, and rows there are, the more at once
                more = at_once * 2 ** (j + 1) * len(seeds) / len(waiting)
                tried = range(attempt, attempt + int(np.clip(more, 1, MAX_ATTEMPTS)))
                candidates = keys_of(seeds[waiting, None], np.array(tried))
                left = ones[waiting, None] - sum_rows(partial(_count, j=j, keys=candidates), self.numbers, self.limits)
                lots = chance(seeds[waiting, None], j, np.array(tried))
                good = lots * largest < law(left)
                done, first = good.any(axis=1), good.argmax(axis=1)
                rows = np.flatnonzero(done)
                keys[waiting[rows], j] = candidates[rows, first[rows]]
                ones[waiting[rows]] = left[rows, first[rows]]
                waiting, attempt = waiting[~done], tried.stop
        make = partial(_labels, keys=keys, last=self.last.draw_units(ones, units))
        if is_lazy(self.limits):
            return Drawn((self.numbers, self.limits), make, len(seeds))
        labels = make(self.numbers, self.limits)
        return labels if self.order is None else take(labels, np.argsort(self.order), axis=1)


def _block_laws(numbers: Rows, limits: Rows, depth: int) -> list[Law]:
    first = int(numbers[0])
    return [_law(rounded(limits[half(j, first)])) for j in range(depth)]


def _law(p: Rows) -> Law:
    """The law of the sum of labels with these probabilities, from parts that are trimmed before they are joined."""
    parts = row_slices(p, LEAF)
    laws = each_step(lambda part: trimmed(Law(0, law_of_sum(p[part]))), parts, p)
    return reduce(Law.plus, laws, Law(0, np.ones(1)))


def _count(numbers: Rows, limits: Rows, j: int, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Ones in the j-th half for each key, an array of them in, an array of the same shape out."""
    rows = half(j, int(numbers[0]))
    numbers, limits, own = numbers[rows], limits[rows], matching(keys.reshape(-1), limits)
    xp = namespace(limits)

    def count(part: slice) -> Rows:
        ones = below(numbers[part], limits[part], own)
        return xp.count_nonzero(ones, axis=1) if xp.isdtype(ones.dtype, "bool") else xp.sum(ones, axis=1)

    counts = each_step(count, _steps(limits, keys.size), limits)
    return to_host(sum(counts[1:], counts[0])).reshape(keys.shape)


def _labels(numbers: Rows, limits: Rows, keys: npt.NDArray[np.int64], last: Labels) -> Labels:
    """Labels of a block of rows: of each half by its key, and of what is left as drawn."""
    xp, where = home(limits)
    (size, depth), first = keys.shape, int(numbers[0])
    labels = xp.empty((size, n_rows(limits)), dtype=xp.int8, **where)
    for j in range(depth):
        _fill(labels, half(j, first), numbers, limits, keys[:, j])
    rows = rest(depth, first)
    begin = (first + rows.start) >> depth
    count = len(range(*rows.indices(n_rows(limits))))
    labels[:, rows] = matching(last[:, begin : begin + count], limits)
    return labels


def independent_labels(numbers: Rows, limits: Rows, keys: npt.NDArray[np.int64]) -> Labels:
    """Labels of a block of rows, each by itself."""
    xp, where = home(limits)
    labels = xp.empty((len(keys), n_rows(limits)), dtype=xp.int8, **where)
    _fill(labels, slice(0, None, 1), numbers, limits, keys)
    return labels


def _fill(labels: Labels, rows: slice, numbers: Rows, limits: Rows, keys: npt.NDArray[np.int64]) -> None:
    xp = namespace(limits)
    own, numbers, limits = matching(keys, limits), numbers[rows], limits[rows]

    def fill(part: slice) -> None:
        at = slice(rows.start + part.start * rows.step, rows.start + (part.stop - 1) * rows.step + 1, rows.step)
        labels[:, at] = xp.astype(below(numbers[part], limits[part], own), xp.int8)

    each_step(fill, _steps(limits, len(keys)), limits)


def _steps(limits: Rows, keys: int) -> list[slice]:
    """Parts of the rows for which the random numbers of all keys stay near the processor."""
    return steps_of(n_rows(limits), max(512, work_size(limits) // (4 * max(1, keys))))


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
