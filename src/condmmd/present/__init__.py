"""Pictures and the report. They are drawn from a `Shown`, whatever it is; matplotlib and jinja2 are extras."""

from condmmd.present.pictures import plot_result
from condmmd.present.power_curve import plot_power
from condmmd.present.report import ReportContext, check_extras, contradictions, render
from condmmd.present.shown import Shown, ShownTest
from condmmd.present.writing import check_target, write_whole

__all__ = [
    "ReportContext", "Shown", "ShownTest", "check_extras", "check_target", "contradictions", "plot_power",
    "plot_result", "render", "write_whole",
]  # fmt: skip
