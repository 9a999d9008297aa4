"""Which rows are predicted by models that have not seen them: shuffled folds, the same every time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array

__all__ = ["Fold", "balanced_folds", "fold_parts", "shuffled_folds"]

Fold = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def shuffled_folds(count: int, n_folds: int, order: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
    """The fold of each of ``count`` rows, blind to everything but their number and, if given, their ``order``.

    With that of `content_order` it does not matter where a row stands.
    """
    folds = np.arange(count) % n_folds
    np.random.default_rng(0).shuffle(folds)
    if order is None:
        return folds
    placed = np.empty_like(folds)
    placed[order] = folds
    return placed


def balanced_folds(t: Array, n_folds: int, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The fold of each row, both groups spread evenly over at most ``n_folds``, as many as the smaller group allows.

    Which group is called P does not matter, and rows of one group that tie in the ``order`` are interchangeable.
    """
    n_folds = int(max(2, min(n_folds, t.sum(), len(t) - t.sum())))
    folds = np.empty(len(t), dtype=np.int64)
    for label in (0, 1):
        own = order[t[order] == label]
        folds[own] = shuffled_folds(len(own), n_folds)
    return folds


def fold_parts(count: int, folds: npt.NDArray[np.int64] | None) -> Iterator[Fold]:
    """For each fold the rows to predict and the rows to fit on; without folds all rows are both."""
    if folds is None:
        every = np.arange(count)
        yield every, every
        return
    for fold in np.unique(folds):
        yield np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
