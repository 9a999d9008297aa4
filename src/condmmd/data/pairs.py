"""Two outcomes on the same units, in one coding: what is compared row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from condmmd.backend import Rows, as_float, map_rows, move_to, n_rows, namespace, take, to_host, together
from condmmd.data.identifiers import check_identifiers
from condmmd.data.reading import read_table
from condmmd.data.row_order import check_order
from condmmd.data.samples import warn_constant
from condmmd.data.table import Column, Table

__all__ = ["Pairs", "check_same_rows", "one_named", "read_pairs"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Covariates and two outcomes a row, checked; a category has one code in both."""

    x: Table
    first: Table
    second: Table

    def some_outcomes(self, at_most: int) -> Table:
        """Outcomes of both kinds, from so many rows at most: what a kernel of them is chosen by."""
        rows = np.concatenate([self.first.some(at_most), self.second.some(at_most)])
        return Table(rows, self.first.columns, self.first.argument, self.first.from_frame)


def read_pairs(X: Any, Y1: Any, Y2: Any, **beside: Any) -> Pairs:
    """Read and check covariates and both outcomes before any work starts."""
    check_order({"X": X, "Y1": Y1, "Y2": Y2, **beside})
    x, first, second = read_table(X, "X"), read_table(Y1, "Y1"), read_table(Y2, "Y2")
    check_same_rows(x, first, second)
    first, second = _one_coding(first, second)
    warn_constant(x)
    check_identifiers(x)
    own = together([x.values, first.values, second.values])
    return Pairs(x.at(own[0]), first.at(own[1]), second.at(own[2]))


def check_same_rows(*tables: Table) -> None:
    """A row of each table for every row of the others."""
    counts = {table.argument: n_rows(table.values) for table in tables}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"`{name}` has {count}" for name, count in counts.items())
        raise ValueError(f"{' and '.join(counts)} must have the same number of rows: {told}.")
    if min(counts.values()) < 2:
        raise ValueError(f"`{tables[0].argument}` has 1 row, and at least 2 are needed to compare anything.")


def one_named(table: Table, name: str) -> Table:
    """A single column of an array by a plain name: "y" for "y0"."""
    if table.from_frame or len(table.columns) > 1:
        return table
    return replace(table, columns=(replace(table.columns[0], name=name),))


def _one_coding(first: Table, second: Table) -> tuple[Table, Table]:
    """The same columns in the same order, by name where both have the same names, and the same codes."""
    if len(first.columns) != len(second.columns):
        raise ValueError(
            f"`Y1` has {len(first.columns)} column(s) and `Y2` {len(second.columns)}; they must be the same outcomes."
        )
    if first.from_frame and second.from_frame and set(first.names) == set(second.names):
        second = second.select(tuple(second.names.index(name) for name in first.names))
    joined = tuple(_one_column(a, b) for a, b in zip(first.columns, second.columns, strict=True))
    return _recoded(first, joined), _recoded(second, joined)


def _one_column(a: Column, b: Column) -> Column:
    if (a.categories is None) != (b.categories is None):
        number, other = ("Y1", "Y2") if a.categories is None else ("Y2", "Y1")
        raise TypeError(
            f"column '{a.name}' is a number in `{number}` and a category in `{other}`; convert one of them."
        )
    if a.categories is None or b.categories is None or a.categories == b.categories:
        return a
    return Column(a.name, tuple(sorted({*a.categories, *b.categories})))


def _recoded(table: Table, columns: tuple[Column, ...]) -> Table:
    """The same rows in the codes of other categories."""
    values = table.values
    if any(old.categories != new.categories for old, new in zip(table.columns, columns, strict=True)):
        codes = tuple(_codes(old, new) for old, new in zip(table.columns, columns, strict=True))
        values = map_rows(partial(_looked_up, codes=codes), values, columns=len(columns))
    names = tuple(replace(new, name=old.name) for old, new in zip(table.columns, columns, strict=True))
    return Table(values, names, table.argument, table.from_frame)


def _codes(old: Column, new: Column) -> list[float] | None:
    if old.categories is None or new.categories is None or old.categories == new.categories:
        return None
    return [float(new.categories.index(name)) for name in old.categories]


def _looked_up(values: Rows, codes: tuple[list[float] | None, ...]) -> Rows:
    columns = []
    for j, known in enumerate(codes):
        column = values[:, j]
        if known is not None:
            column = move_to(np.asarray(take(np.asarray(known), to_host(column).astype(np.int64))), values)
        columns.append(as_float(column))
    stacked: Rows = namespace(values).stack(columns, axis=1)
    return stacked
