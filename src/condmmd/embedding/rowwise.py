"""One residual feature a row: how an outcome differs, in features of its kernel, from what it is compared with.

``rho_i = psi(y1_i) - psi(y2_i)`` for two outcomes on the same unit, ``psi(y_i) - E psi(Y)`` under a model of Y given
``x_i``. Whatever the kind, ``H_ij = <rho_i, rho_j>`` is all that a statistic asks of the outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from condmmd.backend import (
    Array,
    Rows,
    is_chunked,
    map_rows,
    move_to,
    n_rows,
    pick_rows,
    sample_rows,
    sum_rows,
    take,
    to_host,
)
from condmmd.data import SAMPLE_ROWS, Table
from condmmd.data.pairs import Pairs
from condmmd.embedding.choose import embed_outcomes
from condmmd.embedding.embedding import Embedding
from condmmd.embedding.views import Centre, View, paired_views
from condmmd.kernels import Kernel, KernelLike, resolve_kernel

__all__ = [
    "ComparedRows", "Differences", "PairedRows", "Redraw", "RowResiduals", "differences_of", "principal_residuals",
    "some_rows",
]  # fmt: skip

# Rows of each kind of outcome by which their kernel and its features are chosen, at most.
CHOSEN_BY = 5_000


@dataclass(frozen=True, eq=False)
class RowResiduals:
    """Residual features of the rows, and what they are features of; ``embedding`` where new outcomes can have them.

    ``views`` are plainer residuals beside them, from what covariates say of numbers.
    """

    rho: Rows
    kernel: Kernel
    summary: dict[str, Any]
    embedding: Embedding | None = None
    views: Callable[[Centre], tuple[View, ...]] | None = None

    @property
    def rank(self) -> int:
        """The number of features."""
        return int(self.rho.shape[1])


# From a generator and a count: residuals of outcomes drawn anew, features and then views, (count, rows, all of them).
Redraw: TypeAlias = Callable[[np.random.Generator, int], Array]


@dataclass(frozen=True, eq=False)
class Differences:
    """What is compared in the outcomes' own units, a column each, in NumPy: for effects and for where they are.

    ``first`` and ``second`` are the two sides, such as an outcome and what was expected of it; ``kinds`` is "mean" of
    a number and "share" of a class; ``lead`` is the column that says it all, if one does.
    """

    outcomes: tuple[str, ...]
    names: tuple[str, ...]
    kinds: tuple[Literal["mean", "share"], ...]
    first: Array
    second: Array
    lead: int | None = None

    @property
    def values(self) -> Array:
        """One side less the other."""
        return self.first - self.second


class ComparedRows(Protocol):
    """Rows of which each has an outcome and something to compare it with."""

    @property
    def x(self) -> Table:
        """What is conditioned on."""

    @property
    def labels(self) -> tuple[str, str]:
        """What the two sides are called."""

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What the outcomes are called."""

    @property
    def exact(self) -> bool:
        """Whether outcomes drawn anew are the null hypothesis itself, and cheap."""

    def features(self, kernel: KernelLike, tol: float, max_rank: int | None, *, blind: bool = False) -> RowResiduals:
        """Residual features by a kernel of the outcomes; ``blind``: chosen without a look at which outcome is which."""

    def redraw(self, residuals: RowResiduals) -> Redraw | None:
        """How outcomes are drawn from what they are compared with; None where they cannot be."""

    def differences(self) -> Differences:
        """The same in the outcomes' own units; of rows in chunks, for some of them."""


