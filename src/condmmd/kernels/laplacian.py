"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from condmmd.arrays import is_host, namespace
from condmmd.kernels.stationary import Metric, Stationary
from condmmd.samples import Array

__all__ = ["Laplacian"]


@dataclass(frozen=True, repr=False)
class Laplacian(Stationary):
    """``k(x, x') = exp(-sum_j |x_j - x'_j| / lengthscale)``, the product of one-dimensional exponentials.

    With the Euclidean norm in the exponent it is ``Matern(nu=0.5)``.

    Parameters
    ----------
    lengthscale
        One number, or one a column. None: the median L1 distance between pooled rows.

    Examples
    --------
    >>> from condmmd import Laplacian
    >>> Laplacian(lengthscale=1.0)([0.0, 1.0]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    metric: ClassVar[Metric] = "cityblock"

    def profile(self, r: Array) -> Array:
        r *= -1.0
        return np.exp(r, out=r) if is_host(r) else namespace(r).exp(r)
