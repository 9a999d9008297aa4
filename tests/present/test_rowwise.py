"""Pictures of rows with two sides; and their report: one file, with everything in it, and no code from the data."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from condmmd import calibration_test, model_test, paired_test
from condmmd.present import ReportContext
from condmmd.present.rowwise import plot_rows, render_rows
from tests.present.hostile import HOSTILE

RNG = np.random.default_rng(0)
X = RNG.normal(size=200)
PAIRED = paired_test(X, X + RNG.normal(size=200), X + RNG.normal(size=200) + (X > 0), rng=1)
P = RNG.uniform(size=200)
CALIBRATION = calibration_test(P, RNG.uniform(size=200) < P**2, rng=1)
N = 200
RESULTS = {
    "paired": paired_test(X, X + RNG.normal(size=N), X + 1 + RNG.normal(size=N), rng=1),
    "model": model_test(X, X + RNG.normal(size=N), (X, 1.0), rng=1),
    "calibration": calibration_test(P, RNG.uniform(size=N) < P, rng=1),
}


@pytest.mark.parametrize(("result", "kind"), [(r, k) for r in (PAIRED, CALIBRATION) for k in r.pictures])
def test_every_picture(result, kind):
    axes = result.plot(kind)
    assert axes.get_title()
    assert axes.get_xlabel()
    plt.close(axes.figure)


def test_groups_and_names_from_the_data_are_drawn_as_they_are():
    frame = pd.DataFrame({"$x$": np.where(X > 0, "a_$b", "c"), "one": X, "other": X + RNG.normal(size=200)})
    axes = paired_test("$x$", "one", "other", data=frame, rng=1).plot("where")
    assert axes.get_xlabel() == r"\$x\$"
    axes.figure.canvas.draw()
    plt.close(axes.figure)


def test_what_there_is_no_picture_of():
    with pytest.raises(ValueError, match="`kind` must be one of"):
        plot_rows(PAIRED, "reliability", None)
    with pytest.raises(ValueError, match="nothing to show"):
        paired_test(X, X, X + RNG.normal(size=200), weights="neighbours").plot("null")


@pytest.mark.parametrize("name", list(RESULTS))
def test_a_report_is_one_file_with_the_answer_first(name, tmp_path):
    result = RESULTS[name]
    target = tmp_path / "report.html"
    result.report(target)
    page = target.read_text()
    assert result.sentence().split("(p")[0].strip() in page
    assert "<style>" in page
    assert ".verdict" in page  # the look of the other report
    assert page.count('<svg role="img" aria-label=') == len(result.pictures)
    assert not re.search(r'(src|href)="http', page)
    assert f"seed {result.rng_state}" in page
    for row in result.by_level:
        assert row.name in page


def test_a_report_replaces_another_only_if_it_may(tmp_path):
    target = tmp_path / "report.html"
    target.write_text("mine")
    with pytest.raises(FileExistsError):
        RESULTS["paired"].report(target)
    assert target.read_text() == "mine"


def test_names_from_the_data_are_text():
    frame = pd.DataFrame({HOSTILE: X, "one": X + RNG.normal(size=N), "other": X + 2})
    result = paired_test(HOSTILE, "one", "other", data=frame, rng=1)
    page = render_rows(result, ReportContext(HOSTILE, "again", notes=(HOSTILE,), source=HOSTILE))
    assert HOSTILE not in page
    assert "&lt;script" in page
