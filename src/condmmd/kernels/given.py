"""Kernels that the user brings: a function, or a Gram matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, as_float_like, namespace, to_host
from condmmd.data import Table
from condmmd.kernels.base import Kernel

__all__ = ["FromFunction", "Precomputed", "check_positive_semidefinite"]

# Rows on which a brought kernel is checked: the eigenvalues of 1,000 rows take a fraction of a second.
MAX_CHECKED = 1000
# An eigenvalue this far below zero, relative to the largest, is no rounding error.
NEGATIVE = 1e-8


@dataclass(frozen=True)
class FromFunction(Kernel):
    """A plain function ``k(A, B) -> matrix`` of two arrays of rows.

    Examples
    --------
    >>> from condmmd.kernels import FromFunction
    >>> FromFunction(lambda A, B: A @ B.T)([1.0, 2.0])
    array([[1., 2.],
           [2., 4.]])
    """

    function: Callable[[Any, Any], Any]

    def gram(self, A: Rows, B: Rows) -> Rows:
        found = self.function(A, B)
        K: Rows = as_float_like(found, A)
        shape = (A.shape[0], B.shape[0])
        if tuple(K.shape) != shape:
            raise ValueError(f"the kernel {self!r} must return shape {shape} here; got {tuple(K.shape)}.")
        xp = namespace(K)
        bad = int(xp.sum(xp.astype(~xp.isfinite(K), xp.int64)))
        if bad:
            raise ValueError(f"the kernel {self!r} returned {bad} NaN or infinite similarities; they must be numbers.")
        return K

    def diagonal(self, A: Rows) -> Rows:
        return self.pairs(A, A)

    def resolve(self, table: Table) -> Kernel:
        super().resolve(table)
        check_positive_semidefinite(self, table)
        return self

    def __repr__(self) -> str:
        return getattr(self.function, "__name__", repr(self.function))


@dataclass(frozen=True, eq=False)
class Precomputed(Kernel):
    """A Gram matrix of the pooled rows. A point is a row number; a new point is its row of similarities with all."""

    matrix: Array

    def gram(self, A: Rows, B: Rows) -> Rows:
        columns = _numbers(B)
        if A.shape[1] == 1:
            return self.matrix[np.ix_(_numbers(A), columns)]
        return A[:, columns]

    def diagonal(self, A: Rows) -> Rows:
        rows = _numbers(A)
        return self.matrix[rows, rows]

    def resolve(self, table: Table) -> Kernel:
        check_positive_semidefinite(self, table)
        return self

    def __repr__(self) -> str:
        return "precomputed"


def _numbers(points: Rows) -> npt.NDArray[np.int64]:
    return to_host(points)[:, 0].astype(np.int64)


def check_positive_semidefinite(kernel: Kernel, table: Table) -> None:
    """Raise if the kernel cannot be one: not finite, not symmetric, or with a negative eigenvalue.

    Up to `MAX_CHECKED` rows are looked at, the same ones every time; the embedding notices later what slipped through.
    """
    X = table.sample
    if len(X) > MAX_CHECKED:
        X = X[np.random.default_rng(0).choice(len(X), MAX_CHECKED, replace=False)]
    K = to_host(kernel.gram(X, X))
    name = f"the kernel {kernel!r} for `{table.argument}`"
    if np.abs(K - K.T).max() > 1e-8 * np.abs(K).max():
        raise ValueError(f"{name} is not symmetric: k(a, b) and k(b, a) differ by {np.abs(K - K.T).max():.3g}.")
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2)
    if eigenvalues[0] < -NEGATIVE * max(float(eigenvalues[-1]), 0.0) or eigenvalues[-1] < 0:
        raise ValueError(
            f"{name} is not positive semi-definite: its Gram matrix on {len(X)} rows has the eigenvalue "
            f"{eigenvalues[0]:.4g} (the largest is {eigenvalues[-1]:.4g}). Use a valid kernel; adding a constant "
            "on the diagonal would change what is compared."
        )
