"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from condmmd.backend import exp_in_place, multiply_in_place
from condmmd.kernels.stationary import Stationary

__all__ = ["Gaussian"]


@dataclass(frozen=True)
class Gaussian(Stationary, name="gaussian"):
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

    def profile(self, r: Any) -> Any:
        with np.errstate(over="ignore"):  # the square may be infinite: then the kernel is 0, as it should be
            squares = multiply_in_place(r, r)
        return exp_in_place(multiply_in_place(squares, -0.5))
