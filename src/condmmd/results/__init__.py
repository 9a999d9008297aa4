"""What a user holds: the result of a measurement or of a test."""

from condmmd.results.cmmd_test_result import CMMDTestResult
from condmmd.results.compare_result import CompareResult
from condmmd.results.discrepancy import Discrepancy
from condmmd.results.mmd_test_result import MMDTestResult
from condmmd.results.plan_result import PlanResult
from condmmd.results.ratio_test_result import RatioTestResult
from condmmd.results.rowwise_result import CalibrationTestResult, ModelTestResult, PairedTestResult
from condmmd.results.screen_result import ScreenResult

__all__ = [
    "CMMDTestResult", "CalibrationTestResult", "CompareResult", "Discrepancy", "MMDTestResult", "ModelTestResult",
    "PairedTestResult", "PlanResult", "RatioTestResult", "ScreenResult",
]  # fmt: skip
