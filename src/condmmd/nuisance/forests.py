"""Residuals that trees have seen: a forest out of its bags, and a ridge on what it leaves.

Where an edge or an interaction drives both the labels and the outcomes, no smooth kernel takes it away, and what is
left of it is a false alarm that grows with the rows. A forest finds edges, and a ridge then finds what is smooth or
linear. A row is predicted by the trees that have not seen it, and by the ridge without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from condmmd.backend import (
    AnyArray,
    Array,
    Rows,
    map_rows,
    move_to,
    n_rows,
    namespace,
    square_sums,
    sum_rows,
    to_host,
    total,
)
from condmmd.data import Samples, Table
from condmmd.data.checks import check_count
from condmmd.embedding import Embedding
from condmmd.nuisance.bagging import MANY_ROWS, bagged, bagging_words, cells_of
from condmmd.nuisance.interactions import Cells
from condmmd.nuisance.pooled import PooledRegression
from condmmd.nuisance.residuals import Fit, Residualization
from condmmd.nuisance.trees import Growth
from condmmd.regression.regularization import GRID, cross_sums, cross_validation_error, largest_near_minimum

__all__ = ["Forests"]

# Directions of the outcomes' features that the trees predict: the leading ones, up to this share of their variance.
MAX_DIRECTIONS = 8
SHARE = 0.99
# Rows in a leaf: small leaves see edges and interactions, large ones add less noise where there is little to see.
SMALL_LEAF, LEAF, LARGE_LEAF = 5, 10, 40
FEW_ROWS = 1000
# Trees for columns of which those that were grown for the outcomes may know little, such as their spread.
ANEW_TREES = 50
# A row's own part in its prediction by the ridge is taken out up to here.
MOST_LEVERAGE = 0.95


@dataclass(frozen=True)
class Forests:
    """Take away what a forest, and a ridge on what it leaves, predict of the outcomes.

    Where only two or three columns together say anything, their cells are one more column for the trees.

    Above 100,000 rows a few trees of at most 256 leaves, grown on 20,000 of them, stand for the forest.

    Parameters
    ----------
    trees
        In the forest.
    leaf
        Rows in a leaf, at least; None: 10 (of fewer than 1,000 rows 5), or 40 where that predicts unseen rows better.

    Examples
    --------
    >>> from condmmd import Forests
    >>> Forests(trees=200)
    Forests(trees=200, leaf=None)
    """

    trees: int = 100
    leaf: int | None = None
    needs_pooled = True
    needs_columns = True

    def __post_init__(self) -> None:
        check_count(self.trees, "trees")
        if self.leaf is not None:
            check_count(self.leaf, "leaf")

    def fit(self, y: Embedding, samples: Samples, pooled: PooledRegression | None) -> Fit:
        """The outcomes' features less their predictions."""
        if pooled is None:
            raise ValueError("the pooled regression is missing.")
        count = n_rows(y.phi)
        mean = total(y.phi) / count
        V, spread = _directions(y.phi, mean)
        along = map_rows(partial(_along, mean=mean, V=V), y.phi, columns=V.shape[1])
        grown = self._best(samples.x, along)
        left = map_rows(partial(_less_along, mean=mean, V=V), y.phi, grown.predicted, columns=y.rank)
        residual = _less_ridge(pooled.features, left)
        explained = 1.0 - float(to_host(sum_rows(_squares, residual))) / (count * spread or 1.0)
        words = f"{grown.words}, then a ridge on {pooled.features.shape[1]} features"

        def less(values: Rows, predicted: Rows) -> Rows:
            return _less_ridge(pooled.features, map_rows(_minus, values, predicted, columns=values.shape[1]))

        def further(values: Rows) -> Rows:
            return less(values, grown.forest(values))

        def anew(values: Rows) -> Rows:
            own = _grown(samples.x, values, replace(grown.growth, trees=ANEW_TREES, leaf=LARGE_LEAF))
            known = grown.forest(values)
            error = float(to_host(sum_rows(_squared_difference, values, known)))
            return less(values, own.predicted if own.error < error else known)

        return Fit(replace(y, phi=residual), Residualization(words, explained), further, anew)

    def _best(self, x: Table, along: Rows) -> _Grown:
        """The forest that predicts better what its trees have not seen: of leaves of either size, with cells or not."""
        best = min((_grown(x, along, Growth(self.trees, leaf)) for leaf in self._leaves(n_rows(along))), key=_error)
        cells = cells_of(x, along)
        return min(best, _grown(x, along, best.growth, cells), key=_error) if cells else best

    def _leaves(self, count: int) -> tuple[int, ...]:
        if self.leaf is not None:
            return (self.leaf,)
        small = SMALL_LEAF if count < FEW_ROWS else LEAF
        return (small,) if count > MANY_ROWS else (small, LARGE_LEAF)


