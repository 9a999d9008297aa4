"""What the kernels of a distance share: a lengthscale, given or the median distance between pooled rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist, pdist

from condmmd.kernels.base import Kernel, On, Product, Sum, format_numbers
from condmmd.samples import Array, Table

__all__ = ["Stationary", "lengthscales", "median_distance"]

Metric: TypeAlias = Literal["euclidean", "cityblock"]

# 2,000 rows give two million distances: the median's error is far below what a kernel notices.
MAX_ROWS = 2000


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
    points = points[:, None] if points.ndim == 1 else points
    if len(points) > MAX_ROWS:
        points = points[np.random.default_rng(0).choice(len(points), MAX_ROWS, replace=False)]
    distances = pdist(points, metric)
    distances = distances[distances > 0]
    return float(np.median(distances)) if len(distances) else 1.0


@dataclass(frozen=True, repr=False)
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
    def profile(self, r: Array) -> Array:
        """Similarity at distance ``r``, in units of the lengthscale; may overwrite ``r``."""

    def gram(self, A: Array, B: Array) -> Array:
        if self.lengthscale is None:
            raise ValueError(
                f"{self!r} has no lengthscale yet: give one, as in {type(self).__name__}(1.5), or let cmmd() take the "
                "median distance."
            )
        return self.profile(cdist(A / self.lengthscale, B / self.lengthscale, self.metric))

    def diagonal(self, A: Array) -> Array:
        return np.ones(len(A))

    def resolve(self, table: Table) -> Self:
        super().resolve(table)
        if self.lengthscale is None:
            return replace(self, lengthscale=median_distance(table.values, self.metric))
        if isinstance(self.lengthscale, tuple) and len(self.lengthscale) != len(table.columns):
            raise ValueError(
                f"`lengthscale` has {len(self.lengthscale)} numbers for the {len(table.columns)} column(s) of "
                f"`{table.argument}`."
            )
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}(lengthscale={format_numbers(self.lengthscale)})"


def lengthscales(kernel: Kernel) -> list[float]:
    """Every lengthscale inside a resolved kernel, in the order in which it is written."""
    if isinstance(kernel, Stationary):
        return [] if kernel.lengthscale is None else np.atleast_1d(kernel.lengthscale).tolist()
    if isinstance(kernel, On):
        return lengthscales(kernel.kernel)
    parts = kernel.factors if isinstance(kernel, Product) else kernel.terms if isinstance(kernel, Sum) else ()
    return [scale for part in parts for scale in lengthscales(part)]
