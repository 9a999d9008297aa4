"""A table: one matrix of floats with a row for each row of the data, and what each column means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    Array,
    Rows,
    cached_property,
    column_span,
    is_chunked,
    n_rows,
    pick_rows,
    sample_rows,
    take,
    to_host,
)

__all__ = ["MAX_NAMED", "SAMPLE_ROWS", "Column", "Table", "listed"]

Value = TypeVar("Value")

# Rows from which lengthscales, ranks and kernels are chosen, at most: the same ones every time.
SAMPLE_ROWS = 65_536
# Columns named in a sentence.
MAX_NAMED = 8


def listed(names: tuple[str, ...]) -> str:
    """Columns in a sentence."""
    shown = ", ".join(name or "(no name)" for name in names[:MAX_NAMED])
    return shown if len(names) <= MAX_NAMED else f"{shown} and {len(names) - MAX_NAMED} more"


@dataclass(frozen=True)
class Column:
    """A column's name and, if it is categorical, its categories: the values are then their positions.

    The values of ``dates`` are days since 1970.
    """

    name: str
    categories: tuple[str, ...] | None = None
    dates: bool = False


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of one space (covariates or outcomes) as floats, categories as integer codes."""

    values: Rows
    columns: tuple[Column, ...]
    argument: str
    from_frame: bool = False
    _known: dict[Callable[[Table], Any], Any] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Without what was found out along the way."""
        return {
            "values": self.values,
            "columns": self.columns,
            "argument": self.argument,
            "from_frame": self.from_frame,
            "_known": {},
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the numeric columns."""
        return tuple(j for j, column in enumerate(self.columns) if column.categories is None)

    @property
    def categorical(self) -> tuple[int, ...]:
        """Positions of the categorical columns."""
        return tuple(j for j, column in enumerate(self.columns) if column.categories is not None)

    @property
    def chunked(self) -> bool:
        """Whether the rows are in chunks (dask)."""
        return is_chunked(self.values)

    @property
    def constant(self) -> tuple[str, ...]:
        """Names of the columns that have one value only."""
        low, high = self.span
        return tuple(column.name for column, is_same in zip(self.columns, low == high, strict=True) if is_same)

    @cached_property
    def span(self) -> tuple[Array, Array]:
        """Smallest and largest value of each column."""
        return column_span(self.values)

    @cached_property
    def sample(self) -> Array:
        """Values of some rows in NumPy, of all if they are not many: what is chosen from the data is chosen by them."""
        return to_host(pick_rows(self.values, sample_rows(n_rows(self.values), SAMPLE_ROWS)))

    def once(self, function: Callable[[Table], Value]) -> Value:
        """``function`` of this table, found when it is first asked for."""
        if function not in self._known:
            self._known[function] = function(self)
        known: Value = self._known[function]
        return known

    def some(self, at_most: int) -> Array:
        """Fewer of those."""
        return self.sample[sample_rows(len(self.sample), at_most)]

    def select(self, positions: tuple[int, ...]) -> Table:
        """Keep the columns at ``positions``, in that order."""
        columns = tuple(self.columns[j] for j in positions)
        return Table(take(self.values, positions, axis=1), columns, self.argument, self.from_frame)

    def at(self, values: Rows) -> Table:
        """The same columns with other rows, or with the same rows elsewhere."""
        return self if values is self.values else replace(self, values=values)

    def part(self, index: npt.NDArray[np.int64]) -> Table:
        """Some of the rows; what is chosen from the data stays as the whole table has it."""
        part = self.at(take(self.values, index))
        vars(part)["sample"] = self.sample  # in place of what would be computed
        return part

    def head(self) -> Table:
        """Keep the meaning of the columns, without the rows."""
        return Table(np.empty((0, len(self.columns))), self.columns, self.argument, self.from_frame)
