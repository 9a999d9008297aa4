"""The joint form in blocks of rows: the mean over them of what each says by itself, at a cost linear in the rows."""

from __future__ import annotations

from condmmd.backend import Rows, n_rows, namespace, squared_norms
from condmmd.data import Table
from condmmd.kernels import Kernel, KernelLike, resolve_kernel

__all__ = ["block_mean"]


def block_mean(kernel_x: KernelLike, x: Table, rho: Rows, size: int) -> float:
    """Mean over blocks of ``size`` consecutive rows of the mean of ``K_ij H_ij`` over pairs of different rows.

    Rows after the last whole block are left out.
    """
    blocks = n_rows(x.values) // size
    if blocks < 1:
        raise ValueError(f"`block_size` must be at most the {n_rows(x.values)} rows; got {size}.")
    if x.chunked:
        raise TypeError("`block_size`: blocks are of rows in memory, and these are in chunks (dask).")
    kernel = resolve_kernel(kernel_x, x)
    parts = (slice(first * size, (first + 1) * size) for first in range(blocks))
    total = sum(_block(kernel, x.values[part, :], rho[part, :]) for part in parts)
    return total / (blocks * size * (size - 1))


def _block(kernel: Kernel, values: Rows, rho: Rows) -> float:
    xp = namespace(rho)
    products = kernel.gram(values, values) * (rho @ rho.T)
    return float(xp.sum(products)) - float(xp.sum(kernel.diagonal(values) * squared_norms(rho)))
