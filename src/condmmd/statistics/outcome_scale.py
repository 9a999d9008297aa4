"""The outcome itself, on a scale on which its mean says something: units, logarithms, ranks, shares.

A kernel's features hold the whole distribution; the plainest difference, one of means, is seen best in the outcome
itself. What that is depends on the column, and is said in words. All columns come in units of about their own spread,
a class or a pile of equal values with all its parts as one, so that none of several outcomes drowns the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from condmmd.backend import Array, Rows, as_float, interpolate, map_rows, move_to, namespace
from condmmd.data import Column, Table

__all__ = ["OutcomeScale", "listed", "outcome_scale"]

# Beyond so many robust deviations from the median a mean is that of a few rows; then ranks are compared.
FAR = 12.0
# Classes of one outcome, at most; the others are taken together.
MAX_CLASSES = 20
# Numbers that are not negative and more skewed than an exponential law are looked at on a logarithmic scale.
SKEWED = 2.0
# One value is something of its own (no spending, no days of work) if it holds this share of the rows, and so many times
# as many rows as any other value: the zeros of a count that is small anyway do not.
PILE = (0.1, 0.9)
PILE_TIMES = 4
# The unit of a share is no smaller than that of a class with this share of the rows, so that no single row stands out.
RARE = 0.02
# Columns named in a sentence.
MAX_NAMED = 3


@dataclass(frozen=True, eq=False)
class _Number:
    """A monotone function of a number: its logarithm, if ``plus`` is not None, then the line through the knots."""

    position: int
    name: str
    words: str
    knots: Array
    scores: Array
    plus: float | None = None
    width: int = 1
    numbers: tuple[int, ...] = (0,)

    def __call__(self, values: Rows) -> Rows:
        column = values[:, self.position]
        if self.plus is not None:
            xp = namespace(column)
            low, high = (float(end) for end in np.exp(self.knots[[0, -1]]))
            column = xp.log(xp.clip(column + self.plus, low, high))
        found: Rows = interpolate(column, self.knots, self.scores)
        return found[:, None]

    def further(self) -> _Number:
        """The same, with its line drawn out as far again at both ends; of a logarithm at the upper one."""
        if len(self.knots) > 2:
            return self
        ends = np.array([-1.0 if self.plus is None else 0.0, 1.0])
        return replace(
            self, knots=self.knots + ends * np.diff(self.knots), scores=self.scores + ends * np.diff(self.scores)
        )


@dataclass(frozen=True, eq=False)
class _Classes:
    """Indicators of values; with ``others``, one more for the values that are none of them."""

    position: int
    name: str
    words: str
    codes: Array
    scale: float
    others: bool = False
    numbers: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        return len(self.codes) + self.others

    def __call__(self, values: Rows) -> Rows:
        xp, codes = namespace(values), move_to(self.codes, values)
        indicators: Rows = as_float(values[:, self.position : self.position + 1] == codes[None, :])
        if self.others:
            indicators = xp.concat([indicators, 1 - xp.sum(indicators, axis=1, keepdims=True)], axis=1)
        return indicators * self.scale

    def further(self) -> _Classes:
        return self


@dataclass(frozen=True, eq=False)
class _Pile:
    """Whether a number has the one value that many rows have, and what it is if it has not (0 if it has)."""

    share: _Classes
    rest: _Number
    scale: float
    width: int = 2
    numbers: tuple[int, ...] = (1,)

    @property
    def name(self) -> str:
        return self.share.name

    @property
    def words(self) -> str:
        return f"{self.share.words} and {self.rest.words} of the rest"

    def __call__(self, values: Rows) -> Rows:
        xp = namespace(values)
        share, rest = self.share(values), self.rest(values) * self.scale
        joined: Rows = xp.concat([share, xp.where(share > 0, xp.zeros_like(rest), rest)], axis=1)
        return joined

    def further(self) -> _Pile:
        return replace(self, rest=self.rest.further())


_Part: TypeAlias = _Number | _Classes | _Pile


@dataclass(frozen=True, eq=False)
class OutcomeScale:
    """Every outcome column on its scale, side by side."""

    parts: tuple[_Part, ...]

    @property
    def width(self) -> int:
        """Columns of the result."""
        return sum(part.width for part in self.parts)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Columns of the result that are numbers; the spread of a share says no more than the share."""
        starts = np.cumsum([0, *(part.width for part in self.parts)])
        return tuple(int(starts[k]) + column for k, part in enumerate(self.parts) for column in part.numbers)

    @property
    def number_names(self) -> tuple[str, ...]:
        """The outcomes that these are of."""
        return tuple(part.name for part in self.parts if part.numbers)

    @property
    def views(self) -> tuple[tuple[str, slice], ...]:
        """What is averaged, in words, and its columns: all outcomes together, or the two sides of a single one."""
        if len(self.parts) == 1 and isinstance(self.parts[0], _Pile):
            pile = self.parts[0]
            return (pile.share.words, slice(0, 1)), (f"{pile.rest.words} of the rest", slice(1, 2))
        return ((listed(tuple(part.words for part in self.parts)), slice(0, self.width)),)

    def further(self) -> OutcomeScale:
        """The same for outcomes beyond those that it was chosen by, which would be taken for the last of them."""
        return OutcomeScale(tuple(part.further() for part in self.parts))

    def __call__(self, values: Rows) -> Rows:
        """The outcomes of all rows on their scales."""
        return map_rows(partial(_apply, parts=self.parts), values, columns=self.width)


