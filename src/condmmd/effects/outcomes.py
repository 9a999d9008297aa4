"""What of each outcome is averaged: numbers as they are, and shares of classes. The labels are not looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from condmmd.backend import Array, to_host
from condmmd.data import Column, Table

__all__ = ["Outcome", "read_outcomes"]

# Classes of one outcome that have a share of their own, at most: the largest.
MAX_CLASSES = 20
# Where distribution functions are modelled: at these quantiles of all rows, or at every value if they are few. With
# many numbers no quantiles are compared, as each takes this many predictions.
GRID = np.array([1, 2.5, *range(5, 100, 5), 97.5, 99]) / 100
FEW_VALUES = 24
MAX_WITH_QUANTILES = 12


@dataclass(frozen=True, eq=False)
class Outcome:
    """One column of Y: a number, or classes with their shares.

    Attributes
    ----------
    name, position
        Of the column.
    kind
        "number"; "count" (whole numbers from 0 on, for which a ratio of means makes sense); or "classes".
    codes, classes
        The classes whose shares are compared, as numbers and in words; of two classes the later one.
    thresholds
        Of a number: where its distribution function is modelled; empty where no quantiles are compared.
    """

    name: str
    position: int
    kind: Literal["number", "count", "classes"]
    codes: Array
    classes: tuple[str, ...]
    thresholds: Array

    def columns(self, values: Array) -> Array:
        """What is averaged."""
        own = values[:, self.position]
        return own[:, None] if self.kind != "classes" else (own[:, None] == self.codes).astype(np.float64)


def read_outcomes(table: Table) -> tuple[Outcome, ...]:
    """Every column of the outcomes."""
    values, numbers = to_host(table.values), 0
    found = []
    for position, column in enumerate(table.columns):
        distinct, counts = np.unique(values[:, position], return_counts=True)
        name = column.name or "(no name)"
        if column.categories is not None or len(distinct) <= 2:
            largest = np.argsort(-counts, kind="stable")[:MAX_CLASSES]
            codes = distinct[-1:] if len(distinct) <= 2 else np.sort(distinct[largest])
            classes = tuple(_class_name(code, column) for code in codes)
            found.append(Outcome(name, position, "classes", codes, classes, np.empty(0)))
            continue
        numbers += 1
        kind: Literal["number", "count"] = "count" if _is_count(distinct) else "number"
        few = len(distinct) <= FEW_VALUES
        grid = distinct if few else np.unique(np.quantile(values[:, position], GRID, method="inverted_cdf"))
        thresholds = grid[grid < distinct[-1]] if numbers <= MAX_WITH_QUANTILES else np.empty(0)
        found.append(Outcome(name, position, kind, np.empty(0), (), thresholds))
    return tuple(found)


def _class_name(code: float, column: Column) -> str:
    return f"{code:.10g}" if column.categories is None else column.categories[int(code)]


def _is_count(distinct: Array) -> bool:
    """Whole numbers from 0 on."""
    return bool(distinct[0] == 0 and (distinct == np.round(distinct)).all())
