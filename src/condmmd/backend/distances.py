"""Distances between rows, and equality of rows."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from condmmd.backend.arrays import Array, as_float, move_to, namespace, on_processor
from condmmd.backend.operations import root, squared_norms

__all__ = ["Metric", "distances", "equal_rows", "pair_distances", "row_distances"]

Metric: TypeAlias = Literal["euclidean", "cityblock"]
PairMetric: TypeAlias = Literal["euclidean", "cityblock", "sqeuclidean", "chebyshev"]


def distances(A: Any, B: Any, metric: Metric, scale: Any = 1.0) -> Any:
    """Distances of every row of ``A`` from every row of ``B``, each column in units of its ``scale``."""
    if on_processor(A):
        return _in_numpy(A / scale, B / scale, metric)
    units = _units(scale, A)
    return _in_array_api(A / units, B / units, metric)


def row_distances(A: Any, B: Any, metric: Metric, scale: Any = 1.0) -> Any:
    """The distance of each row of ``A`` from the same row of ``B``, each column in units of its ``scale``."""
    gaps = (A - B) / (scale if on_processor(A) else _units(scale, A))
    xp = namespace(gaps)
    return xp.sum(xp.abs(gaps), axis=1) if metric == "cityblock" or A.shape[1] == 1 else root(squared_norms(gaps))


def _units(scale: Any, A: Any) -> Any:
    """Where ``A`` is, and in its precision."""
    units = move_to(np.atleast_1d(np.asarray(scale, dtype=np.float64)), A)
    return namespace(A).astype(units, A.dtype, copy=False)


def _in_numpy(A: Any, B: Any, metric: Metric) -> Any:
    """SciPy's cdist, which is slow for one column and for one point, where NumPy does the same."""
    if A.shape[1] == 1:
        gaps = A - B.T
        return np.abs(gaps, out=gaps)
    if len(B) == 1 and metric == "euclidean":
        return np.sqrt(squared_norms(A - B))[:, None]
    return pair_distances(A, B, metric)


def pair_distances(A: Array, B: Array, metric: PairMetric) -> Array:
    """SciPy's cdist."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415 - a slow import that one column does not need

    return np.asarray(cdist(A, B, metric))


def _in_array_api(A: Any, B: Any, metric: Metric) -> Any:
    xp = namespace(A)
    if metric == "cityblock" or A.shape[1] == 1:
        return sum(xp.abs(A[:, j, None] - B[None, :, j]) for j in range(A.shape[1]))
    centre = xp.mean(B, axis=0)
    A, B = A - centre, B - centre  # far from zero the squares below would lose the digits of the difference
    squares = squared_norms(A)[:, None] + squared_norms(B)[None, :] - 2 * (A @ B.T)
    return root(squares)


def equal_rows(A: Any, B: Any) -> Any:
    """1 where a row of ``A`` and a row of ``B`` are equal in every column, else 0."""
    if on_processor(A):
        return (pair_distances(A, B, "chebyshev") == 0).astype(np.float64)
    return as_float(namespace(A).all(A[:, None, :] == B[None, :, :], axis=2))
