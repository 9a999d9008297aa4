"""What a kernel is: a similarity on the rows of one table, and how kernels combine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, mul
from typing import Any, ClassVar

import numpy as np

from condmmd.backend import Array, Rows, namespace, steps_of, take
from condmmd.data import Table
from condmmd.kernels.features import FeatureMap, OnColumns, Stacked, Tensor

__all__ = ["Kernel", "On", "Product", "Sum"]

# Pairs of rows that are found at once by a kernel that has only a Gram matrix.
FEW_PAIRS = 64


class Kernel(ABC):
    """A positive semi-definite similarity ``k(x, x')``.

    A new kernel needs `gram` and `diagonal`; `resolve` if something of it is chosen from the data; and
    `feature_map` if it has finitely many features. ``class Mine(Kernel, name="mine")`` lets users ask for it by name.
    """

    named: ClassVar[dict[str, type[Kernel]]] = {}

    def __init_subclass__(cls, name: str | None = None) -> None:
        """Remember a kernel that has a name."""
        super().__init_subclass__()
        if name is not None:
            Kernel.named[name] = cls

    @abstractmethod
    def gram(self, A: Rows, B: Rows) -> Rows:
        """Similarities of every row of ``A`` with every row of ``B``."""

    @abstractmethod
    def diagonal(self, A: Rows) -> Rows:
        """``k(a, a)`` for every row ``a`` of ``A``."""

    def pairs(self, A: Rows, B: Rows) -> Rows:
        """``k(a, b)`` for each row ``a`` of ``A`` and the same row ``b`` of ``B``."""
        xp = namespace(A)
        found = [xp.linalg.diagonal(self.gram(A[part, :], B[part, :])) for part in steps_of(A.shape[0], FEW_PAIRS)]
        similarities: Rows = xp.concat(found)
        return similarities

    def resolve(self, table: Table) -> Kernel:
        """Fix whatever the data must decide, from the pooled rows alone (never from the labels)."""
        if table.categorical:
            named = ", ".join(f"'{table.columns[j].name}'" for j in table.categorical)
            raise TypeError(
                f"{type(self).__name__} needs numbers, but column(s) {named} of `{table.argument}` are categorical. "
                "Use Delta() there, as in Gaussian().on('age') * Delta().on('sex'), or leave the kernel out."
            )
        return self

    def feature_map(self, X: Rows) -> FeatureMap | None:  # noqa: ARG002 - kernels with features use it
        """Features with ``phi(x) . phi(x') = k(x, x')`` on the rows of ``X``; None where there are infinitely many."""
        return None

    def on_its_columns(self, X: Rows) -> tuple[Kernel, Rows]:
        """The same kernel without a choice of columns, and those columns."""
        return self, X

    def __call__(self, A: Any, B: Any = None) -> Rows:
        """Gram matrix between two arrays of points; of one with itself if ``B`` is left out."""
        first = _points(A)
        return self.gram(first, first if B is None else _points(B))

    def __mul__(self, other: Kernel) -> Kernel:
        """Similar if both say so."""
        return (
            Product((*_parts(self, Product), *_parts(other, Product))) if isinstance(other, Kernel) else NotImplemented
        )

    def __add__(self, other: Kernel) -> Kernel:
        """Similar if either says so."""
        return Sum((*_parts(self, Sum), *_parts(other, Sum))) if isinstance(other, Kernel) else NotImplemented

    def on(self, *columns: str | int) -> On:
        """Let this kernel see some columns only, by name or by position."""
        return On(self, columns)


@dataclass(frozen=True)
class Product(Kernel):
    """Product of kernels: ``k1 * k2``."""

    factors: tuple[Kernel, ...]

    def gram(self, A: Rows, B: Rows) -> Rows:
        K = self.factors[0].gram(A, B)
        for factor in self.factors[1:]:
            K = K * factor.gram(A, B)
        return K

    def diagonal(self, A: Rows) -> Rows:
        return reduce(mul, (factor.diagonal(A) for factor in self.factors))

    def pairs(self, A: Rows, B: Rows) -> Rows:
        return reduce(mul, (factor.pairs(A, B) for factor in self.factors))

    def resolve(self, table: Table) -> Kernel:
        return replace(self, factors=tuple(factor.resolve(table) for factor in self.factors))

    def feature_map(self, X: Rows) -> FeatureMap | None:
        maps = [factor.feature_map(X) for factor in self.factors]
        found = tuple(m for m in maps if m is not None)
        return Tensor(found) if len(found) == len(maps) else None

    def __repr__(self) -> str:
        return " * ".join(f"({f!r})" if isinstance(f, Sum) else repr(f) for f in self.factors)


@dataclass(frozen=True)
class Sum(Kernel):
    """Sum of kernels: ``k1 + k2``."""

    terms: tuple[Kernel, ...]

    def gram(self, A: Rows, B: Rows) -> Rows:
        K = self.terms[0].gram(A, B)
        for term in self.terms[1:]:
            K = K + term.gram(A, B)
        return K

    def diagonal(self, A: Rows) -> Rows:
        return reduce(add, (term.diagonal(A) for term in self.terms))

    def pairs(self, A: Rows, B: Rows) -> Rows:
        return reduce(add, (term.pairs(A, B) for term in self.terms))

    def resolve(self, table: Table) -> Kernel:
        return replace(self, terms=tuple(term.resolve(table) for term in self.terms))

    def feature_map(self, X: Rows) -> FeatureMap | None:
        maps = [term.feature_map(X) for term in self.terms]
        found = tuple(m for m in maps if m is not None)
        return Stacked(found) if len(found) == len(maps) else None

    def __repr__(self) -> str:
        return " + ".join(repr(term) for term in self.terms)


@dataclass(frozen=True)
class On(Kernel):
    """A kernel that sees some columns only: ``k.on("age", "income")`` or ``k.on(0, 3)``."""

    kernel: Kernel
    columns: tuple[str | int, ...]
    positions: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not self.columns or not all(isinstance(c, str | int) and not isinstance(c, bool) for c in self.columns):
            raise ValueError(f"on() needs columns by name or by position, as in .on('age', 'bmi'); got {self.columns}.")
        if self.positions is None and all(isinstance(column, int) for column in self.columns):
            object.__setattr__(self, "positions", tuple(int(column) for column in self.columns))

    def gram(self, A: Rows, B: Rows) -> Rows:
        return self.kernel.gram(self._select(A), self._select(B))

    def diagonal(self, A: Rows) -> Rows:
        return self.kernel.diagonal(self._select(A))

    def pairs(self, A: Rows, B: Rows) -> Rows:
        return self.kernel.pairs(self._select(A), self._select(B))

    def on_its_columns(self, X: Rows) -> tuple[Kernel, Rows]:
        return self.kernel.on_its_columns(self._select(X))

    def resolve(self, table: Table) -> Kernel:
        positions = tuple(_position(column, table) for column in self.columns)
        return replace(self, kernel=self.kernel.resolve(table.select(positions)), positions=positions)

    def feature_map(self, X: Rows) -> FeatureMap | None:
        inner = self.kernel.feature_map(self._select(X))
        return None if inner is None else OnColumns(inner, self._known_positions())

    def _known_positions(self) -> tuple[int, ...]:
        if self.positions is None:
            raise ValueError(f"columns {self.columns} have names; on a plain array use positions, as in .on(0).")
        return self.positions

    def _select(self, A: Rows) -> Rows:
        chosen: Rows = take(A, self._known_positions(), axis=1)
        return chosen

    def __repr__(self) -> str:
        inner = f"({self.kernel!r})" if isinstance(self.kernel, Product | Sum) else repr(self.kernel)
        return f"{inner}.on({', '.join(repr(column) for column in self.columns)})"


def _parts(kernel: Kernel, kind: type[Product | Sum]) -> tuple[Kernel, ...]:
    if isinstance(kernel, Product) and kind is Product:
        return kernel.factors
    if isinstance(kernel, Sum) and kind is Sum:
        return kernel.terms
    return (kernel,)


def _position(column: str | int, table: Table) -> int:
    if isinstance(column, str):
        if column not in table.names:
            raise ValueError(f"`{table.argument}` has no column '{column}'; it has {list(table.names)}.")
        return table.names.index(column)
    if not -len(table.columns) <= column < len(table.columns):
        raise ValueError(f"`{table.argument}` has no column {column}; it has {len(table.columns)} column(s).")
    return column % len(table.columns)


def _points(A: Any) -> Array:
    points = np.asarray(A, dtype=np.float64)
    if points.ndim not in (1, 2):
        raise ValueError(f"points must be a 1-D or 2-D array; got {points.ndim}-D.")
    return points[:, None] if points.ndim == 1 else points
