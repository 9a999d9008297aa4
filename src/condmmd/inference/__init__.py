"""From statistics at observed labels and at null draws to p-values: the plan of a test, null laws, joining columns."""

from condmmd.inference.asymptotic import Asymptotic
from condmmd.inference.compute import Compute
from condmmd.inference.nulls import NullLaw, Resampling, Settings, SignDraws, Signs, null_of
from condmmd.inference.outcome import LevelResult, Outcome
from condmmd.inference.plan import Plan, Run, Trained, check_in_memory

__all__ = [
    "Asymptotic", "Compute", "LevelResult", "NullLaw", "Outcome", "Plan", "Resampling", "Run", "Settings", "SignDraws",
    "Signs", "Trained", "check_in_memory", "null_of",
]  # fmt: skip
