"""The Matern kernels of half-integer smoothness."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

from condmmd.backend import namespace
from condmmd.kernels.stationary import Stationary

__all__ = ["Matern"]


@dataclass(frozen=True)
class Matern(Stationary, name="matern"):
    """``k(x, x') = p(r) exp(-sqrt(2 nu) r)`` with ``r = |x - x'| / lengthscale`` and p a polynomial.

    ``p`` is 1 for nu = 1/2, ``1 + sqrt(3) r`` for 3/2 and ``1 + sqrt(5) r + 5 r^2 / 3`` for 5/2.

    Parameters
    ----------
    lengthscale
        One number, or one a column. None: the median distance between pooled rows.
    nu
        0.5, 1.5 or 2.5: how smooth the functions are that the kernel can tell apart.

    Examples
    --------
    >>> from condmmd import Matern
    >>> Matern(lengthscale=1.0, nu=1.5)([0.0, 1.0]).round(4)
    array([[1.    , 0.4834],
           [0.4834, 1.    ]])
    """

    nu: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"`nu` must be 0.5, 1.5 or 2.5; got {self.nu}. Gaussian() is the limit of large nu.")

    def profile(self, r: Any) -> Any:
        r = sqrt(2 * self.nu) * r
        polynomial = 1.0 if self.nu == 0.5 else 1.0 + r if self.nu == 1.5 else 1.0 + r + r**2 / 3
        return polynomial * namespace(r).exp(-r)
