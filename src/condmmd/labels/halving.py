"""The same for many rows, wherever they are: half of them freely, then half of the rest, until tables can do it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    LabelBatch,
    Labels,
    Rows,
    cached_property,
    each_chunk,
    each_step,
    is_chunked,
    made_labels,
    map_rows,
    move_to,
    n_rows,
    namespace,
    on_processor,
    persist,
    pick_rows,
    place_of,
    row_numbers,
    steps_of,
    sum_rows,
    take,
    to_host,
    work_size,
)
from condmmd.labels.counters import below, chance, keys_of, rounded, thresholds
from condmmd.labels.laws import Law, law_of_labels, law_of_powers, law_of_sum, power_sums, trimmed
from condmmd.labels.tables import ExactSampler
from condmmd.regression.odds import tilt

__all__ = ["HalvingSampler", "independent_labels"]

# Rows are halved until no more than so many are left.
LAST_ROWS = 256
# Powers are summed over so many bits' worth of row numbers at a time.
CLASS_BITS = 10
# Attempts are made at once as long as their random numbers are no more than this part of those of all labels, or cost
# no more than a round does anyway: on a processor, and on a device or in chunks.
SHARE = 0.04
FREE, FREE_ELSEWHERE = 2**16, 2**26
FIRST_ATTEMPTS = 8
# The chance of so many attempts at a half is below 1e-10.
HOPELESS = 100_000
# Halves of the rows as they come that differ more than this in what is random of their labels are shuffled first.
MIN_ALIKE = 0.05


def half(j: int, first: int = 0) -> slice:
    """Rows of the j-th half, of a chunk whose first row has this number: half of the rows, a quarter, an eighth, ..."""
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
    and labels are made where the rows are: no two chunks of rows need to know of each other.

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
        limits = persist(map_rows(thresholds, tilt(log_odds, n)))
        sampler = cls._of_limits(limits, n)
        if sampler is not None:
            return sampler
        if is_chunked(limits):
            raise ValueError(
                "the rows alternate between such as could be of one group only and such as could be of either, so that "
                "null labels cannot be drawn chunk by chunk; shuffle the rows."
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
        U = to_host(sum_rows(partial(_powers, depth=depth), numbers, limits))  # of each half, and of what is left
        joined = {j: law_of_powers(_size(rest(j), count), U[:, j:].sum(axis=1)) for j in range(1, depth)}
        of_halves = _laws(numbers, limits, [j for j, law in joined.items() if law is None])
        p = to_host(rounded(to_host(pick_rows(limits, np.arange(*rest(depth).indices(count))))))
        left, after = trimmed(Law(0, law_of_sum(p))), []
        for j in range(depth - 1, -1, -1):  # ``left`` is the law of what is left after the j-th half
            if left.variance < alike * (_size(half(j), count) - U[1, j]) / 4:
                return None
            after.append(left)
            if j:
                left = joined[j] or left.plus(of_halves[j])
        return cls(n, limits, numbers, after[::-1], ExactSampler.of_probabilities(p, 0, len(p)), order)

    def draw(self, units: list[tuple[int, np.random.Generator]]) -> LabelBatch:
        """Label vectors from several generators, the same as one after another: shape (all sizes, N)."""
        seeds = np.concatenate([rng.integers(2**64, size=size, dtype=np.uint64) for size, rng in units])
        ones, keys = np.full(len(seeds), self.n), np.empty((len(seeds), len(self.after)), dtype=np.int64)
        at, made = np.zeros((2, len(seeds)), dtype=np.int64)  # for each: its half, and the attempts made at it
        while (at < len(self.after)).any():
            tries = self._tries(seeds, at, made)
            counts = to_host(
                sum_rows(partial(_counts, tried=[(t.j, t.keys.reshape(-1)) for t in tries]), self.numbers, self.limits)
            )
            ends = np.cumsum([t.keys.size for t in tries])[:-1]
            for t, found in zip(tries, np.split(counts, ends), strict=True):
                law, left = self.after[t.j], ones[t.which, None] - found.reshape(t.keys.shape)
                good = chance(t.seeds, t.j, t.attempts) * law.probabilities.max() < law(left)
                done, first = np.flatnonzero(good.any(axis=1)), good.argmax(axis=1)
                keys[t.which[done], t.j] = t.keys[done, first[done]]
                ones[t.which[done]] = left[done, first[done]]
                made[t.which] += t.keys.shape[1]
                made[t.which[done]] = 0
                at[t.which[done]] += 1
            if made.max() > HOPELESS:
                raise RuntimeError("null labels of the given group sizes could not be drawn; please report it.")
        make = partial(_labels, keys=keys, last=self.last.draw_units(ones, units))
        labels = made_labels(make, (self.numbers, self.limits), len(seeds))
        return labels if self.order is None else labels.on_rows(np.argsort(self.order))

    def _tries(
        self, seeds: npt.NDArray[np.uint64], at: npt.NDArray[np.int64], made: npt.NDArray[np.int64]
    ) -> list[_Try]:
        """The next attempts at the first half at which labels wait; where a pass is dear, at all of them.

        A few labels take many attempts: the fewer wait, the fewer rows there are and the more were made in vain, the
        more are made at once.
        """
        free = FREE if on_processor(self.limits) else FREE_ELSEWHERE
        halves = np.unique(at[at < len(self.after)]).tolist()[: None if is_chunked(self.limits) else 1]
        numbers = max(free, SHARE * len(seeds) * n_rows(self.limits)) / len(halves)
        tries = []
        for j in halves:
            which = np.flatnonzero(at == j)
            affordable = numbers / (len(which) * _size(half(j), n_rows(self.limits)))
            more = np.arange(int(np.clip(affordable, 1, max(FIRST_ATTEMPTS, 4 * int(made[which].max())))))
            tries.append(_Try(j, which, seeds[which, None], made[which, None] + more))
        return tries


@dataclass(frozen=True, eq=False)
class _Try:
    """Attempts at the j-th half for some labels: their positions, seeds, and the numbers of the attempts of each."""

    j: int
    which: npt.NDArray[np.int64]
    seeds: npt.NDArray[np.uint64]
    attempts: npt.NDArray[np.int64]

    @cached_property
    def keys(self) -> npt.NDArray[np.int64]:
        return keys_of(self.seeds, self.attempts)


def _size(rows: slice, count: int) -> int:
    return len(range(*rows.indices(count)))


def _powers(numbers: Rows, limits: Rows, depth: int) -> Rows:
    return _powers_by_half(rounded(limits), int(numbers[0]), depth)


def _powers_by_half(p: Rows, first: int, depth: int) -> Rows:
    """Sums of powers over each half and over what is left: shape (POWERS, depth + 1)."""
    level = min(depth, CLASS_BITS)
    by_class, xp = power_sums(p, first, 2**level), namespace(p)
    found = [xp.sum(by_class[:, half(j)], axis=1) for j in range(level)]
    if level == depth:
        return xp.stack([*found, xp.sum(by_class[:, rest(level)], axis=1)], axis=1)
    left = rest(level, first)  # whose halves are those of rows numbered anew
    deeper = _powers_by_half(p[left], (first + left.start) >> level, depth - level)
    return xp.concat([xp.stack(found, axis=1), deeper], axis=1)


def _laws(numbers: Rows, limits: Rows, halves: list[int]) -> dict[int, Law]:
    """Laws of the numbers of ones in some halves, in one pass."""
    if not halves:
        return {}
    chunks = each_chunk(partial(_chunk_laws, halves=halves), numbers, limits)
    return {j: reduce(Law.plus, laws) for j, laws in zip(halves, zip(*chunks, strict=True), strict=True)}


def _chunk_laws(numbers: Rows, limits: Rows, halves: list[int]) -> list[Law]:
    first = int(numbers[0])
    return [law_of_labels(rounded(limits[half(j, first)])) for j in halves]


def _counts(numbers: Rows, limits: Rows, tried: list[tuple[int, npt.NDArray[np.int64]]]) -> Rows:
    """Ones in a half for each of its keys, for several halves one after another."""
    counts = [_count(numbers, limits, j, keys) for j, keys in tried]
    return counts[0] if len(counts) == 1 else namespace(limits).concat(counts)


def _count(numbers: Rows, limits: Rows, j: int, keys: npt.NDArray[np.int64]) -> Rows:
    rows = half(j, int(numbers[0]))
    numbers, limits, own = numbers[rows], limits[rows], move_to(keys, limits)
    xp = namespace(limits)

    def count(part: slice) -> Rows:
        ones = below(numbers[part], limits[part], own)
        return xp.count_nonzero(ones, axis=1) if xp.isdtype(ones.dtype, "bool") else xp.sum(ones, axis=1)

    counts = each_step(count, _steps(limits, len(keys)), limits)
    return sum(counts[1:], counts[0])


def _labels(numbers: Rows, limits: Rows, keys: npt.NDArray[np.int64], last: Labels) -> Labels:
    """Labels of a chunk of rows: of each half by its key, and of what is left as drawn."""
    xp, where = place_of(limits)
    (size, depth), first = keys.shape, int(numbers[0])
    labels = xp.empty((size, n_rows(limits)), dtype=xp.int8, **where)
    for j in range(depth):
        _fill(labels, half(j, first), numbers, limits, keys[:, j])
    rows = rest(depth, first)
    begin = (first + rows.start) >> depth
    labels[:, rows] = move_to(last[:, begin : begin + _size(rows, n_rows(limits))], limits)
    return labels


def independent_labels(numbers: Rows, limits: Rows, keys: npt.NDArray[np.int64]) -> Labels:
    """Labels of a chunk of rows, each by itself."""
    xp, where = place_of(limits)
    labels = xp.empty((len(keys), n_rows(limits)), dtype=xp.int8, **where)
    _fill(labels, slice(0, None, 1), numbers, limits, keys)
    return labels


def _fill(labels: Labels, rows: slice, numbers: Rows, limits: Rows, keys: npt.NDArray[np.int64]) -> None:
    xp = namespace(limits)
    own, numbers, limits = move_to(keys, limits), numbers[rows], limits[rows]

    def fill(part: slice) -> None:
        at = slice(rows.start + part.start * rows.step, rows.start + (part.stop - 1) * rows.step + 1, rows.step)
        labels[:, at] = xp.astype(below(numbers[part], limits[part], own), xp.int8)

    each_step(fill, _steps(limits, len(keys)), limits)


def _steps(limits: Rows, keys: int) -> list[slice]:
    """Parts of the rows for which the random numbers of all keys stay near the processor."""
    return steps_of(n_rows(limits), max(512, work_size(limits) // (max(1, keys) * (4 if on_processor(limits) else 1))))
