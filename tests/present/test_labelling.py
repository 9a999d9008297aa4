"""Words in pictures."""

import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from condmmd.present import labelling
from condmmd.present.labelling import fonts, give_fonts, label, legend_above, name_values

mpl.use("Agg")


@pytest.fixture
def ax():
    fig, axes = plt.subplots()
    yield axes
    plt.close(fig)


def test_dates_stand_under_an_axis_as_dates(ax):
    ax.plot([15341.0, 16800.0], [0, 1])
    name_values(ax, None, (), dates=True)
    ax.figure.canvas.draw()
    assert {"2013", "2014", "2015"} & {tick.get_text() for tick in ax.get_xticklabels()}


def test_few_values_each_have_a_tick(ax):
    name_values(ax, np.array([1.0, 2.5, 4.0]), ())
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2.5", "4"]
    name_values(ax, None, tuple(f"class {k} $" for k in range(30)))
    named = [tick.get_text() for tick in ax.get_xticklabels()]
    assert named[0] == label("class 0 $")
    assert len(named) == 30


def test_a_legend_is_above_the_data(ax):
    legend_above(ax)
    assert ax.get_legend() is None
    ax.plot([0, 1], label="a line")
    legend_above(ax)
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1 - 1


def test_scripts_have_fonts_where_there_are_any(ax, monkeypatch):
    """With a font that has them Chinese characters are drawn without a warning; else the setting is as it was."""
    monkeypatch.setattr(labelling, "FURTHER_FONTS", ("No such font",))
    labelling._further_fonts.cache_clear()
    assert fonts()["font.family"] == mpl.rcParams["font.family"]
    labelling._further_fonts.cache_clear()
    monkeypatch.undo()
    assert fonts()["font.family"][0] == mpl.rcParams["font.family"][0]
    if len(fonts()["font.family"]) > 1:
        with mpl.rc_context(fonts()), warnings.catch_warnings():
            warnings.simplefilter("error")
            ax.set_xlabel("収入")
            name_values(ax, None, ("東京", "大阪"))
            ax.plot([0, 1], label="年齢")
            legend_above(ax)
            give_fonts(ax)
            ax.figure.canvas.draw()