@dataclass(frozen=True, eq=False)
class PairedRows:
    """Two outcomes on each unit: ``psi(y1_i) - psi(y2_i)``."""

    pairs: Pairs
    labels: tuple[str, str] = ("Y1", "Y2")
    exact: ClassVar[bool] = False

    @property
    def x(self) -> Table:
        return self.pairs.x

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The columns' names, where both sides have the same."""
        first, second = self.pairs.first, self.pairs.second
        if not first.from_frame:
            return ("y",) if len(first.columns) == 1 else tuple(f"y{j}" for j in range(len(first.columns)))
        own = zip(first.names, second.names, strict=True)
        several = len(first.columns) > 1
        return tuple(a if a == b else f"outcome {j + 1}" if several else "outcome" for j, (a, b) in enumerate(own))

    def features(self, kernel: KernelLike, tol: float, max_rank: int | None, *, blind: bool = False) -> RowResiduals:  # noqa: ARG002
        """The kernel and its features are a symmetric function of both outcomes."""
        some = self.pairs.some_outcomes(CHOSEN_BY)
        y = embed_outcomes(resolve_kernel(kernel, some), some, tol=tol, max_rank=max_rank)
        rho = map_rows(partial(_difference, y=y), self.pairs.first.values, self.pairs.second.values, columns=y.rank)
        return RowResiduals(rho, y.kernel, y.summary(), views=self._views if self.pairs.first.numeric else None)

    def _views(self, centre: Centre) -> tuple[View, ...]:
        """Of the numbers among the outcomes."""
        numeric = self.pairs.first.numeric
        first, second = (take(table.values, numeric, axis=1) for table in (self.pairs.first, self.pairs.second))
        return paired_views(first, second, centre)

    def redraw(self, residuals: RowResiduals) -> Redraw | None:  # noqa: ARG002
        """There is no model to draw from."""
        return None

    def differences(self) -> Differences:
        """Of numbers the mean, of categories the share of each."""
        tables = (self.pairs.first, self.pairs.second)
        first, second = (some_rows(table.values) for table in tables)
        found = []
        for j, column in enumerate(self.pairs.first.columns):
            name = self.outcomes[j]
            if column.categories is None:
                found.append((name, f"mean of {name}", "mean", first[:, j], second[:, j]))
            for code, category in enumerate(column.categories or ()):
                sides = (1.0 * (first[:, j] == code), 1.0 * (second[:, j] == code))
                found.append((name, f"share of {name} = {category}", "share", *sides))
        two_classes = len(found) == 2 and found[0][2] == "share"
        one = len(self.pairs.first.columns) == 1
        return differences_of(found, lead=0 if one and len(found) == 1 else 1 if one and two_classes else None)


def differences_of(columns: list[Any], lead: int | None) -> Differences:
    """From an outcome's name, words, a kind and two sides for each column."""
    outcomes, names, kinds, first, second = zip(*columns, strict=True)
    return Differences(outcomes, names, kinds, np.stack(first, axis=1), np.stack(second, axis=1), lead)


def some_rows(rows: Rows, at_most: int | None = None) -> Array:
    """All rows in NumPy, or so many of them; of rows in chunks never more than are sampled."""
    if at_most is None:
        at_most = SAMPLE_ROWS if is_chunked(rows) else n_rows(rows)
    return to_host(pick_rows(rows, sample_rows(n_rows(rows), at_most)))


def _difference(first: Rows, second: Rows, y: Embedding) -> Rows:
    return y.transform(first) - y.transform(second)


def principal_residuals(residuals: RowResiduals, tol: float) -> RowResiduals:
    """The same in fewer features: those directions in which they are anything, up to a share ``tol`` of their squares.

    The directions are those of ``sum_i rho_i rho_i^T``, which no flip of signs changes.
    """
    values, U = np.linalg.eigh(to_host(sum_rows(_second, residuals.rho)))
    left_out = np.cumsum(np.maximum(values, 0.0))
    keep = U[:, left_out > tol * max(left_out[-1], np.finfo(float).tiny)][:, ::-1]
    keep = keep if keep.shape[1] else U[:, -1:]
    rho = map_rows(partial(_rotated, U=np.ascontiguousarray(keep)), residuals.rho, columns=keep.shape[1])
    return replace(residuals, rho=rho)


def _second(rho: Rows) -> Rows:
    return rho.T @ rho


def _rotated(rho: Rows, U: Any) -> Rows:
    rotated: Rows = rho @ move_to(U, rho)
    return rotated
