"""The report of rows with two sides: one file, everything in it, nothing from the data let through."""

import re

import numpy as np
import pandas as pd
import pytest

from condmmd import calibration_test, model_test, paired_test
from condmmd.present.rowwise_report import RowReport, render_rows
from tests.present.hostile import HOSTILE

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=N)
P = RNG.uniform(size=N)
RESULTS = {
    "paired": paired_test(X, X + RNG.normal(size=N), X + 1 + RNG.normal(size=N), rng=1),
    "model": model_test(X, X + RNG.normal(size=N), (X, 1.0), rng=1),
    "calibration": calibration_test(P, RNG.uniform(size=N) < P, rng=1),
}


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
    page = render_rows(result, RowReport(HOSTILE, "again", notes=(HOSTILE,), source=HOSTILE))
    assert HOSTILE not in page
    assert "&lt;script" in page
