"""Low rank or full Gram matrix: whichever takes fewer operations for each label vector."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from condmmd.backend import Rows, n_rows
from condmmd.data import Table
from condmmd.data.warning_types import ApproximationWarning, warn_user
from condmmd.embedding.embedding import Embedding, embed, embed_gram
from condmmd.kernels import Kernel

__all__ = [
    "Solver", "affordable_rank", "break_even_rank", "dual_flops", "embed_covariates", "embed_outcomes", "primal_flops",
]  # fmt: skip

Solver: TypeAlias = Literal["auto", "primal", "dual"]

# Above this many rows the full Gram matrix and its eigenvectors cost minutes and gigabytes.
GRAM_MAX_ROWS = 5000
# Beyond them: at most this many features, and at most this many numbers in phi (1 GB).
LARGE_MAX_RANK = 1024
LARGE_MAX_NUMBERS = 2**27
# Rows whose features are in memory at once where the rows are in chunks.
LAZY_ROWS = 2**20
# From this many rows on an affordable rank falls as the root of the rows, down to a floor: a test then costs about N.
FULL_RANK_ROWS = 20_000
MIN_RANK = 48


def primal_flops(rows: int, rank: int, outcomes: int) -> float:
    """Operations for one label vector from moments: A and M over the rows, then two solves of size ``rank``."""
    moments = rows * (rank**2 + 2 * rank * outcomes)
    solves = 2 * (rank**3 * 2 / 3 + 2 * rank**2 * outcomes)
    return moments + solves


def dual_flops(rows: int, outcomes: int) -> float:
    """Operations for one label vector from Gram matrices, with half of the rows in each group."""
    half = rows / 2
    solves = 2 * (half**3 / 3 + 2 * half**2 * outcomes)
    rotation = 2 * rows**2 * outcomes
    return solves + rotation


def break_even_rank(rows: int, outcomes: int) -> int:
    """The rank up to which moments are the cheaper way. It counts rows only, so it is blind to the labels."""
    low, high = 1, rows
    while low < high:
        middle = (low + high + 1) // 2
        if primal_flops(rows, middle, outcomes) <= dual_flops(rows, outcomes):
            low = middle
        else:
            high = middle - 1
    return low


def embed_outcomes(kernel: Kernel, table: Table, *, tol: float, max_rank: int | None, warn: bool = False) -> Embedding:
    """Features ``psi`` of the outcomes; ``warn`` where ``max_rank`` leaves out more than ``tol``."""
    return _embed(kernel, table, tol, max_rank, switch=max(n_rows(table.values) // 4, 32), warn=warn)


def embed_covariates(
    kernel: Kernel, table: Table, *, tol: float, max_rank: int | None, solver: Solver, outcomes: int, warn: bool = False
) -> Embedding:
    """Features ``phi`` of the covariates; with ``solver="dual"``, or where it is cheaper, the full Gram matrix too."""
    if solver == "dual":
        return embed_gram(kernel, table.values)
    rows = n_rows(table.values)
    switch = rows if solver == "primal" else break_even_rank(rows, outcomes)
    return _embed(kernel, table, tol, max_rank, switch=switch, warn=warn)


def _embed(kernel: Kernel, table: Table, tol: float, max_rank: int | None, *, switch: int, warn: bool) -> Embedding:
    """Low rank up to ``switch`` features, then the full Gram matrix, unless the user or the memory sets a limit."""
    X: Rows = table.values
    rows = n_rows(X)
    if max_rank is not None:
        capped = embed(kernel, X, tol=tol, max_rank=min(max_rank, rows))
        if warn:
            _warn_cap(capped, table, tol, max_rank)
        return capped
    if rows <= GRAM_MAX_ROWS and not table.chunked:
        embedding = embed(kernel, X, tol=tol, max_rank=min(switch, rows))
        converged = embedding.residual <= tol or embedding.rank < switch
        return embedding if converged or switch >= rows else embed_gram(kernel, X)
    held = min(rows, LAZY_ROWS) if table.chunked else rows
    limit = max(1, min(LARGE_MAX_RANK, LARGE_MAX_NUMBERS // held))
    embedding = embed(kernel, X, tol=tol, max_rank=limit)
    _warn_cap(embedding, table, tol, limit)
    return embedding


def _warn_cap(embedding: Embedding, table: Table, tol: float, limit: int) -> None:
    """Say what a cap that the user did not set has left out."""
    if embedding.residual > tol and embedding.rank >= limit:
        warn_user(
            f"`{table.argument}`: with {n_rows(table.values)} rows, the kernel was cut off at rank {embedding.rank}, "
            f"which leaves {embedding.residual:.2g} of its trace out (`tol` is {tol:.2g}). A longer lengthscale, fewer "
            "columns or a larger `max_rank` leaves out less; giving `max_rank` accepts the approximation.",
            ApproximationWarning,
        )


def affordable_rank(n_rows: int, full: int) -> int:
    """Features at most, where the user did not say: ``full`` up to 20,000 rows. A matter of time, blind to labels."""
    return int(np.clip(full * (FULL_RANK_ROWS / n_rows) ** 0.5, min(MIN_RANK, full), full))
