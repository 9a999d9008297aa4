"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from condmmd.backend import Metric, exp_in_place, multiply_in_place
from condmmd.kernels.stationary import Stationary

__all__ = ["Laplacian"]


@dataclass(frozen=True)
class Laplacian(Stationary, name="laplacian"):
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

    def profile(self, r: Any) -> Any:
        return exp_in_place(multiply_in_place(r, -1.0))
