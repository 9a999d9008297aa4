"""Many label vectors over the same rows, behind one interface: held in memory, or made where the rows are.

A label vector says which group each row is in; a weight vector is any number a row. A batch of B of them is what every
statistic is evaluated at. Labels are small integers: 1 and 0 for two groups; nothing here knows that there are two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.backend.arrays import AnyArray, Array, Rows, as_float, is_chunked, move_to, n_rows, namespace, on_processor
from condmmd.backend.chunks import row_numbers, steps_of, sum_rows

__all__ = [
    "DrawnLabels", "HeldLabels", "LabelBatch", "Labels", "Weights", "label_sums", "made_labels", "observed_labels",
    "placed_labels", "stacked",
]  # fmt: skip

Labels: TypeAlias = npt.NDArray[np.int8]  # one label vector a row; a byte each, as there are many
Weights: TypeAlias = AnyArray  # one label or weight vector a row


class LabelBatch(Protocol):
    """B label (or weight) vectors over all rows."""

    @property
    def held(self) -> Weights | None:
        """All of them as an array of shape (B, rows), where that is in memory."""

    def __len__(self) -> int: ...

    def sum(self, function: Callable[..., Any], *rows: Rows) -> Any:
        """``function(weights, *rows)``, which must be a sum over rows; where rows are in chunks, added up over them."""

    def reweighted(self, function: Callable[..., Any], *rows: Rows) -> LabelBatch:
        """``function(weights, *rows)``, which gives other weights of the same shape, in place of these."""

    def steps(self, size: int) -> Iterator[LabelBatch]:
        """The same a few at a time, where that does not cost another pass over the rows."""

    def on_rows(self, index: npt.NDArray[np.int64]) -> LabelBatch:
        """The same vectors on some of the rows."""


@dataclass(frozen=True, eq=False)
class HeldLabels:
    """Label vectors in memory, beside the rows: shape (B, rows)."""

    values: Weights

    @property
    def held(self) -> Weights | None:
        return self.values

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def sum(self, function: Callable[..., Any], *rows: Rows) -> Any:
        return function(self.values, *rows)

    def reweighted(self, function: Callable[..., Any], *rows: Rows) -> LabelBatch:
        return HeldLabels(_OfFloats(function)(self.values, *rows))

    def steps(self, size: int) -> Iterator[LabelBatch]:
        for part in steps_of(len(self), size):
            yield HeldLabels(self.values[part, :])

    def on_rows(self, index: npt.NDArray[np.int64]) -> LabelBatch:
        if on_processor(self.values):
            return HeldLabels(self.values[:, index])
        return HeldLabels(namespace(self.values).take(self.values, move_to(index, self.values), axis=1))


@dataclass(frozen=True, eq=False)
class DrawnLabels:
    """``make`` of chunks of ``rows`` gives the labels (or weights) of these rows: shape (count, rows of the chunk)."""

    rows: tuple[Rows, ...]
    make: Callable[..., Any]
    count: int

    @property
    def held(self) -> Weights | None:
        return None

    def __len__(self) -> int:
        return self.count

    def sum(self, function: Callable[..., Any], *rows: Rows) -> Any:
        return sum_rows(partial(_apply, function=function, make=self.make, width=len(self.rows)), *self.rows, *rows)

    def reweighted(self, function: Callable[..., Any], *rows: Rows) -> LabelBatch:
        make = partial(_apply, function=_OfFloats(function), make=self.make, width=len(self.rows))
        return DrawnLabels((*self.rows, *rows), make, self.count)

    def steps(self, size: int) -> Iterator[LabelBatch]:  # noqa: ARG002 - a pass over the data costs more than memory
        yield self

    def on_rows(self, index: npt.NDArray[np.int64]) -> LabelBatch:  # noqa: ARG002
        raise TypeError("these labels are made where the rows are, in chunks (dask); pass rows in memory.")


def _apply(*chunks: Rows, function: Callable[..., Any], make: Callable[..., Any], width: int) -> Any:
    return function(make(*chunks[:width]), *chunks[width:])


@dataclass(frozen=True)
class _OfFloats:
    """``function`` of weights in double precision; the labels themselves are bytes."""

    function: Callable[..., Any]

    def __call__(self, weights: Weights, *rows: Rows) -> Any:
        return self.function(as_float(weights), *rows)


def made_labels(make: Callable[..., Any], rows: tuple[Rows, ...], count: int) -> LabelBatch:
    """``make`` of the rows: now if they are in memory, with every pass over them if they are in chunks."""
    return DrawnLabels(rows, make, count) if is_chunked(rows[0]) else HeldLabels(make(*rows))


def observed_labels(t: Rows) -> LabelBatch:
    """The labels as they are, as one label vector."""
    return made_labels(_one_vector, (t,), 1)


def _one_vector(t: Rows) -> Weights:
    xp = namespace(t)
    vector: Weights = xp.astype(t, xp.int8)[None, :]
    return vector


def placed_labels(labels: Labels, t: Rows) -> LabelBatch:
    """Label vectors that were drawn in NumPy, where the rows are."""
    if is_chunked(t):
        return DrawnLabels((row_numbers(t),), partial(_columns, labels=labels), len(labels))
    return HeldLabels(move_to(labels, t))


def _columns(numbers: Rows, labels: Labels) -> Labels:
    return labels[:, int(numbers[0]) : int(numbers[0]) + n_rows(numbers)]


def stacked(parts: Sequence[LabelBatch]) -> LabelBatch:
    """Several batches of label vectors as one."""
    held = [part.held for part in parts]
    if len(parts) == 1:
        return parts[0]
    if held[0] is not None:
        return HeldLabels(namespace(held[0]).concat(held, axis=0))
    drawn = [part for part in parts if isinstance(part, DrawnLabels)]
    rows = tuple(r for part in drawn for r in part.rows)
    make = partial(_make_all, makes=[(part.make, len(part.rows)) for part in drawn])
    return DrawnLabels(rows, make, sum(len(part) for part in drawn))


def _make_all(*chunks: Rows, makes: list[tuple[Callable[..., Labels], int]]) -> Labels:
    labels, start = [], 0
    for make, width in makes:
        labels.append(make(*chunks[start : start + width]))
        start += width
    return np.concatenate(labels)


def label_sums(T: LabelBatch) -> AnyArray:
    """The sum of each vector."""
    sums: AnyArray = T.sum(_sum_of_each)
    return sums


def _sum_of_each(T: Weights) -> Array:
    xp = namespace(T)
    sums: Array = as_float(xp.sum(T, axis=1, dtype=xp.float64))
    return sums
