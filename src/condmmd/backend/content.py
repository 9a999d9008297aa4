"""An order of rows by what is in them, so that where a row stands, and in which units it is, decides nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condmmd.backend.arrays import Array
from condmmd.backend.chunks import sample_rows

__all__ = ["content_order", "content_sample"]

# Rows that are put in order at most.
MOST_SORTED = 20_000
# Of numbers near 1: no further apart than what rounding may do to a sum over rows.
EQUAL = 1e-9


def content_order(values: Array, *ties: Array) -> npt.NDArray[np.int64]:
    """Rows in an order that depends on what is in them alone: not on where they stand, nor on the columns' order.

    They are ordered by ``values``, which must be the user's own numbers: those that we compute differ in their last
    digits from one machine to the next. ``ties`` are for rows of equal values.

    One sort in place of one a column: by a sum of the columns in units of their spread, each with a factor of its own,
    so that two rows that differ have the same sum by a rare chance only.
    """
    if values.shape[1] == 1:
        return np.lexsort([*ties, values[:, 0]])
    largest = np.abs(values).max(axis=0, initial=0.0)
    scaled = values / np.where(largest > 0, largest, 1.0)
    scaled -= scaled.mean(axis=0)
    spread = scaled.std(axis=0)
    scaled /= np.where(spread > EQUAL, spread, 1.0)
    return np.lexsort([*ties, np.sum(scaled * _factors(scaled), axis=1)])


def _factors(scaled: Array) -> Array:
    """A number for each column that its values give; of columns whose values are the same set, also its place."""
    own = 1.0 + np.abs(np.sin(1e3 * np.mean(np.abs(scaled), axis=0) + np.mean(scaled**3, axis=0)))
    alike = np.abs(own[:, None] - own[None, :]) < EQUAL
    return own + np.random.default_rng(0).random(len(own))[np.tril(alike, -1).sum(axis=1)]


def content_sample(values: Array, at_most: int) -> npt.NDArray[np.int64]:
    """Numbers of some rows, in their order, drawn by their place in `content_order`; all of them if they are few.

    Of very many rows they are drawn by where they stand: a sort would take longer than what the sample is for.
    """
    some = sample_rows(len(values), at_most)
    return np.sort(content_order(values)[some]) if at_most < len(values) <= MOST_SORTED else some
