"""What a plan says."""

import json

import pytest

from condmmd import PlanResult
from condmmd.effects.planning import Needed, PowerPoint

CURVE = (PowerPoint((50, 100), 0.4, 0.35, 0.45), PowerPoint((120, 240), 0.8, 0.76, 0.84))


def result(rows=(120, 240), deviations=0.5):
    needed = Needed(rows, 1.2, deviations, "shift", "pay higher everywhere by 1.2", CURVE, 500)
    return PlanResult.of(needed, power=0.8, significance=0.05, pilot=(20, 40), labels=("new", "old"),
                         assumption="nothing")  # fmt: skip


def test_words():
    assert result().sentence().startswith("120 rows of new and 240 of old are needed to see pay higher everywhere by")
    assert "0.50 residual standard deviations" in result().summary()
    assert "80%   76% to 84%" in result().summary()
    assert result(rows=None).sentence().startswith("Not even a hundred times")
    assert "guess" in result(rows=(2000, 4000)).summary()
    assert "guess" not in result().summary()


def test_json():
    plain = json.loads(json.dumps(result().to_dict()))
    assert plain["rows"] == {"P": 120, "Q": 240}
    assert plain["curve"][0] == {"rows": {"P": 50, "Q": 100}, "power": 0.4, "low": 0.35, "high": 0.45}
    assert result(rows=None).to_dict()["rows"] is None


def test_frame():
    assert result().to_frame().loc[1].tolist() == [120, 240, 0.8, 0.76, 0.84]


def test_picture():
    pytest.importorskip("matplotlib")
    axes = result().plot()
    assert list(axes.lines[0].get_xdata()) == [150, 360]
