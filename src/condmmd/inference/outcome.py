"""What comes of a test: a statistic, a p-value, and the same for each column by itself."""

from __future__ import annotations

from dataclasses import dataclass

from condmmd.backend import Array
from condmmd.data.on_screen import on_screen
from condmmd.statistics import StatisticColumn

__all__ = ["LevelResult", "Outcome", "level_results"]


@dataclass(frozen=True)
class LevelResult:
    """One level (with one kernel and lambda): its statistic CMMD_s^2 and its own p-value."""

    level: float
    statistic: float
    pvalue: float
    reg: str
    kernel_x: str
    kernel_y: str
    name: str = ""

    def __repr__(self) -> str:
        what = f", name='{self.name}'" if self.name else ""
        return on_screen(
            f"LevelResult(level={self.level:g}, statistic={self.statistic:.4g}, pvalue={self.pvalue:.4g}{what})"
        )


def level_results(columns: tuple[StatisticColumn, ...], observed: Array, pvalues: Array) -> tuple[LevelResult, ...]:
    """Each column with what was found for it."""
    return tuple(
        LevelResult(
            column.level, float(statistic), float(pvalue), column.reg, column.kernel_x, column.kernel_y, column.name
        )
        for column, statistic, pvalue in zip(columns, observed, pvalues, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a test.

    Attributes
    ----------
    statistic, pvalue
        Those of all columns, joined.
    null
        The joined statistic at each null draw; may be empty.
    by_level
        Each column by itself.
    n_resamples
        Null draws behind it.
    scheme
        How the null was made, in words.
    """

    statistic: float
    pvalue: float
    null: Array
    by_level: tuple[LevelResult, ...]
    n_resamples: int
    scheme: str