def _apply(values: Rows, parts: tuple[_Part, ...]) -> Rows:
    joined: Rows = namespace(values).concat([part(values) for part in parts], axis=1)
    return joined


def listed(words: tuple[str, ...]) -> str:
    """A few in a sentence."""
    shown = words if len(words) <= MAX_NAMED + 1 else words[:MAX_NAMED]  # "and 1 more" is no shorter than its name
    return ", ".join(shown) + (f" and {len(words) - len(shown)} more" if len(shown) < len(words) else "")


def outcome_scale(table: Table) -> OutcomeScale:
    """Choose the scale of each column from the pooled rows; the labels are not looked at."""
    return OutcomeScale(
        tuple(_part(table.sample[:, position], position, column) for position, column in enumerate(table.columns))
    )


def _part(values: Array, position: int, column: Column) -> _Part:
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) == 2:
        value = _shown(distinct[1]) if column.categories is None else column.categories[int(distinct[1])]
        return _share(values, position, column.name, float(distinct[1]), f"the share of {column.name} = {value}")
    if column.categories is not None:
        return _classes(distinct, counts, position, column.name)
    most = float(distinct[counts.argmax()])
    rest = values[values != most]
    if not _is_pile(counts, rest):
        return _number(values, position, column.name)
    of_what = f"zeros of {column.name}" if most == 0 else f"{column.name} = {_shown(most)}"
    share = _share(values, position, column.name, most, f"the share of {of_what}", parts=2)
    number = _number(rest, position, column.name, around_mean=True)
    return _Pile(share, number, float(np.sqrt(len(values) / len(rest) / 2)))


def _is_pile(counts: npt.NDArray[np.int64], rest: Array) -> bool:
    """Whether one of the values stands out, and the rest is more than one other value."""
    if len(counts) < 3:
        return False
    second, first = np.sort(counts)[-2:]
    low, high = np.quantile(rest, [0.25, 0.75])
    return bool(PILE[0] <= first / counts.sum() <= PILE[1] and first >= PILE_TIMES * second and low < high)


def _share(values: Array, position: int, name: str, value: float, words: str, parts: int = 1) -> _Classes:
    """The share of one value, in units of its deviation; less where it is one of several parts of a column."""
    share = min(max(float(np.mean(values == value)), RARE), 1 - RARE)
    return _Classes(position, name, words, np.array([value]), (share * (1 - share) * parts) ** -0.5)


def _classes(codes: Array, counts: npt.NDArray[np.int64], position: int, name: str) -> _Classes:
    """The shares of the classes, whose variances add up to 1."""
    largest = np.argsort(-counts, kind="stable")[:MAX_CLASSES]
    others = int(counts.sum() - counts[largest].sum())
    shares = np.append(counts[largest], others) / counts.sum()
    variance = 1 - float(shares @ shares)
    many = len(codes) > MAX_CLASSES
    words = f"the shares of the {MAX_CLASSES} largest classes of {name}" if many else f"the shares of {name}"
    return _Classes(position, name, words, np.sort(codes[largest]), max(variance, RARE) ** -0.5, others=many)


def _number(values: Array, position: int, name: str, *, around_mean: bool = False) -> _Number:
    """In robust units, of logarithms where these are less skewed, if no value is far out on them; else by ranks."""
    plus, words = _logarithm(values, name)
    bent = values if plus is None else np.log(values + plus)
    low, middle, high = np.quantile(bent, [0.25, 0.5, 0.75])
    spread = float(bent.std())
    quartiles = float(high - low) / 1.349
    unit = min(spread, quartiles) if quartiles > 0 else spread
    if unit <= 0:
        return _Number(position, name, f"the mean of {name}", np.array([0.0, 1.0]), np.zeros(2))
    ends = np.array([bent.min(), bent.max()])
    if np.abs(ends - middle).max() <= FAR * unit:
        centre = bent.mean() if around_mean else middle
        return _Number(position, name, f"the mean of {words}", ends, (ends - centre) / unit, plus)
    distinct, counts = np.unique(values, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2
    scores: Array = np.asarray(ndtri((rank - 0.5) / len(values)))
    return _Number(position, name, f"the mean rank of {name}", distinct, scores)


def _logarithm(values: Array, name: str) -> tuple[float | None, str]:
    """What to add to a number before its logarithm is taken, None for the number as it is; and words for that."""
    asymmetry = _skewness(values)
    if values.min() < 0 or asymmetry <= SKEWED:
        return None, name
    usual = float(np.median(values[values > 0]))
    candidates = [(usual, f"log(1 + {name} / {_shown(usual, 3)})")]
    if (values == np.round(values)).all():
        candidates.insert(0, (1.0, f"log(1 + {name})"))
    if values.min() > 0:
        candidates.append((0.0, f"log({name})"))
    best = min(candidates, key=lambda candidate: abs(_skewness(np.log(values + candidate[0]))))
    return best if abs(_skewness(np.log(values + best[0]))) < asymmetry else (None, name)


def _skewness(values: Array) -> float:
    """The third moment in units of the deviation; 0 where there is none to speak of."""
    from_mean = values - values.mean()
    deviation = float(values.std())
    return float(np.mean((from_mean / deviation) ** 3)) if deviation > 1e-12 * np.abs(values).max() else 0.0


def _shown(value: float, digits: int = 10) -> str:
    """A number in a name, in so many digits."""
    return f"{float(f'{value:.{digits}g}'):.10g}"
