"""Pictures of a result."""

import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from condmmd import CMMD, Asymptotic, Family, cmmd_test
from condmmd.present import pictures
from condmmd.present.labelling import label
from tests.doors.samples import GROUP, OTHER, E, X
from tests.present.hostile import HOSTILE, hostile_result

mpl.use("Agg")


@pytest.mark.parametrize("kind", ["null", "levels", "overlap", "where", "map"])
def test_every_picture(kind):
    ax = hostile_result().plot(kind)
    ax.figure.canvas.draw()
    assert ax.has_data()
    assert ax.get_xlabel()
    plt.close("all")


def test_curves_for_one_covariate():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=200), np.repeat([1, 0], 100)
    result = cmmd_test(x, np.sin(x) + group + 0.1 * rng.normal(size=200), group, n_resamples=99, rng=0)
    fig, ax = plt.subplots()
    assert result.plot("curves", ax) is ax
    medians = [line.get_ydata() for line in ax.lines]
    assert np.mean(medians[0]) - np.mean(medians[1]) == pytest.approx(1.0, abs=0.15)
    plt.close(fig)
    with pytest.raises(ValueError, match="`kind` must be one of"):
        result.plot("pie")


def test_curves_need_one_covariate():
    with pytest.raises(ValueError, match="one numeric covariate"):
        hostile_result().plot("curves")


def test_labels():
    assert label("$a$\n<b>") == r"\$a\$ <b>"
    assert label("x" * 100) == "x" * 39 + "…"
    assert label("") == "(no name)"


def test_what_is_drawn_is_what_the_result_says():
    result = hostile_result()
    ax = result.plot("null")
    assert ax.lines[0].get_xdata()[0] == result.statistic
    assert sum(patch.get_height() for patch in ax.patches) == result.n_resamples
    columns = result.plot("levels")
    np.testing.assert_array_equal(columns.lines[0].get_xdata(), sorted(row.pvalue for row in result.by_level)[::-1])
    smallest = min(result.by_level, key=lambda row: row.pvalue)
    assert label(smallest.name, 60) in [tick.get_text() for tick in columns.get_yticklabels()]
    by_level = cmmd_test(X, OTHER, GROUP, statistic=CMMD(), propensity=E, n_resamples=19, rng=0)
    levels = by_level.plot("levels").lines[0]
    np.testing.assert_array_equal(levels.get_xdata(), by_level.levels)
    np.testing.assert_array_equal(levels.get_ydata(), [row.pvalue for row in by_level.by_level])
    where = result.plot("where", covariate=HOSTILE)
    assert where.get_xlabel() == label(HOSTILE)
    plt.close("all")


def test_pictures_that_there_are_not():
    law = cmmd_test(X, OTHER, GROUP, statistic=CMMD(estimator="overlap"), propensity=E, null=Asymptotic())
    with pytest.raises(ValueError, match=r"null=Asymptotic\(\) draws nothing"):
        law.plot("null")
    several = cmmd_test(X, np.column_stack([OTHER, X]), GROUP, n_resamples=19, rng=0)
    with pytest.raises(ValueError, match="one numeric outcome"):
        several.plot("map")
    plt.close("all")


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pictures need matplotlib: pip install 'condmmd\[report\]'"):
        pictures.new_axes(None)


def test_columns_of_several_kinds_are_listed_in_words():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=(120, 2)), np.repeat([1, 0], 60)
    result = cmmd_test(x, x[:, 0] + rng.normal(size=120), group, statistic=Family(), n_resamples=39, rng=0)
    ax = result.plot("levels")
    named = [text.get_text() for text in ax.get_yticklabels()]
    assert len(named) == len(result.by_level)
    assert named[-1] == min(result.by_level, key=lambda row: row.pvalue).name
