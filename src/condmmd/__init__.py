"""condmmd: is the relationship between X and Y the same in two samples, how different is it, and where?"""

from typing import TYPE_CHECKING, Any

from condmmd.discrepancy import Discrepancy
from condmmd.kernels import Delta, Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
from condmmd.marginal import mmd, mmd_test
from condmmd.measure import cmmd
from condmmd.notices import (
    ApproximationWarning,
    CondmmdWarning,
    ConstantColumnWarning,
    OverlapWarning,
    SmallSampleWarning,
)
from condmmd.result import CMMDTestResult, MMDTestResult
from condmmd.samples import pool
from condmmd.testing import cmmd_test

if TYPE_CHECKING:
    from condmmd.conditional import ConditionalMeanEmbedding

__version__ = "0.1.0"

__all__ = [
    "ApproximationWarning",
    "CMMDTestResult",
    "ConditionalMeanEmbedding",
    "CondmmdWarning",
    "ConstantColumnWarning",
    "Delta",
    "Discrepancy",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "MMDTestResult",
    "Matern",
    "OverlapWarning",
    "Polynomial",
    "SmallSampleWarning",
    "cmmd",
    "cmmd_test",
    "mmd",
    "mmd_test",
    "pool",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import scikit-learn, which takes a second, for those who want the estimator."""
    if name == "ConditionalMeanEmbedding":
        from condmmd.conditional import ConditionalMeanEmbedding  # noqa: PLC0415

        return ConditionalMeanEmbedding
    raise AttributeError(f"module 'condmmd' has no attribute '{name}'")
