"""Blocks of rows that share one label: a subject, a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, is_chunked, kind_of, n_rows
from condmmd.data.frames import as_frame
from condmmd.data.groups import count_missing
from condmmd.data.masks import unmasked
from condmmd.data.warning_types import OverlapWarning, warn_user

__all__ = ["Blocks", "block_values", "read_blocks", "read_units", "warn_block_sizes"]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows that share a label: the number of each row's block, and each block's label and size."""

    of_row: npt.NDArray[np.int64]
    labels: Array

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Rows of each block."""
        return np.bincount(self.of_row)

    def mean(self, values: Array) -> Array:
        """Mean of each column over the rows of each block."""
        sums = [np.bincount(self.of_row, weights=column) for column in values.T]
        return np.stack(sums, axis=1) / self.sizes[:, None] if sums else np.empty((len(self.labels), 0))


def block_values(blocks: Any) -> npt.NDArray[Any]:
    """One value a row in an array of their own, none missing."""
    native = as_frame(blocks)
    if isinstance(native, nw.DataFrame):
        if len(native.columns) != 1:
            raise ValueError(f"`blocks` must be one column; got a data frame with {len(native.columns)}.")
        native = next(iter(native.iter_columns()))
    missing = int(native.null_count()) if isinstance(native, nw.Series) else 0
    if isinstance(native, nw.Series):
        values = native.to_numpy()
    else:
        text = isinstance(native, list | tuple) and any(isinstance(value, str) for value in native)
        values = np.array(unmasked(native, "blocks"), dtype=object if text else None)
    missing = missing or count_missing(values.reshape(-1))
    if missing:
        raise ValueError(
            f"`blocks` has {missing} missing, NaN or infinite values, and rows of no block cannot share a label. Give "
            "each such row a block of its own, or drop them."
        )
    return np.array(values)


def read_blocks(blocks: Any, t: Array) -> Blocks:
    """Number the blocks and find the label of each."""
    names, block_of_row = _numbered(block_values(blocks), t.shape)
    share = np.bincount(block_of_row, weights=t) / np.bincount(block_of_row)
    mixed = (share > 0) & (share < 1)
    if mixed.any():
        raise ValueError(
            f"`blocks`: {int(mixed.sum())} block(s) have rows of both groups, such as {names[mixed][0]!r}. Labels are "
            "resampled by whole blocks; split such a block in two, or leave `blocks` out."
        )
    if share.sum() < 2 or (1 - share).sum() < 2:
        raise ValueError("`blocks`: each group needs at least 2 blocks, or there is nothing to resample.")
    return Blocks(block_of_row.reshape(-1), share)


def read_units(blocks: Any, like: Rows) -> npt.NDArray[np.int64] | None:
    """The number of each row's block, where blocks have no label; None if there are no blocks."""
    if blocks is None:
        return None
    if is_chunked(like) or kind_of(blocks).startswith("chunked"):
        raise TypeError("`blocks` needs all rows in memory, and these are in chunks (dask).")
    rows = n_rows(like)
    names, of_row = _numbered(block_values(blocks), (rows,))
    if len(names) < 2:
        raise ValueError("`blocks`: at least 2 blocks are needed, or there is nothing to resample.")
    first = np.full(len(names), rows)
    np.minimum.at(first, of_row, np.arange(rows))
    return np.argsort(np.argsort(first))[of_row]  # in the order in which they appear, whatever they are called


def _numbered(values: npt.NDArray[Any], shape: tuple[int, ...]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """The blocks, and the number of each row's."""
    if values.shape != shape:
        raise ValueError(f"`blocks` must have one value a row, {shape[0]}; got shape {values.shape}.")
    try:
        names, block_of_row = np.unique(values, return_inverse=True)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in values})
        raise TypeError(f"`blocks` mixes values of different types: {', '.join(kinds)}.") from None
    return names, block_of_row.reshape(-1)


def warn_block_sizes(blocks: Blocks) -> None:
    """Warn where blocks are to be shuffled whose sizes differ between the groups."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - a slow import, for blocks alone

    p_sizes, q_sizes = blocks.sizes[blocks.labels == 1], blocks.sizes[blocks.labels == 0]
    if len(np.unique(blocks.sizes)) > 1 and mannwhitneyu(p_sizes, q_sizes).pvalue < 0.001:
        warn_user(
            f"the blocks of P have {p_sizes.mean():.3g} rows on average and those of Q {q_sizes.mean():.3g}. Shuffling "
            "blocks is valid only if their sizes have the same distribution; in cmmd_test, propensity='estimate' takes "
            "sizes into account.",
            OverlapWarning,
        )
