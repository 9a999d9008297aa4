"""Predictions of any columns from X by trees that have not seen the row: out of their bags, or grown on some rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from condmmd.backend import Rows, n_rows, pick_rows, place_rows, sample_rows, to_host
from condmmd.data import Table
from condmmd.nuisance.trees import Bags, Growth, grow

__all__ = ["MANY_ROWS", "bagged", "bagging_words"]

# Above so many rows a few small trees, grown on some of them, predict all: a forest would take most of a test's time.
MANY_ROWS = 100_000
GROWN_ROWS = 20_000
OF_MANY = Growth(trees=8, leaf=20, depth=8)
# Columns of the target by which the trees split.
MAX_TARGETS = 4


def bagged(x: Table, target: Rows, growth: Growth) -> Callable[[Rows], Rows]:
    """Trees grown to predict the first columns of ``target``; they then predict any columns with the same rows."""
    if n_rows(target) <= MANY_ROWS:
        bags = grow(x.at(to_host(x.values)), to_host(target)[:, :MAX_TARGETS], growth)
        return partial(_out_of_bag, bags=bags)
    some = sample_rows(n_rows(target), GROWN_ROWS)
    few = x.at(to_host(pick_rows(x.values, some)))
    bags = grow(few, to_host(pick_rows(target, some))[:, :MAX_TARGETS], OF_MANY)

    leaves = bags.walk(x.values)

    def predict(values: Rows) -> Rows:
        return bags.at_leaves(leaves, to_host(pick_rows(values, some)))

    return predict


def _out_of_bag(values: Rows, bags: Bags) -> Rows:
    predicted: Rows = place_rows(bags.out_of_bag(to_host(values)), values)
    return predicted


def bagging_words(count: int, growth: Growth) -> str:
    """How ``count`` rows are predicted."""
    if count <= MANY_ROWS:
        return f"a forest of {growth.trees} trees with leaves of {growth.leaf}, out of bag"
    return f"{OF_MANY.trees} trees grown on {GROWN_ROWS:,} of the rows, as they are many"
