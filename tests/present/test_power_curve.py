"""The power by the rows, drawn."""

import pytest

from condmmd.present import plot_power

pytest.importorskip("matplotlib")


def test_the_goal_and_the_rows_that_reach_it_are_marked():
    axes = plot_power([100, 200], [(0.3, 0.4, 0.5), (0.7, 0.8, 0.9)], 0.8, 200, "pay higher by $2", None)
    drawn, goal, needed = axes.lines
    assert list(drawn.get_ydata()) == [0.4, 0.8]
    assert goal.get_ydata()[0] == 0.8
    assert needed.get_xdata()[0] == 200
    assert axes.get_title() == r"pay higher by \$2"
    assert len(plot_power([1], [(0.1, 0.2, 0.3)], 0.8, None, "x").lines) == 2
