"""The products of the rows, ``phi_i rho_i^T``: every test is a sum of squares of ``M(a) = sum_i a_i phi_i rho_i^T``.

What ``a`` is differs from question to question (labels less their propensity, ones), and so does its law if nothing
differs: labels drawn anew, or random signs. Tests, effects, sizes and bands are made of the same products.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    Weights,
    as_float,
    cached_property,
    each_chunk,
    made_labels,
    map_rows,
    move_to,
    n_rows,
    namespace,
    place_of,
    row_numbers,
    steps_of,
    sum_rows,
    take,
    to_host,
    work_size,
)
from condmmd.labels.fits import ByColumns, ByGroups
from condmmd.labels.signs import Multipliers, SignBatch
from condmmd.regression.logistic import design
from condmmd.regression.moments import cross_moments
from condmmd.statistics.base import ResidualFit

__all__ = ["LinearFit", "Products", "in_classes", "times"]


@runtime_checkable
class LinearFit(ResidualFit, Protocol):
    """A statistic all of whose columns are sums of squares of moments linear in the residual labels."""

    @property
    def products(self) -> tuple[Products, ...]:
        """The columns, in order."""


@dataclass(frozen=True, eq=False)
class Products:
    """Columns ``S = sum_jk weight_j (sum_i a_i phi_ij rho_ik)^2`` that share features and differ in the weights.

    ``weights`` has a row for each column, one number for each column of phi.
    """

    phi: Rows
    rho: Rows
    weights: Array

    @property
    def numbers(self) -> int:
        """Numbers in the moments of one vector."""
        return int(self.phi.shape[1] * self.rho.shape[1])

    def moments(self, T: LabelBatch) -> AnyArray:
        """``M(a)`` for every vector a: shape (B, r, q)."""
        if not isinstance(T, SignBatch) or not in_classes(T.multipliers):
            return cross_moments(T, self.phi, self.rho)
        own = self.of_classes(T.multipliers)
        M: AnyArray = namespace(own).reshape(
            as_float(move_to(T.signs, own)) @ own, (len(T), self.phi.shape[1], self.rho.shape[1])
        )
        return M

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every vector: shape (B, columns)."""
        M = self.moments(T)
        return to_host(namespace(M).vecdot(M, M)) @ self.weights.T

    def of_classes(self, multipliers: Multipliers) -> AnyArray:
        """What each class of units adds to M, shape (classes, r q): made once, then a draw costs a product of signs."""
        kept = self._kept
        if kept.get("of") is not multipliers:
            kept.update(of=multipliers, sums=self._of_classes(multipliers))
        return kept["sums"]

    @cached_property
    def _kept(self) -> dict[str, Any]:
        return {}

    def pairs(self, m: Multipliers) -> Any:
        """For each column a matrix Q over signs g with ``g^T Q g = sum_j weight_j |M_j(g)|^2``; all ``a`` are 1."""
        if in_classes(m):
            sums = self.of_classes(m)
            wide = np.repeat(self.weights, self.rho.shape[1], axis=1)
            return np.stack([(sums * own) @ sums.T for own in wide])
        xp, where = place_of(self.phi)
        H, weights = self.rho @ self.rho.T, xp.asarray(self.weights, **where)
        return xp.stack([((self.phi * own[None, :]) @ self.phi.T) * H for own in weights])

    def _of_classes(self, m: Multipliers) -> AnyArray:
        if m.of_row is not None:
            return m.by_class(to_host(m.scale)[:, None] * m.left(_sums_by_unit(self.phi, self.rho, m.of_row, m.count)))
        sums = _class_sums(map_rows(times, self.phi, m.scale, columns=self.phi.shape[1]), self.rho, m.classes)
        if not isinstance(m.fit, ByColumns):
            return sums
        fit = m.fit
        X = map_rows(design, fit.Z, columns=fit.Z.shape[1] + 1)
        scores = _class_sums(map_rows(_as_column, m.scale, columns=1), X, m.classes)
        along = cross_moments(made_labels(_weighted_columns, (fit.Z, fit.w), X.shape[1]), self.phi, self.rho)
        taken: AnyArray = (scores @ move_to(fit.inverse, sums)) @ namespace(sums).reshape(along, (X.shape[1], -1))
        return sums - taken


def in_classes(multipliers: Multipliers) -> bool:
    """Whether several rows have one sign, so that their products may be summed before any sign is drawn."""
    own = multipliers.of_row is not None or multipliers.classes < multipliers.count
    return (
        own
        and multipliers.kept is None
        and (multipliers.of_row is not None or not isinstance(multipliers.fit, ByGroups))
    )


def times(phi: Rows, scale: Rows) -> Rows:
    """The products of a column and each of the others."""
    return phi * scale[:, None]


def _as_column(scale: Rows) -> Rows:
    return scale[:, None]


def _weighted_columns(Z: Rows, w: Rows) -> Weights:
    return (w[:, None] * design(Z)).T


def _class_sums(phi: Rows, rho: Rows, classes: int) -> AnyArray:
    """``sum phi_i rho_i^T`` over the rows of each class, those whose numbers have one remainder: (classes, r q)."""
    sums = sum_rows(partial(_class_sums_of_chunk, classes=classes), row_numbers(phi), phi, rho)
    found: AnyArray = namespace(sums).reshape(sums, (classes, -1))
    return found


def _class_sums_of_chunk(numbers: Rows, phi: Rows, rho: Rows, classes: int) -> AnyArray:
    first, parts = int(numbers[0]) % classes, []
    step = classes * max(1, 16 * work_size(phi) // (classes * (phi.shape[1] + rho.shape[1])))
    for part in steps_of(n_rows(phi), step):
        left = _padded(phi[part, :], first, classes, (1, 2, 0))
        parts.append(left @ _padded(rho[part, :], first, classes, (1, 0, 2)))
    return reduce(add, parts)


def _padded(rows: Rows, first: int, classes: int, axes: tuple[int, ...]) -> AnyArray:
    """Rows by class, with rows of zeros where the first and the last classes have one fewer."""
    (xp, where), width = place_of(rows), rows.shape[1]
    ends = [xp.zeros((count, width), dtype=xp.float64, **where) for count in (first, -(first + n_rows(rows)) % classes)]
    whole = xp.reshape(xp.concat([ends[0], as_float(rows), ends[1]], axis=0), (-1, classes, width))
    by_class: AnyArray = xp.permute_dims(whole, axes)
    return by_class


def _sums_by_unit(phi: Rows, rho: Rows, of_row: npt.NDArray[np.int64], count: int) -> Array:
    """``sum phi_i rho_i^T`` over the rows of each unit: (units, r q)."""
    found = np.zeros((count, phi.shape[1] * rho.shape[1]))
    for some, sums in each_chunk(partial(_unit_sums_of_chunk, of_row=of_row), row_numbers(phi), phi, rho):
        found[some] += sums
    return found


def _unit_sums_of_chunk(
    numbers: Rows, phi: Rows, rho: Rows, of_row: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], Array]:
    """The units that a chunk of rows has a part of, and their sums over it."""
    start = int(numbers[0])
    own = of_row[start : start + n_rows(numbers)]
    if (np.diff(own) < 0).any():
        order = np.argsort(own, kind="stable")
        own, phi, rho = own[order], take(phi, order), take(rho, order)
    units, starts = np.unique(own, return_index=True)
    ends = np.append(starts[1:], len(own))
    sums = [to_host(as_float(phi[a:b, :]).T @ rho[a:b, :]).reshape(-1) for a, b in zip(starts, ends, strict=True)]
    return units, np.stack(sums)
