"""The settings of a run, and the plan of a test of rows with two sides, from the arguments of a door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from condmmd.data.checks import check_count, check_significance
from condmmd.inference import Settings
from condmmd.inference.evaluate import read_seed
from condmmd.inference.rowwise import RowwisePlan
from condmmd.statistics.rowwise import Rowwise

__all__ = ["row_plan", "settings_of"]


def settings_of(asked: Mapping[str, Any]) -> Settings:
    """How often, from which seed and at which significance."""
    count, seed = check_count(asked["n_resamples"], "n_resamples"), read_seed(asked["rng"])
    return Settings(count, seed, check_significance(asked["significance"]), asked["compute"])


def row_plan(asked: Mapping[str, Any]) -> RowwisePlan:
    """The plan of a test of rows with two sides; blocks are added when they are read."""
    settings = settings_of(asked)
    names = ("kernel_x", "level", "weights", "neighbours", "reg", "tol")
    return RowwisePlan(Rowwise(*(asked[name] for name in names)), asked["kernel_y"], asked["null"], settings)
