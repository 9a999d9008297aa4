"""Predictions of any columns from X by trees that have not seen the row: out of their bags, or grown on some rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, n_rows, pick_rows, place_rows, sample_rows, to_host
from condmmd.data import Table
from condmmd.nuisance.interactions import Cells, find_cells, with_cells
from condmmd.nuisance.trees import Bags, Growth, grow

__all__ = ["MANY_ROWS", "bagged", "bagging_words", "cells_of"]

# Above so many rows a few small trees, grown on some of them, predict all: a forest would take most of a test's time.
MANY_ROWS = 100_000
GROWN_ROWS = 20_000
OF_MANY = Growth(trees=8, leaf=20, depth=8)
# Columns of the target by which the trees split.
MAX_TARGETS = 4


def bagged(x: Table, target: Rows, growth: Growth, cells: tuple[Cells, ...] = ()) -> Callable[[Rows], Rows]:
    """Trees grown to predict the first columns of ``target``; they then predict any columns with the same rows.

    ``cells`` are interactions that they may split by, as by a column.
    """
    some, few, own = _grown_rows(x, target)
    few = with_cells(few, cells)
    if n_rows(target) <= MANY_ROWS:
        return partial(_out_of_bag, bags=grow(few, own, growth))
    bags = grow(few, own, OF_MANY)
    leaves = bags.walk(with_cells(x, cells).values)

    def predict(values: Rows) -> Rows:
        return bags.at_leaves(leaves, to_host(pick_rows(values, some)))

    return predict


def cells_of(x: Table, target: Rows) -> tuple[Cells, ...]:
    """The interactions by which trees that predict ``target`` may want to split."""
    return find_cells(*_grown_rows(x, target)[1:])


def _grown_rows(x: Table, target: Rows) -> tuple[npt.NDArray[np.int64], Table, Array]:
    """The rows on which trees are grown, in memory: all, or of many some."""
    count = n_rows(target)
    if count <= MANY_ROWS:
        return np.arange(count), x.at(to_host(x.values)), to_host(target)[:, :MAX_TARGETS]
    some = sample_rows(count, GROWN_ROWS)
    return some, x.at(to_host(pick_rows(x.values, some))), to_host(pick_rows(target, some))[:, :MAX_TARGETS]


def _out_of_bag(values: Rows, bags: Bags) -> Rows:
    predicted: Rows = place_rows(bags.out_of_bag(to_host(values)), values)
    return predicted


def bagging_words(count: int, growth: Growth) -> str:
    """How ``count`` rows are predicted."""
    if count <= MANY_ROWS:
        return f"a forest of {growth.trees} trees with leaves of {growth.leaf}, out of bag"
    return f"{OF_MANY.trees} trees grown on {GROWN_ROWS:,} of the rows, as they are many"
