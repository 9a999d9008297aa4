"""Pictures of a report and the numbers beside them."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from condmmd import OverlapWarning, cmmd_test
from condmmd.present.figures import course_figures, other_figures
from tests.present.hostile import hostile_result


@pytest.fixture(scope="module")
def figures():
    result = hostile_result()
    return [*course_figures(result.where()), *other_figures(result, result.where())]


def test_every_picture_has_its_numbers_and_says_what_it_shows(figures):
    assert [figure.kind for figure in figures] == ["course"] * 3 + ["map", "null", "levels", "overlap"]
    for figure in figures:
        assert len(figure.rows) >= 2
        assert {len(row.cells) for row in figure.rows} == {len(figure.head)}
        said = ET.fromstring(figure.svg).attrib["aria-label"]  # noqa: S314
        assert len(re.findall(r"\d", said)) >= 2, said


def test_a_line_of_numbers_belongs_to_its_marks(figures):
    result, figure = hostile_result(), figures[0]
    course, svg = result.where().courses[0], ET.fromstring(figure.svg)  # noqa: S314
    for series in "pqd":
        group = next(element for element in svg.iter() if element.attrib.get("id") == f"c0-points-{series}")
        marks = [element for element in group.iter() if element.tag.endswith("use")]
        assert len(marks) == len([row for row in figure.rows if series in row.marks])
    row = figure.rows[2]
    assert row.cells[4] == f"{course.shift[2]:+.4g}"
    assert row.marks == {"p": 2, "q": 2, "d": 2}


def test_a_part_without_one_group_has_no_difference():
    rng = np.random.default_rng(0)
    x, group = np.concatenate([rng.uniform(0, 2, 200), rng.uniform(1, 3, 200)]), np.repeat([1, 0], 200)
    X = pd.DataFrame({"where": np.floor(2 * x) / 2})
    with pytest.warns(OverlapWarning):
        result = cmmd_test(X, x + rng.normal(size=400), group, n_resamples=19, rng=0)
    figure = course_figures(result.where())[0]
    first, last = figure.rows[0], figure.rows[-1]
    assert (first.cells[3], last.cells[2]) == ("\N{EN DASH}", "\N{EN DASH}")
    assert "d" not in first.marks.keys() | last.marks.keys()
    assert {"p", "q", "d"} == figure.rows[3].marks.keys()
