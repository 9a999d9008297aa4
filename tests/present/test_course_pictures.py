"""The picture of both groups along a covariate."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from condmmd import cmmd_test
from condmmd.present.course_pictures import plot_course

mpl.use("Agg")
RNG = np.random.default_rng(1)
N = 600


@pytest.fixture(scope="module")
def where():
    X = pd.DataFrame(
        {
            "age": RNG.uniform(20, 80, N),
            "rooms": RNG.integers(1, 5, N),
            "town": RNG.choice([f"t{k}" for k in range(20)], N),
        }
    )
    group = np.where(RNG.random(N) < 0.5, "new", "old")
    y = pd.Series(RNG.normal(size=N) + 2.0 * (group == "old") * (X.age > 60), name="cost")
    return cmmd_test(X, y, group, n_resamples=99, rng=0).where()


@pytest.fixture
def panels(where, request):
    figure = plt.figure()
    plot_course(where, where.course(request.param), figure)
    figure.canvas.draw()
    yield where.course(request.param), figure.axes
    plt.close(figure)


def found(ax, gid):
    return [artist for artist in ax.findobj() if (artist.get_gid() or "").startswith(gid)]


@pytest.mark.parametrize("panels", ["age"], indirect=True)
def test_what_is_drawn_is_what_is_told(where, panels):
    course, (above, below) = panels
    for row, gid in enumerate(("points-p", "points-q")):
        (line,) = found(above, gid)
        np.testing.assert_allclose(line.get_ydata(), course.levels[row])
        assert line.get_linestyle() in {"-", "--"}
    (line,) = found(below, "points-d")
    np.testing.assert_allclose(line.get_ydata(), course.shift)
    assert where.contrasts[0].covariate == "age"
    for side in (0, 1):  # each part that the text names is in both panels
        for ax in (above, below):
            assert len(found(ax, f"zone-0-{side}-")) == 1
    assert (above.get_xlabel(), below.get_xlabel()) == ("", "age")


@pytest.mark.parametrize("panels", ["rooms"], indirect=True)
def test_few_values_are_points_side_by_side(panels):
    _, (above, below) = panels
    places = [found(above, gid)[0].get_xdata() for gid in ("points-p", "points-q")]
    assert np.all(places[0] < places[1])
    assert found(above, "points-p")[0].get_linestyle() == "None"
    assert [tick.get_text() for tick in below.get_xticklabels()] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("panels", ["town"], indirect=True)
def test_many_categories_are_named_below_one_another(panels):
    _, (left, right) = panels
    labels = [tick.get_window_extent() for tick in left.get_yticklabels()]
    assert len(labels) == 20
    assert all(one.y0 >= other.y1 - 1 for one, other in pairwise(labels))
    assert right.get_ylabel() == ""
