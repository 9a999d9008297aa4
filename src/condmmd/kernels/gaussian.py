"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condmmd.arrays import is_host, namespace
from condmmd.kernels.stationary import Stationary
from condmmd.samples import Array

__all__ = ["Gaussian"]


@dataclass(frozen=True, repr=False)
class Gaussian(Stationary):
    """``k(x, x') = exp(-|x - x'|^2 / (2 lengthscale^2))``.

    Parameters
    ----------
    lengthscale
        One number, or one a column. None: the median distance between pooled rows. The paper's bandwidth h is
        ``lengthscale ** -2``.

    Examples
    --------
    >>> from condmmd import Gaussian
    >>> Gaussian(lengthscale=1.0)([0.0, 1.0]).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """

    def profile(self, r: Array) -> Array:
        r *= r
        r *= -0.5
        return np.exp(r, out=r) if is_host(r) else namespace(r).exp(r)
