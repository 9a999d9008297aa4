"""From what the user gave (a kernel, a name, a function, nothing) to a kernel with every number fixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from condmmd.backend import Array
from condmmd.data import Table
from condmmd.kernels.base import Kernel
from condmmd.kernels.delta import Delta
from condmmd.kernels.gaussian import Gaussian
from condmmd.kernels.given import FromFunction, Precomputed
from condmmd.kernels.stationary import median_distance, subsample

__all__ = ["KernelLike", "check_kernel", "default_kernel", "is_precomputed", "resolve_kernel", "standard_units"]

KernelLike: TypeAlias = Kernel | str | Callable[[Any, Any], Any] | None


def check_kernel(kernel: KernelLike, argument: str) -> None:
    """Reject what cannot be a kernel, before any data is read."""
    if isinstance(kernel, str) and kernel not in (*Kernel.named, "precomputed"):
        raise ValueError(
            f"`{argument}` must be one of {[*Kernel.named, 'precomputed']}, a Kernel or a function; got '{kernel}'."
        )
    if isinstance(kernel, type):
        raise TypeError(f"`{argument}` is a class; make a kernel of it, as in {kernel.__name__}().")
    if not (kernel is None or isinstance(kernel, str | Kernel) or callable(kernel)):
        raise TypeError(
            f"`{argument}` must be a Kernel, a name, a function k(A, B) or None; got {type(kernel).__name__}."
        )


def is_precomputed(kernel: Any) -> bool:
    """Whether the user has the Gram matrix in place of columns."""
    return isinstance(kernel, str) and kernel == "precomputed"


def resolve_kernel(kernel: KernelLike, table: Table, gram: Array | None = None) -> Kernel:
    """Fix the kernel on one table, from its pooled rows alone."""
    if gram is not None:
        return Precomputed(gram).resolve(table)
    if kernel is None:
        return default_kernel(table)
    if isinstance(kernel, str):
        kernel = Kernel.named[kernel]()
    elif not isinstance(kernel, Kernel):
        kernel = FromFunction(kernel)
    return kernel.resolve(table)


def default_kernel(table: Table) -> Kernel:
    """Gaussian on the standardised numeric columns times delta on the categorical ones.

    Standardisation is written into the lengthscales, one a column and in its units: the median distance between
    standardised rows, times the column's spread (`robust_scale`).
    """
    parts: list[Kernel] = []
    if table.numeric:
        spread, distance = table.once(standard_units)
        scales = distance * spread
        gaussian = Gaussian(tuple(scales.tolist()) if len(scales) > 1 else float(scales[0]))
        parts.append(gaussian.on(*(table.columns[j].name for j in table.numeric)) if table.categorical else gaussian)
    if table.categorical:
        delta = Delta()
        parts.append(delta.on(*(table.columns[j].name for j in table.categorical)) if table.numeric else delta)
    kernel = parts[0] if len(parts) == 1 else parts[0] * parts[1]
    return kernel.resolve(table)


def standard_units(table: Table) -> tuple[Array, float]:
    """Spread of each numeric column, and the median distance between rows in these units."""
    values = subsample(table.sample[:, list(table.numeric)])
    spread = robust_scale(table.sample[:, list(table.numeric)])
    return spread, median_distance(values / spread)


def robust_scale(values: Array) -> Array:
    """Spread of each column: its standard deviation, or the interquartile range in the same units if that is smaller.

    A standard deviation alone lets a few far values flatten the rest of a column. 1 for a constant column.
    """
    deviation = values.std(axis=0)
    low, high = _quartiles(values)
    quartiles = (high - low) / 1.349
    spread = np.where(quartiles > 0, np.minimum(quartiles, deviation), deviation)
    return np.where((values == values[:1]).all(axis=0) | (spread <= 0), 1.0, spread)


def _quartiles(values: Array) -> tuple[Array, Array]:
    """NumPy's quantiles of one and of three quarters, without the time that it takes to ask for them."""
    ordered, last = np.sort(values, axis=0), len(values) - 1
    found = []
    for share in (0.25, 0.75):
        at = share * last
        below = int(at)
        gap = ordered[min(below + 1, last)] - ordered[below]
        found.append(ordered[below] + (at - below) * gap)
    return found[0], found[1]
