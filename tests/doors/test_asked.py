"""Settings and plans from the arguments of a door."""

import pytest

from condmmd import Compute
from condmmd.doors.asked import row_plan, settings_of

ASKED = {"n_resamples": 99, "rng": 3, "significance": 0.1, "compute": Compute()}
ROWS = {
    "kernel_x": None, "kernel_y": None, "level": 1, "weights": "kernel", "neighbours": None, "reg": 0.2, "tol": 1e-3,
    "null": "flips",
}  # fmt: skip


def test_settings():
    settings = settings_of(ASKED)
    assert (settings.n_resamples, settings.seed, settings.significance) == (99, 3, 0.1)
    with pytest.raises(ValueError, match="`n_resamples` must be a positive integer"):
        settings_of(ASKED | {"n_resamples": 0})
    with pytest.raises(ValueError, match="`significance` must be between 0 and 1"):
        settings_of(ASKED | {"significance": 2})


def test_the_plan_has_every_option():
    plan = row_plan(ASKED | ROWS)
    assert (plan.statistic.level, plan.statistic.weights, plan.statistic.reg, plan.statistic.tol) == (
        1,
        "kernel",
        0.2,
        1e-3,
    )
    assert (plan.null, plan.settings.seed, plan.blocks) == ("flips", 3, None)
    with pytest.raises(ValueError, match="`null` must be one of"):
        row_plan(ASKED | ROWS | {"null": "guess"})
