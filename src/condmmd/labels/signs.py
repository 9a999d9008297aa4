"""Random signs: the multiplier bootstrap of sums ``sum_i a_i c_i`` over independent units of rows.

Where labels were explained by an estimated propensity, ``a_i = t_i - e_i``; where there are no labels (pairs, models,
forecasts), ``a_i = 1``. If nothing differs each term has mean zero, so with signs ``g_i = +-1`` the sums of ``g_i a_i
c_i`` vary as the sum itself does (Wu, 1986; Chernozhukov, Chetverikov and Kato, 2013; Shah and Peters, 2020). A fit has
taken a part of the residuals, ``a = P (t - e_true)``: what is drawn is ``P u`` with ``u_i = g_i a_i / sqrt(d_i)``,
where d_i is the share of a row's variance that the fit leaves. These have the covariance of the residuals themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    Array,
    HeldLabels,
    LabelBatch,
    Rows,
    Weights,
    as_float,
    cached_property,
    is_chunked,
    made_labels,
    map_rows,
    move_to,
    n_rows,
    namespace,
    pick_rows,
    place_of,
    row_numbers,
    steps_of,
    to_host,
)
from condmmd.labels.counters import below, keys_of
from condmmd.labels.fits import Fit
from condmmd.labels.schemes import Units

__all__ = ["MAX_UNITS", "Multipliers", "SignBatch", "ways_to_flip"]

# Units that have a sign each; of more, classes of units by their number have one: as valid, and no dearer for more.
MAX_UNITS = 8_192
CLASSES = 1_024


@dataclass(frozen=True, eq=False)
class Multipliers:
    """What multiplies the products of each row, and the law of its sign; a `Scheme` that draws a `SignBatch`.

    Attributes
    ----------
    a
        One number for each unit: a row, or a block of rows that keep one sign.
    fit
        What was fitted to the labels; None: nothing.
    of_row
        The unit of each row; None: each row is one.
    kept
        The rows that take part, where they are not all that the fit was made on.
    deviation
        The standard deviation of each residual before the fit, where that is known; None: by the residual itself.
    """

    a: Rows
    fit: Fit | None = None
    of_row: npt.NDArray[np.int64] | None = None
    kept: npt.NDArray[np.int64] | None = None
    deviation: Rows | None = None

    @property
    def name(self) -> str:
        return "random signs" if self.of_row is None else "random signs of blocks"

    @property
    def count(self) -> int:
        """Units."""
        return n_rows(self.a)

    @property
    def classes(self) -> int:
        """Signs that are drawn."""
        return self.count if self.count <= MAX_UNITS else CLASSES

    @cached_property
    def scale(self) -> Rows:
        """``a_i / sqrt(d_i)``, or the standard deviation where that is known."""
        if self.deviation is not None:
            return self.deviation
        return self.a if self.fit is None else map_rows(_over_root, self.a, self.fit.left())

    @property
    def observed(self) -> LabelBatch:
        """``a`` itself at every row, as one vector."""
        if self.fit is None:
            return SignBatch(self, _ones(self.classes, self.a))
        return self._at_rows(made_labels(_as_vector, (self.a,), 1))

    @property
    def of_class(self) -> npt.NDArray[np.int64] | None:
        """The number of the sign of each row; None where each row has its own."""
        if self.of_row is None and self.classes == self.count:
            return None
        return (np.arange(self.count) if self.of_row is None else self.of_row) % self.classes

    def draw(self, units: Units, t: Rows) -> SignBatch:  # noqa: ARG002 - signs know where the rows are
        """Signs are functions of a key and a number: the same on every device and in any chunks."""
        seeds = np.concatenate([rng.integers(2**64, size=size, dtype=np.uint64) for size, rng in units])
        return SignBatch(self, _signs(keys_of(seeds), self.classes, self.a))

    def every(self) -> SignBatch:
        """Every way to flip the signs of a few units, but the one that flips none: an exact null by enumeration.

        Statistics are the same for all signs turned round, so the first unit keeps its own.
        """
        codes = np.arange(1, ways_to_flip(self.count), dtype=np.int64)
        flipped = (codes[:, None] >> np.arange(self.count - 1)[None, :]) & 1
        signs = np.concatenate([np.ones((len(codes), 1), dtype=np.int8), 1 - 2 * flipped.astype(np.int8)], axis=1)
        return SignBatch(self, move_to(signs, self.a))

    def weights(self, signs: AnyArray) -> LabelBatch:
        """``P u`` at every row, for every vector of signs."""
        rows = row_numbers(self.a), self.scale
        T = made_labels(partial(_signed, signs=signs), rows, int(signs.shape[0]))
        return self._at_rows(T if self.fit is None else self.fit.residuals(T))

    def root(self, C: Array) -> Array:
        """What each unit adds to ``sum_i a_i c_i`` by chance: sums of these with signs are those of `weights`.

        The squares of each column add up to the variance of its sum.
        """
        return np.asarray(to_host(self.scale)[:, None] * self.left(self.by_unit(C)))

    def left(self, sums: Array) -> Array:
        """Sums of columns by unit, less what the fit takes of them."""
        return sums if self.fit is None else to_host(self.fit.less(move_to(sums, self.a)))

    def adjoint(self, B: Array) -> Array:
        """The transposed map, from units to units: ``sum(root(C) * B) = sum(C * adjoint(B))``."""
        V = to_host(self.scale)[:, None] * B
        return V if self.fit is None else self.fit.at(V)

    def by_unit(self, values: Array) -> Array:
        """Sums of the rows of each unit; 0 where none of its rows takes part."""
        if self.kept is not None:
            whole = np.zeros((self.count, values.shape[1]))
            whole[self.kept] = values
            return whole
        if self.of_row is None:
            return values
        columns = [np.bincount(self.of_row, weights=column, minlength=self.count) for column in values.T]
        return np.stack(columns, axis=1) if columns else np.zeros((self.count, 0))

    def by_class(self, values: Array) -> Array:
        """Sums of the units of each class, which have one sign: what a product with signs needs."""
        if self.classes == self.count:
            return values
        padded = np.concatenate([values, np.zeros((-self.count % self.classes, values.shape[1]))])
        return np.asarray(padded.reshape(-1, self.classes, values.shape[1]).sum(axis=0))

    def refitted(self, T: Array) -> Array:
        """Residuals of other labels of the rows, less what the fit would take of them."""
        if self.fit is None or self.kept is not None:
            return T
        if self.of_row is None:
            return np.asarray(self.fit.at(T.T).T)
        first = np.unique(self.of_row, return_index=True)[1]
        return np.asarray(self.fit.at(T[:, first].T).T[:, self.of_row])

    def on_rows(self, index: npt.NDArray[np.int64]) -> Multipliers:
        """The same law at some of the rows."""
        if self.of_row is not None:
            raise TypeError("rows of blocks cannot be taken apart.")
        return replace(self, kept=index if self.kept is None else self.kept[index])

    def here(self) -> Multipliers:
        """The same in NumPy."""
        return replace(self, a=to_host(self.a), fit=None if self.fit is None else self.fit.here())

    def of_sample(self, index: npt.NDArray[np.int64]) -> Multipliers:
        """Some of many rows, in NumPy: of so few the fit takes next to nothing."""
        return Multipliers(to_host(pick_rows(self.a, index if self.kept is None else self.kept[index])))

    def _at_rows(self, T: LabelBatch) -> LabelBatch:
        if self.of_row is not None:
            T = HeldLabels(to_host(T.held)[:, self.of_row])
        return T if self.kept is None else T.on_rows(self.kept)


def _as_vector(a: Rows) -> Weights:
    return as_float(a)[None, :]


def _over_root(a: Rows, left: Rows) -> Rows:
    return a / namespace(a).sqrt(left)


def _ones(count: int, like: Rows) -> AnyArray:
    xp, where = place_of(np.empty(0) if is_chunked(like) else like)
    ones: AnyArray = xp.ones((1, count), dtype=xp.int8, **where)
    return ones


def _signs(keys: npt.NDArray[np.int64], count: int, like: Rows) -> AnyArray:
    """A sign for each key and number."""
    xp, where = place_of(np.empty(0) if is_chunked(like) else like)
    numbers, limits = xp.arange(count, dtype=xp.int64, **where), xp.zeros(count, dtype=xp.float64, **where)
    signs: AnyArray = xp.astype(2 * xp.astype(below(numbers, limits, move_to(keys, limits)), xp.int8) - 1, xp.int8)
    return signs


def _signed(numbers: Any, scale: Rows, signs: AnyArray) -> Weights:
    own = signs
    if n_rows(numbers) != signs.shape[1] or int(numbers[0]):
        own = namespace(signs).take(signs, numbers % signs.shape[1], axis=1)
    return as_float(own) * scale


@dataclass(frozen=True, eq=False)
class SignBatch:
    """Vectors of signs of some units: B label vectors over the rows, and what they are made of."""

    multipliers: Multipliers
    signs: AnyArray

    @cached_property
    def rows(self) -> LabelBatch:
        """As weights of the rows."""
        return self.multipliers.weights(self.signs)

    @property
    def held(self) -> Weights | None:
        return self.rows.held

    def __len__(self) -> int:
        return int(self.signs.shape[0])

    def sum(self, function: Callable[..., Any], *rows: Rows) -> Any:
        return self.rows.sum(function, *rows)

    def reweighted(self, function: Callable[..., Any], *rows: Rows) -> LabelBatch:
        return self.rows.reweighted(function, *rows)

    def steps(self, size: int) -> Iterator[LabelBatch]:
        for part in steps_of(len(self), size):
            yield SignBatch(self.multipliers, self.signs[part, :])

    def on_rows(self, index: npt.NDArray[np.int64]) -> LabelBatch:
        return self.rows.on_rows(index)


def ways_to_flip(count: int) -> int:
    """Sign vectors of so many units that a statistic can tell apart."""
    return int(2 ** (count - 1))
