"""condmmd: is the relationship between X and Y the same in two samples, how different is it, and where?"""

from condmmd.discrepancy import Discrepancy
from condmmd.kernels import Delta, Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
from condmmd.measure import cmmd
from condmmd.notices import (
    ApproximationWarning,
    CondmmdWarning,
    ConstantColumnWarning,
    OverlapWarning,
)
from condmmd.samples import pool

__version__ = "0.1.0"

__all__ = [
    "ApproximationWarning", "CondmmdWarning", "ConstantColumnWarning", "Delta", "Discrepancy", "Gaussian", "Kernel",
    "Laplacian", "Linear", "Matern", "OverlapWarning", "Polynomial", "cmmd", "pool",
]  # fmt: skip
