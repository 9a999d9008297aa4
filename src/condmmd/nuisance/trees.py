"""Trees in bags: grown by scikit-learn on some of the rows each, and asked about rows that they have not seen.

A category is ordered, for each tree anew, by the mean of what the tree predicts over the rows of its bag: one split can
then set any of its many values apart, and a row that is not in the bag has no part in the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    Array,
    Rows,
    as_float,
    content_order,
    for_each,
    map_rows,
    move_to,
    n_rows,
    namespace,
    place_of,
    take,
    to_host,
)
from condmmd.data import Table

__all__ = ["Bags", "Growth", "grow"]

# A bag has at most so many rows: from there on more trees are worth more than larger ones.
MAX_BAG = 4000


@dataclass(frozen=True)
class Growth:
    """How trees are grown: how many, rows in a leaf at least, and a limit to their depth, if any."""

    trees: int
    leaf: int
    depth: int | None = None


class _Tree(NamedTuple):
    """One tree, the rows of its bag with how often each is in it, and the order of each column's categories."""

    grown: Any
    rows: npt.NDArray[np.int64]
    counts: Array
    orders: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Bags:
    """Trees, and the rows on which they were grown."""

    table: Table
    trees: tuple[_Tree, ...]

    def out_of_bag(self, values: Array) -> Array:
        """For each row the mean of ``values`` in its leaf, over the trees that have not seen it.

        A row that every tree has seen gets the mean of all rows.
        """
        sums, seen = np.zeros_like(values), np.zeros(len(values))
        for tree, leaves in zip(self.trees, self._leaves(), strict=True):
            outside = np.ones(len(values), dtype=bool)
            outside[tree.rows] = False
            sums[outside] += _leaf_means(tree, leaves[tree.rows], values[tree.rows])[leaves[outside]]
            seen += outside
        known = seen > 0
        sums[known] /= seen[known, None]
        sums[~known] = values.mean(axis=0)
        return sums

    def _leaves(self) -> list[npt.NDArray[np.int64]]:
        values = to_host(self.table.values)

        def leaves(tree: _Tree) -> npt.NDArray[np.int64]:
            return np.asarray(tree.grown.apply(_columns(values, self.table, tree.orders).astype(np.float32)))

        return for_each(leaves, self.trees)

    def walk(self, rows: Rows) -> Rows:
        """The leaf of each of other rows, wherever they are, in every tree."""
        plain = [_PlainTree.of(tree) for tree in self.trees]
        return map_rows(partial(_walk_all, table=self.table.head(), trees=plain), rows, columns=len(plain))

    def at_leaves(self, leaves: Rows, values: Array) -> Rows:
        """For each of other rows the mean over trees of ``values``, which are of the trees' own rows, in its leaf."""
        means = [
            _leaf_means(tree, own[tree.rows], values[tree.rows])
            for tree, own in zip(self.trees, self._leaves(), strict=True)
        ]
        return map_rows(partial(_mean_of_leaves, means=means), leaves, columns=values.shape[1])


def grow(table: Table, target: Array, growth: Growth) -> Bags:
    """Grow trees that predict the columns of ``target`` from those of the table, whose rows are in memory."""
    from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415 - a slow import

    values, target = to_host(table.values), _rounded(target)
    single = target[:, 0] if target.shape[1] == 1 else target
    order = content_order(values, target[:, 0])

    def one(number: int) -> _Tree:
        rows, counts = _bag(order, number)
        orders = tuple(_order(values[rows, j], target[rows, 0], counts, _codes(table, j)) for j in table.categorical)
        model = DecisionTreeRegressor(min_samples_leaf=growth.leaf, max_depth=growth.depth, random_state=number)
        columns = _columns(values[rows], table, orders).astype(np.float32)
        model.fit(columns, single[rows], sample_weight=counts, check_input=False)
        return _Tree(model.tree_, rows, counts, orders)

    return Bags(table, tuple(for_each(one, range(growth.trees))))


def _rounded(target: Array) -> Array:
    """In units of its spread, without the last digits: these depend on who multiplied, and a tie may hang on them."""
    scale = target.std(axis=0)
    return np.round(target / np.where(scale > 0, scale.max(), 1.0), 5)


