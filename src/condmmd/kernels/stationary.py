"""What the kernels of a distance share: a lengthscale, given or the median distance between pooled rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Metric, Rows, content_sample, distances, namespace, row_distances
from condmmd.data import Table
from condmmd.kernels.base import Kernel, On, Product, Sum

__all__ = ["Stationary", "lengthscales", "median_distance", "subsample"]

# 2,000 rows give two million distances: the median's error is far below what a kernel notices.
MAX_ROWS = 2000
# Of so few rows of one column all distances are listed.
FEW_ROWS = 128
FEW_VALUES = 4096  # the median of so many is within 0.03 of the middle, at four standard errors


def median_distance(X: Any, metric: Metric = "euclidean") -> float:
    """Median of the distances between rows that differ (the median heuristic).

    The paper's precision is ``h = median_distance(X) ** -2``. Above a few thousand rows a subsample is used, the
    same one every time.

    Examples
    --------
    >>> from condmmd.kernels import median_distance
    >>> median_distance([[0.0], [0.0], [1.0], [3.0]])
    2.0
    """
    points = np.asarray(X, dtype=np.float64)
    points = subsample(points[:, None] if points.ndim == 1 else points)
    if points.shape[1] == 1:
        return _median_gap(np.sort(points[:, 0]))
    from scipy.spatial.distance import pdist  # noqa: PLC0415 - a slow import that one column does not need

    distances = pdist(points, "sqeuclidean" if metric == "euclidean" else metric)
    if len(distances) and distances.min() <= 0:
        distances = distances[distances > 0]
    if not len(distances):
        return 1.0
    middle = _in_the_middle(distances)
    return float((np.sqrt(middle) if metric == "euclidean" else middle).mean())


def _in_the_middle(values: Array) -> Array:
    """The two middle values. Of many, only those near the middle are ordered; where that is, a few of them tell."""
    ranks = np.array([(len(values) - 1) // 2, len(values) // 2])
    few = np.sort(values[:: len(values) // FEW_VALUES or 1])
    low, high = few[int(0.47 * (len(few) - 1))], few[int(np.ceil(0.53 * (len(few) - 1)))]
    near = values[(values >= low) & (values <= high)]
    own = ranks - np.count_nonzero(values < low)
    if own[0] < 0 or own[1] >= len(near):  # the few were misleading
        near, own = values, ranks
    return np.partition(near, own)[own]


def subsample(points: Array) -> Array:
    """The rows by which a median distance is found: all, or some of many."""
    return points[content_sample(points, MAX_ROWS)] if len(points) > MAX_ROWS else points


@lru_cache(8)
def _pairs(n: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Every pair of rows once."""
    return np.triu_indices(n, 1)


def _median_gap(x: Array) -> float:
    """The same for one sorted column, without all n^2 distances: halve where the median is, then list what is left."""
    n = len(x)
    if n <= FEW_ROWS:
        gaps = (x[None, :] - x[:, None])[_pairs(n)]
        gaps = gaps[gaps > 0]
        ranks = np.array([(len(gaps) - 1) // 2, len(gaps) // 2])
        return float(np.partition(gaps, ranks)[ranks].mean()) if len(gaps) else 1.0
    own = np.arange(1, n + 1)
    _, ties = np.unique(x, return_counts=True)
    zero = int((ties * (ties - 1) // 2).sum())
    total = n * (n - 1) // 2 - zero
    if total == 0:
        return 1.0
    ranks = np.array([zero + (total - 1) // 2, zero + total // 2])

    def reach(gap: float) -> npt.NDArray[np.int64]:
        """For each row, the number of rows up to the last that is no further above it than ``gap``."""
        return np.maximum(np.searchsorted(x, x + gap, side="right"), own)

    low, high = 0.0, float(x[-1] - x[0])
    below, above = reach(low), np.full(n, n)
    while (above - below).sum() > 4 * n and low < (middle := (low + high) / 2) < high:
        between = reach(middle)
        count = int((between - own).sum())
        if count <= ranks[0]:
            low, below = middle, between
        elif count > ranks[1]:
            high, above = middle, between
        else:  # the two middle gaps lie on either side
            break
    first = np.repeat(np.arange(n), above - below)
    start = np.repeat(below - np.concatenate([[0], np.cumsum(above - below)[:-1]]), above - below)
    gaps = x[np.arange(len(first)) + start] - x[first]
    chosen = ranks - int((below - own).sum())
    return float(np.partition(gaps, chosen)[chosen].mean())


@dataclass(frozen=True)
class Stationary(Kernel):
    """A function of the distance in units of the lengthscale, with ``k(x, x) = 1``."""

    lengthscale: float | Sequence[float] | None = None

    metric: ClassVar[Metric] = "euclidean"

    def __post_init__(self) -> None:
        if self.lengthscale is None:
            return
        scales = np.asarray(self.lengthscale, dtype=np.float64)
        if scales.ndim > 1 or not np.all(np.isfinite(scales) & (scales > 0)):
            raise ValueError(
                f"`lengthscale` must be positive, one number or one a column; got {self.lengthscale}. "
                "Leave it out to take the median distance."
            )
        object.__setattr__(self, "lengthscale", float(scales) if scales.ndim == 0 else tuple(scales.tolist()))

    @abstractmethod
    def profile(self, r: Any) -> Any:
        """Similarity at distance ``r``, in units of the lengthscale; may overwrite ``r``."""

    def gram(self, A: Rows, B: Rows) -> Rows:
        K: Rows = self.profile(distances(A, B, self.metric, self._known_lengthscale()))
        return K

    def pairs(self, A: Rows, B: Rows) -> Rows:
        similarities: Rows = self.profile(row_distances(A, B, self.metric, self._known_lengthscale()))
        return similarities

    def _known_lengthscale(self) -> float | Sequence[float]:
        if self.lengthscale is None:
            raise ValueError(
                f"{self!r} has no lengthscale yet: give one, as in {type(self).__name__}(1.5), or let cmmd() take the "
                "median distance."
            )
        return self.lengthscale

    def diagonal(self, A: Rows) -> Rows:
        ones: Rows = namespace(A).ones_like(A[:, 0])
        return ones

    def resolve(self, table: Table) -> Self:
        super().resolve(table)
        if self.lengthscale is None:
            return replace(self, lengthscale=median_distance(table.sample, self.metric))
        if isinstance(self.lengthscale, tuple) and len(self.lengthscale) != len(table.columns):
            raise ValueError(
                f"`lengthscale` has {len(self.lengthscale)} numbers for the {len(table.columns)} column(s) of "
                f"`{table.argument}`."
            )
        return self


def lengthscales(kernel: Kernel) -> list[float]:
    """Every lengthscale inside a resolved kernel, in the order in which it is written."""
    if isinstance(kernel, Stationary):
        return [] if kernel.lengthscale is None else np.atleast_1d(kernel.lengthscale).tolist()
    if isinstance(kernel, On):
        return lengthscales(kernel.kernel)
    parts = kernel.factors if isinstance(kernel, Product) else kernel.terms if isinstance(kernel, Sum) else ()
    return [scale for part in parts for scale in lengthscales(part)]
