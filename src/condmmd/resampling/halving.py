"""The same for many rows, wherever they are: half of them freely, then half of the rest, until tables can do it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from condmmd.arrays import (
    Rows,
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
    steps_of,
    sum_rows,
    take,
    to_host,
    work_size,
)
from condmmd.resampling.counters import below, chance, keys_of, rounded, thresholds
from condmmd.resampling.drawn import Drawn
from condmmd.resampling.laws import Law, law_of_labels, law_of_sum, trimmed
from condmmd.resampling.tables import ExactSampler, tilt
from condmmd.samples import Labels

__all__ = ["HalvingSampler", "independent_labels"]

# Rows are halved until no more than so many are left.
LAST_ROWS = 1024
# Attempts are made at once as long as their random numbers are no more than this part of those of all labels, or cost
# no more than a round does anyway: on a processor, and on a device or in blocks.
SHARE = 0.04
FREE, FREE_ELSEWHERE = 2**16, 2**26
MAX_ATTEMPTS = 64
# The chance of so many attempts at a half is below 1e-10.
HOPELESS = 100_000
# Halves of the rows as they come that differ more than this in what is random of their labels are shuffled first.
MIN_ALIKE = 0.05


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
        while count >> depth > LAST_ROWS:
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
        free = FREE if is_host(self.limits) else FREE_ELSEWHERE
        for j, law in enumerate(self.after):
            largest = law.probabilities.max()
            waiting, attempt, rows = np.arange(len(seeds)), 0, n_rows(self.limits) / 2 ** (j + 1)
            while len(waiting):  # a few labels take many attempts: the fewer wait, and rows there are, the more at once
                more = max(free, SHARE * len(seeds) * n_rows(self.limits)) / (len(waiting) * rows)
                tried = range(attempt, attempt + int(np.clip(more, 1, MAX_ATTEMPTS)))
                candidates = keys_of(seeds[waiting, None], np.array(tried))
                left = ones[waiting, None] - sum_rows(partial(_count, j=j, keys=candidates), self.numbers, self.limits)
                lots = chance(seeds[waiting, None], j, np.array(tried))
                good = lots * largest < law(left)
                done, first = good.any(axis=1), good.argmax(axis=1)
                found = np.flatnonzero(done)
                keys[waiting[found], j] = candidates[found, first[found]]
                ones[waiting[found]] = left[found, first[found]]
                waiting, attempt = waiting[~done], tried.stop
                if attempt > HOPELESS:
                    raise RuntimeError("null labels of the given group sizes could not be drawn; please report it.")
        make = partial(_labels, keys=keys, last=self.last.draw_units(ones, units))
        if is_lazy(self.limits):
            return Drawn((self.numbers, self.limits), make, len(seeds))
        labels = make(self.numbers, self.limits)
        return labels if self.order is None else take(labels, np.argsort(self.order), axis=1)


def _block_laws(numbers: Rows, limits: Rows, depth: int) -> list[Law]:
    first = int(numbers[0])
    return [law_of_labels(rounded(limits[half(j, first)])) for j in range(depth)]


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
    return steps_of(n_rows(limits), max(512, work_size(limits) // (max(1, keys) * (4 if is_host(limits) else 1))))
