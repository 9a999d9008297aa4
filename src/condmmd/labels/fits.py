"""What a fit takes from the residuals of the labels that it was fitted to: ``t - e`` is ``P (t - e_true)``.

To first order that is so with ``P = I - W Z A Z^T`` and ``A = (Z^T W Z + R)^-1``, for the columns Z of a penalised
logistic regression, ``w = e (1 - e)`` and the penalty R: given the rows, the residuals have the covariance ``P W P^T``
(MacKinnon and White, 1985). A fixed number of labels of each group is the same with a column of ones, and within strata
with a column for each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    Weights,
    as_float,
    map_rows,
    move_to,
    namespace,
    row_slices,
    sum_rows,
    to_host,
)
from condmmd.regression.logistic import LogisticFit, design, weighted_second

__all__ = ["ByColumns", "ByGroups", "Fit"]

# The share of a row's variance that is taken to be left, at least: a row that the fit follows says nothing by itself.
LEAST_LEFT = 0.02


class Fit(Protocol):
    """The map P of a fit."""

    def left(self) -> Rows:
        """The share of each residual's variance that is left: the diagonal of ``P W P^T``, over w."""

    def residuals(self, T: LabelBatch) -> LabelBatch:
        """``P u`` of every vector u."""

    def less(self, C: Rows) -> Rows:
        """``P^T C``: what the columns of C are in sums ``sum_i u_i c_i`` with ``P u`` in place of u."""

    def at(self, V: Array) -> Array:
        """``P V`` of columns in NumPy."""

    def here(self) -> Fit:
        """The same in NumPy."""


@dataclass(frozen=True, eq=False)
class ByColumns:
    """Of a regression on the columns Z (and an intercept), with the inverse A of its Hessian."""

    Z: Rows
    w: Rows
    inverse: Array

    @classmethod
    def of(cls, fit: LogisticFit, w: Rows) -> ByColumns:
        """Of an estimate with the variances w that this regression is a part of."""
        return cls(fit.Z, w, fit.share * fit.inverse)

    def left(self) -> Rows:
        """Both terms from one product with the columns."""
        G = to_host(sum_rows(weighted_second, self.Z, self.w))
        return map_rows(partial(_left, A=2 * self.inverse - self.inverse @ G @ self.inverse), self.Z, self.w)

    def residuals(self, T: LabelBatch) -> LabelBatch:
        """Two products with the columns."""
        step = np.ascontiguousarray(to_host(T.sum(_scores, self.Z)) @ self.inverse)
        return T.reweighted(partial(_less_step, step=step), self.Z, self.w)

    def here(self) -> ByColumns:
        """The same in NumPy."""
        return replace(self, Z=to_host(self.Z), w=to_host(self.w))

    def less(self, C: Rows) -> Rows:
        """``C - Z A Z^T W C``."""
        sums = to_host(sum_rows(_weighted_cross, self.Z, self.w, C))
        return map_rows(partial(_less, B=self.inverse @ sums), self.Z, C, columns=C.shape[1])

    def at(self, V: Array) -> Array:
        """``V - W Z A Z^T V``."""
        X = np.asarray(design(to_host(self.Z)))
        return np.asarray(V - to_host(self.w)[:, None] * (X @ (self.inverse @ (X.T @ V))))


def _left(Z: Rows, w: Rows, A: Array) -> Rows:
    X, xp = design(Z), namespace(Z)
    left: Rows = xp.clip(1.0 - w * xp.sum(X * (X @ move_to(A, Z)), axis=1), LEAST_LEFT, 1.0)
    return left


def _scores(T: Weights, Z: Rows) -> AnyArray:
    """``Z^T u`` of every vector u, the intercept's first; some rows at a time, as labels may be bytes."""
    total: Any = 0.0
    for part in row_slices(Z, T.shape[0]):
        total = total + as_float(T[:, part]) @ design(Z[part, :])
    found: AnyArray = total
    return found


def _less_step(T: Weights, Z: Rows, w: Rows, step: Array) -> Weights:
    return T - w * (move_to(step, Z) @ design(Z).T)


def _weighted_cross(Z: Rows, w: Rows, C: Rows) -> AnyArray:
    return (design(Z) * w[:, None]).T @ C


def _less(Z: Rows, C: Rows, B: Array) -> Rows:
    return C - design(Z) @ move_to(B, Z)


@dataclass(frozen=True, eq=False)
class ByGroups:
    """Within groups of rows (strata) whose number of labels of either kind is fixed; in NumPy."""

    groups: npt.NDArray[np.int64]
    w: Array

    def left(self) -> Rows:
        """One less the row's part in its group."""
        return np.clip(1.0 - self.w / self._total[self.groups], LEAST_LEFT, 1.0)

    def residuals(self, T: LabelBatch) -> LabelBatch:
        """Less each row's share of the sum of its group."""
        return T.reweighted(self._of_vectors)

    def less(self, C: Rows) -> Rows:
        """Less the weighted mean of the group."""
        return C - (self._sums(self.w[:, None] * to_host(C)) / self._total[:, None])[self.groups]

    def at(self, V: Array) -> Array:
        """``P V``."""
        return np.asarray(V - (self.w / self._total[self.groups])[:, None] * self._sums(V)[self.groups])

    def here(self) -> ByGroups:
        """It is there."""
        return self

    def _of_vectors(self, T: Weights) -> Weights:
        return self.at(to_host(T).T).T

    @property
    def _total(self) -> Array:
        return np.maximum(np.bincount(self.groups, weights=self.w), 1e-300)

    def _sums(self, C: Array) -> Array:
        from scipy.sparse import csr_array  # noqa: PLC0415 - a slow import, for strata alone

        count = len(self.groups)
        members = csr_array((np.ones(count), (self.groups, np.arange(count))))
        return np.asarray(members @ C)
