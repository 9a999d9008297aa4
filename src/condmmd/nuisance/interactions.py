"""Interactions that have no main effects: cells of two or three columns, where they say more than each column alone.

A tree splits by one column at a time, so it is blind where only two together say anything (the product of two signs).
Each pair, and each triple of few columns, is cut into cells; where the means of the cells differ by more than chance
the cells become a category, which trees order by their means like any other. No labels are involved but those that are
themselves to be predicted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc

from condmmd.backend import Array, Rows, as_float, map_rows, move_to, namespace, sample_rows, to_host
from condmmd.data import Column, Table

__all__ = ["Cells", "find_cells", "with_cells"]

# Rows that a cell has in the mean, and parts into which a number is cut at most.
CELL_ROWS = 12
MOST_PARTS = 8
# Of more columns than this no pairs, or no triples, are looked at: there are too many.
PAIRED_COLUMNS, TRIPLED_COLUMNS = 60, 12
# Chance of one false interaction over all that are tried, and how many are kept.
CHANCE = 0.01
MOST_KEPT = 6
# Times over the cuts of an interaction, and how much better another place of a cut must be, in logarithms of rows.
PASSES = 2
CLEARLY = 3.0
# Rows that are looked at.
MOST_ROWS = 10_000
# A category with more values is no part of a cell.
MOST_VALUES = 8


@dataclass(frozen=True)
class Cells:
    """Columns and where each is cut; a row's cell is its number among all combinations of parts."""

    columns: tuple[int, ...]
    cuts: tuple[tuple[float, ...], ...]

    @property
    def count(self) -> int:
        """How many cells there are."""
        return int(np.prod([len(cuts) + 1 for cuts in self.cuts]))

    def __call__(self, values: Rows) -> Rows:
        """The cell of each row."""
        xp = namespace(values)
        cell = 0.0 * values[:, 0]
        for j, cuts in zip(self.columns, self.cuts, strict=True):
            part = xp.sum(as_float(values[:, j, None] > move_to(np.array(cuts), values)[None, :]), axis=1)
            cell = cell * (len(cuts) + 1) + part
        return cell

    def codes(self, values: Array) -> npt.NDArray[np.int64]:
        """The same of rows in NumPy, as whole numbers."""
        return to_host(self(values)).astype(np.int64)

    def words(self, x: Table) -> str:
        """The columns of ``x`` that make them."""
        return " by ".join(x.columns[j].name for j in self.columns)


def with_cells(x: Table, cells: tuple[Cells, ...]) -> Table:
    """The table with a further category for each set of cells."""
    if not cells:
        return x
    columns = (*x.columns, *(Column(one.words(x), tuple(map(str, range(one.count)))) for one in cells))
    values = map_rows(partial(_beside, cells=cells), x.values, columns=len(columns))
    return replace(x, values=values, columns=columns)


def _beside(values: Rows, cells: tuple[Cells, ...]) -> Rows:
    joined: Rows = namespace(values).concat([values, *(one(values)[:, None] for one in cells)], axis=1)
    return joined


def find_cells(x: Table, target: Array) -> tuple[Cells, ...]:
    """The pairs and triples of columns whose cells say more of the target's columns than the columns alone do."""
    usable = [
        j for j, column in enumerate(x.columns)
        if column.categories is None or len(column.categories) <= MOST_VALUES
    ]  # fmt: skip
    some = sample_rows(len(target), MOST_ROWS)
    values = to_host(x.values)[some]
    left = _less_main_effects(values, x, target[some])
    found: list[Cells] = []
    for order, most in ((2, PAIRED_COLUMNS), (3, TRIPLED_COLUMNS)):
        if not order <= len(usable) <= most or not left.shape[1]:  # a constant target has no interactions
            continue
        parts = _parts(len(values), order)
        cuts = {j: _cuts(values[:, j], x.columns[j], parts) for j in usable}
        own = [Cells(columns, tuple(cuts[j] for j in columns)) for columns in combinations(usable, order)]
        kept = [_refined(cells, x, values, left) for cells in _told(own, values, left)[:MOST_KEPT]]
        for cells in kept:
            left = left - _cell_means(cells.codes(values), cells.count, left)
        found += kept
    return tuple(found[:MOST_KEPT])


