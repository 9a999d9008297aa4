"""The outcome itself, on a scale on which its mean says something: numbers in robust units, shares of classes.

A kernel's features hold the whole distribution; the plainest difference, one of means, is seen best in the outcome
itself. What that is depends on the column, and is said in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtri

from condmmd.backend import Array, Rows, as_float, interpolate, map_rows, move_to, namespace, to_host
from condmmd.data import Table

__all__ = ["OutcomeScale", "outcome_scale"]

# Beyond so many robust deviations from the median a mean is that of a few rows; then ranks are compared.
FAR = 12.0
# Classes of one outcome, at most; the others are taken together.
MAX_CLASSES = 20


@dataclass(frozen=True, eq=False)
class _Number:
    """A number in units of its spread, or its normal score: ``knots`` and ``scores`` describe a monotone function."""

    position: int
    knots: Array
    scores: Array
    words: str
    width: int = 1

    def __call__(self, values: Rows) -> Rows:
        column: Rows = interpolate(values[:, self.position], self.knots, self.scores)
        return column[:, None]


@dataclass(frozen=True, eq=False)
class _Classes:
    """Indicators of the classes of a category; of two classes one says it all."""

    position: int
    codes: Array
    scale: float
    words: str

    @property
    def width(self) -> int:
        return len(self.codes)

    def __call__(self, values: Rows) -> Rows:
        codes = move_to(self.codes, values)
        indicators: Rows = as_float(values[:, self.position : self.position + 1] == codes[None, :])
        return indicators * self.scale


@dataclass(frozen=True, eq=False)
class OutcomeScale:
    """Every outcome column on its scale, side by side."""

    parts: tuple[_Number | _Classes, ...]

    @property
    def width(self) -> int:
        """Columns of the result."""
        return sum(part.width for part in self.parts)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Columns of the result that are numbers, which have a spread of their own."""
        starts = np.cumsum([0, *(part.width for part in self.parts)])
        return tuple(int(start) for start, part in zip(starts, self.parts, strict=False) if isinstance(part, _Number))

    @property
    def words(self) -> str:
        """What is averaged."""
        return ", ".join(part.words for part in self.parts)

    def __call__(self, values: Rows) -> Rows:
        """The outcomes of all rows on their scales."""
        return map_rows(partial(_apply, parts=self.parts), values, columns=self.width)


def _apply(values: Rows, parts: tuple[_Number | _Classes, ...]) -> Rows:
    joined: Rows = namespace(values).concat([part(values) for part in parts], axis=1)
    return joined


def outcome_scale(table: Table) -> OutcomeScale:
    """Choose the scale of each column from the pooled rows; the labels are not looked at."""
    parts: list[_Number | _Classes] = []
    for position, column in enumerate(table.columns):
        values = table.sample[:, position]
        if column.categories is None:
            parts.append(_number(values, position, column.name))
        else:
            codes, counts = np.unique(values, return_counts=True)
            largest = codes[np.argsort(-counts, kind="stable")][:MAX_CLASSES]
            kept = np.sort(largest)[1:] if len(codes) == 2 else np.sort(largest)
            parts.append(_Classes(position, kept, 2.0, f"the shares of {column.name}"))
    return OutcomeScale(tuple(parts))


def _number(values: Array, position: int, name: str) -> _Number:
    """In robust units, if no value is far out on them; else by ranks."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    spread = float(values.std())
    quartiles = float(high - low) / 1.349
    unit = min(spread, quartiles) if quartiles > 0 else spread
    if unit <= 0:
        return _Number(position, np.array([0.0, 1.0]), np.zeros(2), f"the mean of {name}")
    smallest, largest = float(values.min()), float(values.max())
    if max(largest - middle, middle - smallest) <= FAR * unit:
        ends = np.array([smallest, largest])
        return _Number(position, ends, (ends - middle) / unit, f"the mean of {name}")
    distinct, counts = np.unique(values, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2
    scores = np.asarray(ndtri((rank - 0.5) / len(values)))
    return _Number(position, distinct, to_host(scores), f"the mean rank of {name}")
