"""condmmd: is the relationship between X and Y the same in two samples, how different is it, and where?"""

from typing import Any

from condmmd.data import pool
from condmmd.data.checks import PerGroup
from condmmd.data.forecasts import Mixture, Normals, Quantiles
from condmmd.data.warning_types import (
    ApproximationWarning,
    CondmmdWarning,
    ConstantColumnWarning,
    OverlapWarning,
    SmallSampleWarning,
)
from condmmd.doors import (
    calibration_error,
    calibration_test,
    cmmd,
    cmmd_loss,
    cmmd_test,
    compare,
    interventional_test,
    mmd,
    mmd_test,
    model_test,
    paired_test,
    plan,
    ratio_test,
    screen,
)
from condmmd.effects import Effect, Effects
from condmmd.effects.equivalence import Closeness
from condmmd.effects.sensitivity import Sensitivity
from condmmd.effects.sizes import Size
from condmmd.inference import Asymptotic, Compute, Resampling, Signs
from condmmd.kernels import Delta, Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
from condmmd.nuisance import Forests, PooledRidge
from condmmd.results import (
    CalibrationTestResult,
    CMMDTestResult,
    CompareResult,
    Discrepancy,
    MMDTestResult,
    ModelTestResult,
    PairedTestResult,
    PlanResult,
    RatioTestResult,
    ScreenResult,
)
from condmmd.statistics import (
    CMMD,
    MMD,
    DoublyRobust,
    Energy,
    EnergyKernel,
    Family,
    Interventional,
    Joint,
    Orthogonal,
    Overlap,
    PlugIn,
)

__version__ = "0.2.0"

__all__ = [
    "CMMD",
    "MMD",
    "ApproximationWarning",
    "Asymptotic",
    "CMMDTestResult",
    "CalibrationTestResult",
    "Closeness",
    "CompareResult",
    "Compute",
    "ConditionalMeanEmbedding",
    "CondmmdWarning",
    "ConstantColumnWarning",
    "Delta",
    "Discrepancy",
    "DoublyRobust",
    "Effect",
    "Effects",
    "Energy",
    "EnergyKernel",
    "Family",
    "Forests",
    "Gaussian",
    "Interventional",
    "Joint",
    "Kernel",
    "Laplacian",
    "Linear",
    "MMDTestResult",
    "Matern",
    "Mixture",
    "ModelTestResult",
    "Normals",
    "Orthogonal",
    "Overlap",
    "OverlapWarning",
    "PairedTestResult",
    "PerGroup",
    "PlanResult",
    "PlugIn",
    "Polynomial",
    "PooledRidge",
    "Quantiles",
    "RatioTestResult",
    "Resampling",
    "ScreenResult",
    "Sensitivity",
    "Signs",
    "Size",
    "SmallSampleWarning",
    "calibration_error",
    "calibration_test",
    "cmmd",
    "cmmd_loss",
    "cmmd_test",
    "compare",
    "interventional_test",
    "mmd",
    "mmd_test",
    "model_test",
    "paired_test",
    "plan",
    "pool",
    "ratio_test",
    "screen",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import scikit-learn, which takes a second, for those who want the estimator."""
    if name == "ConditionalMeanEmbedding":
        from condmmd.regression.conditional import ConditionalMeanEmbedding  # noqa: PLC0415

        return ConditionalMeanEmbedding
    raise AttributeError(f"module 'condmmd' has no attribute '{name}'")


def __dir__() -> list[str]:
    """The public names."""
    return __all__
