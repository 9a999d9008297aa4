"""The functions that users call, each a page long."""

from condmmd.doors.calibration import calibration_error, calibration_test
from condmmd.doors.cmmd import cmmd
from condmmd.doors.cmmd_test import cmmd_test
from condmmd.doors.compare import compare
from condmmd.doors.interventional_test import interventional_test
from condmmd.doors.mmd import mmd, mmd_test
from condmmd.doors.model import model_test
from condmmd.doors.paired import paired_test
from condmmd.doors.plan import plan
from condmmd.doors.ratio_test import ratio_test
from condmmd.doors.screen import screen

__all__ = [
    "calibration_error", "calibration_test", "cmmd", "cmmd_test", "compare", "interventional_test", "mmd", "mmd_test",
    "model_test", "paired_test", "plan", "ratio_test", "screen",
]  # fmt: skip
