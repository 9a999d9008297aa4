"""Windows over one covariate: bins of about equal numbers of rows, or categories; and sums over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Weights, as_float
from condmmd.data import Column

__all__ = ["BinSums", "Windows", "day", "make_windows", "span", "weighted"]

# A numeric covariate has this many bins at most, with at least this many rows each. A window is a bin and those beside
# it, with weights that fall off.
MAX_BINS = 40
MIN_BIN_ROWS = 20
FALL_OFF = 3
T = TypeVar("T")


@dataclass(frozen=True)
class Windows:
    """Bins of one covariate: each row's bin, and how bins are joined to windows."""

    column: Column
    of_row: npt.NDArray[np.int64]
    low: Array
    high: Array
    categories: tuple[str, ...]
    join: Array

    @property
    def count(self) -> int:
        return len(self.low)

    def part(self, bins: npt.NDArray[np.int64]) -> tuple[str, float | None, float | None, tuple[str, ...]]:
        """The covariate, and the range or the categories of some of its bins."""
        if self.categories:
            return self.column.name, None, None, tuple(self.categories[g] for g in bins)
        return self.column.name, float(self.low[bins[0]]), float(self.high[bins[-1]]), ()


def make_windows(values: Array, column: Column, count: int | None = None) -> Windows:
    """Categories; or bins of about equal numbers of rows, rows of one value in one bin, overlapping windows."""
    if column.categories is not None:
        codes, of_row = np.unique(values, return_inverse=True)
        names = tuple(column.categories[int(code)] for code in codes)
        return Windows(column, of_row, codes, codes, names, np.eye(len(codes)))
    count = count or max(2, min(MAX_BINS, len(values) // MIN_BIN_ROWS))
    from scipy.stats import rankdata  # noqa: PLC0415 - a slow import, for those who ask where

    middle = (rankdata(values) - 0.5) / len(values)
    codes, of_row = np.unique(np.floor(count * middle), return_inverse=True)
    count = len(codes)
    order = np.argsort(of_row, kind="stable")
    starts = np.searchsorted(of_row[order], np.arange(count))
    low, high = np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)
    distance = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    many = count > 2 * FALL_OFF and (low < high).any()
    join = np.maximum(FALL_OFF - distance, 0).astype(float) if many else np.eye(count)
    return Windows(column, of_row, low, high, (), join)


@dataclass(frozen=True, eq=False)
class BinSums:
    """Sums over the bins of one covariate, for many label vectors at once."""

    windows: Windows
    order: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    weight: Array
    values: Array

    @classmethod
    def of(cls, windows: Windows, values: Array, weights: Array) -> BinSums:
        order = np.argsort(windows.of_row, kind="stable")
        starts = np.searchsorted(windows.of_row[order], np.arange(windows.count + 1))
        return cls(
            windows, order, starts, np.bincount(windows.of_row, weights=weights).astype(np.float64), values[order]
        )

    def __call__(self, R: Weights) -> Array:
        """``sum_i R_bi values_i`` over each bin: shape (B, bins, columns)."""
        R = R[:, self.order]
        parts = [as_float(R[:, a:b]) @ self.values[a:b] for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]
        return np.stack(parts, axis=1)

    def means(self, features: Array) -> Array:
        """Weighted means in each window of features that every draw has anew: (B, rows, q) to (B, windows, q)."""
        return self.windowed(np.add.reduceat(features[:, self.order], self.starts[:-1], axis=1))

    def windowed(self, sums: Array) -> Array:
        """Weighted mean difference in each window."""
        weight = np.maximum(self.windows.join @ self.weight, 1e-12)
        return np.einsum("gh,bhk->bgk", self.windows.join, sums) / weight[:, None]


def span(low: float, high: float, *, dates: bool = False) -> str:
    """A range in as many digits as tell its ends well apart; of days since 1970 by their dates."""
    if dates:
        return f"= {day(low)}" if low == high else f"from {day(low)} to {day(high)}"
    if low == high:
        return f"= {low:.6g}"
    wide = max(abs(low), abs(high), 1e-300) / max(high - low, 1e-300)
    digits = int(np.clip(np.ceil(np.log10(wide)) + 3, 4, 16))
    return f"from {low:.{digits}g} to {high:.{digits}g}"


def day(value: float) -> str:
    """A number of days since 1970 as a date, with the time where there is one."""
    moment = np.datetime64(round(value * 86_400), "s")
    shown = str(moment.astype("datetime64[D]"))
    return shown if value == np.floor(value) else f"{shown} {str(moment)[11:16]}"


def weighted(function: Callable[..., T], weights: Array) -> T:
    """A function of rows and their weights, of the rows that have any."""
    rows = np.flatnonzero(weights > 0)
    return function(rows, weights[rows])
