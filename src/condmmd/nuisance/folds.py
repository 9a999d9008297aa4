"""Which rows are predicted by models that have not seen them: shuffled folds, the same every time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array

__all__ = ["Fold", "balanced_folds", "content_order", "fold_parts", "shuffled_folds"]

Fold = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def content_order(values: Array, *ties: Array) -> npt.NDArray[np.int64]:
    """Rows in an order that depends on what is in them alone, not on where they stand.

    They are ordered by ``values``, which must be the user's own numbers: those that we compute differ in their last
    digits from one machine to the next. ``ties`` are for rows of equal values.
    """
    mixed = np.random.default_rng(0).normal(size=values.shape[1])  # one sort in place of one a column
    scale = np.abs(values).max(axis=0, initial=0.0)
    return np.lexsort([*ties, np.sum(values * (mixed / np.where(scale > 0, scale, 1.0)), axis=1)])


def shuffled_folds(count: int, n_folds: int) -> npt.NDArray[np.int64]:
    """The fold of each of ``count`` rows, blind to everything but their number."""
    folds = np.arange(count) % n_folds
    np.random.default_rng(0).shuffle(folds)
    return folds


def balanced_folds(t: Array, n_folds: int, order: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
    """The fold of each row, both groups spread evenly over at most ``n_folds``, as many as the smaller group allows.

    Which group is called P does not matter; nor, with the ``order`` of `content_order`, where a row stands.
    """
    n_folds = int(max(2, min(n_folds, t.sum(), len(t) - t.sum())))
    mixed = np.random.default_rng(0).permutation(len(t))
    if order is not None:
        mixed = order[mixed]
    folds = np.empty(len(t), dtype=np.int64)
    for label in (0, 1):
        own = mixed[t[mixed] == label]
        folds[own] = np.arange(len(own)) % n_folds
    return folds


def fold_parts(count: int, folds: npt.NDArray[np.int64] | None) -> Iterator[Fold]:
    """For each fold the rows to predict and the rows to fit on; without folds all rows are both."""
    if folds is None:
        every = np.arange(count)
        yield every, every
        return
    for fold in np.unique(folds):
        yield np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