class _Grown(NamedTuple):
    """A forest, what it predicts of what it was grown for, and its error there."""

    growth: Growth
    forest: Callable[[Rows], Rows]
    predicted: Rows
    error: float
    words: str


def _grown(x: Table, along: Rows, growth: Growth, cells: tuple[Cells, ...] = ()) -> _Grown:
    forest = bagged(x, along, growth, cells)
    predicted = forest(along)
    error = float(to_host(sum_rows(_squared_difference, along, predicted)))
    words = bagging_words(n_rows(along), growth)
    if cells:
        words += ", with cells of " + " and ".join(cell.words(x) for cell in cells)
    return _Grown(growth, forest, predicted, error, words)


def _error(grown: _Grown) -> float:
    return grown.error


def _directions(psi: Rows, mean: AnyArray) -> tuple[Array, float]:
    """Leading directions of the features, as columns, and the mean square of all."""
    second = to_host(sum_rows(partial(_second, mean=mean), psi)) / n_rows(psi)
    variances, V = np.linalg.eigh(second)
    order = np.argsort(-variances)[:MAX_DIRECTIONS]
    share = np.cumsum(variances[order]) / max(float(variances.sum()), 1e-300)
    V = V[:, order[: int(np.searchsorted(share, SHARE)) + 1]]
    signs = np.sign(V[np.argmax(np.abs(V), axis=0), np.arange(V.shape[1])])
    return V * signs, float(variances.sum())


def _second(psi: Rows, mean: AnyArray) -> AnyArray:
    centred = psi - mean
    return centred.T @ centred


def _along(psi: Rows, mean: AnyArray, V: Array) -> Rows:
    return (psi - mean) @ move_to(V, psi)


def _less_along(psi: Rows, predicted: Rows, mean: AnyArray, V: Array) -> Rows:
    return psi - mean - predicted @ move_to(V, psi).T


def _minus(values: Rows, predicted: Rows) -> Rows:
    return values - predicted


def _squared_difference(values: Rows, predicted: Rows) -> AnyArray:
    return _squares(values - predicted)


def _squares(rows: Rows) -> AnyArray:
    squares: AnyArray = namespace(rows).sum(rows**2)
    return squares


def _less_ridge(features: Rows, left: Rows) -> Rows:
    """What is left less what a ridge regression on principal features says of it, each row by all others."""
    count = n_rows(left)
    mean = total(left) / count
    centred = map_rows(partial(_less_mean, mean=mean), left, columns=left.shape[1])
    sigma = sum_rows(square_sums, features) / count
    unit = float(namespace(sigma).sum(sigma))
    if unit <= 0:  # outcomes that are constant have no regression
        return centred
    M = cross_sums(features, centred)
    lambdas = GRID * unit
    lam = largest_near_minimum(lambdas, cross_validation_error(lambdas, features, centred, sigma, M)[0])
    shrink = 1.0 / (count * (sigma + lam))
    return map_rows(partial(_misfit, B=M * shrink[:, None], shrink=shrink), features, centred, columns=left.shape[1])


def _less_mean(rows: Rows, mean: AnyArray) -> Rows:
    return rows - mean


def _misfit(features: Rows, values: Rows, B: AnyArray, shrink: AnyArray) -> Rows:
    leverage = namespace(features).clip(features**2 @ shrink, 0.0, MOST_LEVERAGE)
    return (values - features @ B) / (1.0 - leverage)[:, None]
