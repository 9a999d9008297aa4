"""Rows that an effect needs."""

import numpy as np
import pytest

from condmmd import PooledRidge
from condmmd.effects.planning import rows_needed
from tests.effects.trained import table, trained

FAST = {"residualize": PooledRidge(), "propensity": None}


@pytest.fixture(scope="module")
def pilot():
    return trained(*table(120, d=1), **FAST)


def test_half_the_effect_needs_four_times_the_rows(pilot):
    large, small = (rows_needed(*pilot, effect, power=0.8) for effect in (0.6, 0.3))
    assert sum(small.rows) / sum(large.rows) == pytest.approx(4.0, rel=0.15)
    assert large.kind == "shift"


def test_the_curve_goes_through_the_power_that_is_wanted(pilot):
    found = rows_needed(*pilot, 0.4, power=0.8)
    powers = [point.power for point in found.curve]
    assert powers == sorted(powers)
    at = next(point for point in found.curve if point.rows == found.rows)
    assert at.power == pytest.approx(0.8, abs=0.01)
    assert at.low < 0.8 < at.high + 1e-9


def test_an_effect_in_deviations(pilot):
    units = rows_needed(*pilot, 0.4, power=0.8)
    deviations = rows_needed(*pilot, units.deviations, power=0.8, in_deviations=True)
    assert deviations.rows == units.rows


def test_what_no_table_shows_is_said(pilot):
    found = rows_needed(*pilot, 1e-3, power=0.8)
    assert found.rows is None
    assert found.curve


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effect": 0.0}, "must differ from 0"),
        ({"effect": np.nan}, "must be a number"),
        ({"effect": 0.5, "kind": "spread"}, "above 1"),
        ({"effect": 1.5, "kind": "spread", "in_deviations": True}, "is a ratio"),
        ({"effect": 1.5, "kind": "rate"}, "does not go with this outcome"),
        ({"effect": 1.5, "kind": "much"}, "`kind` must be one of"),
    ],
)
def test_effects_that_are_none(pilot, options, message):
    with pytest.raises(ValueError, match=message):
        rows_needed(*pilot, power=0.8, **options)


def test_of_several_outcomes_one_is_named():
    X, Y, group = table(60, d=1)
    pair = trained(X, np.column_stack([Y, Y < 0]), group, **FAST)
    with pytest.raises(ValueError, match="name the `outcome`"):
        rows_needed(*pair, 0.4, power=0.8)
    assert rows_needed(*pair, 0.2, power=0.8, kind="shift", outcome="y1").kind == "share"
    with pytest.raises(ValueError, match="of a share must be between"):
        rows_needed(*pair, 1.2, power=0.8, outcome="y1")