def _bag(order: npt.NDArray[np.int64], number: int) -> tuple[npt.NDArray[np.int64], Array]:
    """Rows drawn with replacement, as many as there are; of many rows some of them, each once.

    They are drawn by their place in ``order``, so that it does not matter in which order the user has them.
    """
    count = len(order)
    rng = np.random.default_rng([number, count])
    if count > 2 * MAX_BAG:
        return order[np.sort(rng.choice(count, MAX_BAG, replace=False, shuffle=False))], np.ones(MAX_BAG)
    often = np.bincount(rng.integers(0, count, count), minlength=count)
    places = np.flatnonzero(often)
    return order[places], often[places].astype(np.float64)


def _codes(table: Table, position: int) -> int:
    return len(table.columns[position].categories or ())


def _order(codes: Array, target: Array, counts: Array, size: int) -> Array:
    """For each category the mean of the target in the bag; of those that are not in it, the mean of all."""
    index = codes.astype(np.int64)
    weights = np.bincount(index, weights=counts, minlength=size)
    sums = np.bincount(index, weights=counts * target, minlength=size)
    mean = float(sums.sum() / weights.sum())
    return np.where(weights > 0, sums / np.maximum(weights, 1.0), mean)


def _columns(values: Rows, table: Table, orders: tuple[Array, ...]) -> Any:
    """Numbers as they are, and categories by their place in a tree's order."""
    xp = namespace(values)
    parts = [take(values, table.numeric, axis=1)] if table.numeric else []
    for j, order in zip(table.categorical, orders, strict=True):
        codes = xp.astype(values[:, j], xp.int64)
        parts.append(xp.take(move_to(order, values), codes)[:, None])
    return xp.concat(parts, axis=1)


def _leaf_means(tree: _Tree, leaves: npt.NDArray[np.int64], values: Array) -> Array:
    """The mean of ``values`` over the rows of the bag in each leaf; 0 at inner nodes."""
    width, nodes = values.shape[1], tree.grown.node_count
    place = leaves[:, None] * width + np.arange(width)
    sums = np.bincount(place.ravel(), weights=(values * tree.counts[:, None]).ravel(), minlength=nodes * width)
    weights = np.bincount(leaves, weights=tree.counts, minlength=nodes)
    return sums.reshape(nodes, width) / np.maximum(weights, 1e-300)[:, None]


class _PlainTree(NamedTuple):
    """A tree in arrays, which any library can walk: at a leaf both ways lead back to it."""

    feature: npt.NDArray[np.int64]
    threshold: Array
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    depth: int
    orders: tuple[Array, ...]

    @classmethod
    def of(cls, tree: _Tree) -> _PlainTree:
        grown, here = tree.grown, np.arange(tree.grown.node_count)
        inner = grown.children_left >= 0
        return cls(
            np.where(inner, grown.feature, 0), grown.threshold, np.where(inner, grown.children_left, here),
            np.where(inner, grown.children_right, here), int(grown.max_depth), tree.orders,
        )  # fmt: skip


def _walk_all(values: Rows, table: Table, trees: list[_PlainTree]) -> Rows:
    found = [_walk(_columns(values, table, tree.orders), tree) for tree in trees]
    leaves: Rows = as_float(namespace(values).stack(found, axis=1))
    return leaves


def _walk(columns: Rows, tree: _PlainTree) -> Any:
    """The leaf of each row."""
    xp = namespace(columns)
    feature, threshold, left, right = (move_to(part, columns) for part in tree[:4])
    flat, width = xp.reshape(columns, (-1,)), columns.shape[1]
    start = xp.arange(n_rows(columns), dtype=xp.int64, **place_of(columns)[1]) * width
    node = 0 * start
    for _ in range(tree.depth):
        goes_left = xp.take(flat, start + xp.take(feature, node)) <= xp.take(threshold, node)
        node = xp.where(goes_left, xp.take(left, node), xp.take(right, node))
    return node


def _mean_of_leaves(leaves: Rows, means: list[Array]) -> Rows:
    xp = namespace(leaves)
    total: Any = 0.0
    for k, mean in enumerate(means):
        total = total + xp.take(move_to(mean, leaves), xp.astype(leaves[:, k], xp.int64), axis=0)
    found: Rows = total / len(means)
    return found