def _parts(count: int, order: int) -> int:
    """Into how many parts a number is cut: an even number, so that its middle is a cut."""
    return int(np.clip((count / CELL_ROWS) ** (1 / order) // 2 * 2, 2, MOST_PARTS))


def _cuts(values: Array, column: Column, parts: int) -> tuple[float, ...]:
    if column.categories is not None:
        return tuple(np.arange(len(column.categories) - 1) + 0.5)
    cuts = np.unique(np.quantile(values, np.arange(1, parts) / parts, method="inverted_cdf"))
    return tuple(map(float, cuts[cuts < values.max()]))


def _less_main_effects(values: Array, x: Table, target: Array) -> Array:
    """What the parts of each column by itself leave of the target, in units of its spread."""
    codes = []
    for j, column in enumerate(x.columns):
        if column.categories is not None:
            codes.append((values[:, j].astype(np.int64), len(column.categories)))
        else:
            parts = Cells((j,), (_cuts(values[:, j], column, MOST_PARTS),))
            codes.append((parts.codes(values), parts.count))
    left = target - target.mean(axis=0)
    for _ in range(2):
        for code, count in codes:
            left = left - _cell_means(code, count, left)
    spread = left.std(axis=0)
    some = spread > 1e-9 * max(float(target.std()), 1e-300)
    return left[:, some] / spread[some]


def _cell_means(code: npt.NDArray[np.int64], count: int, values: Array) -> Array:
    """For each row the mean of its cell."""
    rows = np.maximum(np.bincount(code, minlength=count), 1)
    sums = np.stack([np.bincount(code, weights=column, minlength=count) for column in values.T], axis=1)
    return (sums / rows[:, None])[code]


def _refined(cells: Cells, x: Table, values: Array, left: Array) -> Cells:
    """The same cells with cuts where the means change, if that is clearly elsewhere than at a quantile."""
    for _ in range(PASSES):
        for at, j in enumerate(cells.columns):
            if x.columns[j].categories is not None:
                continue
            for k in range(len(cells.cuts[at])):
                cells = _moved(cells, at, k, values, left)
    return cells


def _moved(cells: Cells, at: int, k: int, values: Array, left: Array) -> Cells:
    """One cut of one column at its best place between its neighbours."""
    own, column = cells.cuts[at], values[:, cells.columns[at]]
    low = own[k - 1] if k else -np.inf
    high = own[k + 1] if k + 1 < len(own) else np.inf
    rows = np.flatnonzero((column > low) & (column <= high))
    rows = rows[np.argsort(column[rows], kind="stable")]
    others = Cells(_without(cells.columns, at), _without(cells.cuts, at))
    code = others.codes(values[rows])
    inside = (code[:, None] == np.arange(others.count)).astype(np.float64)
    below = np.cumsum(inside, axis=0)
    gain = np.zeros(len(rows))
    for target in left[rows].T:
        sums = np.cumsum(inside * target[:, None], axis=0)
        gain += np.sum(sums**2 / np.maximum(below, 1.0), axis=1)
        gain += np.sum((sums[-1] - sums) ** 2 / np.maximum(below[-1] - below, 1.0), axis=1)
    value = column[rows]
    gain = np.where(value[:-1] < value[1:], gain[:-1], -np.inf)  # between equal values there is no cut
    here = int(np.searchsorted(value, own[k], side="right")) - 1
    best = int(np.argmax(gain)) if len(gain) else here
    if not len(gain) or gain[best] <= gain[min(here, len(gain) - 1)] + CLEARLY * left.shape[1] * np.log(len(rows)):
        return cells
    cuts = (*own[:k], float(value[best] + value[best + 1]) / 2, *own[k + 1 :])
    return replace(cells, cuts=(*cells.cuts[:at], cuts, *cells.cuts[at + 1 :]))


def _without(parts: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return (*parts[:at], *parts[at + 1 :])


def _told(candidates: list[Cells], values: Array, left: Array) -> list[Cells]:
    """Those whose means differ by more than chance, the clearest first."""
    cuts = {j: own for cells in candidates for j, own in zip(cells.columns, cells.cuts, strict=True)}
    parts = {j: Cells((j,), (own,)).codes(values) for j, own in cuts.items()}
    found = []
    for cells in candidates:
        code = np.ravel_multi_index([parts[j] for j in cells.columns], [len(own) + 1 for own in cells.cuts])
        rows = np.bincount(code, minlength=cells.count)
        sums = [np.bincount(code, weights=column, minlength=cells.count) for column in left.T]
        between = float(np.sum(np.square(sums) / np.maximum(rows, 1)))
        free = (int((rows > 0).sum()) - 1) * left.shape[1]
        if free > 0:
            found.append((float(chdtrc(free, between)), -between, cells))
    limit = CHANCE / max(len(candidates), 1)
    return [cells for p, _, cells in sorted(found, key=lambda one: one[:2]) if p < limit]
