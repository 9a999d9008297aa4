"""Both groups along a covariate."""

import json

import numpy as np
import pandas as pd
import pytest

from condmmd import cmmd_test
from condmmd.explain.regions import SURE
from tests.explain.planted import planted

# Standard errors within which an estimate is: 16 of them at once, by Bonferroni 1 in 1,000.
FAR = 4.0


@pytest.fixture(scope="module")
def where():
    return cmmd_test(*planted(1, n=600, effect=1.5), n_resamples=99, rng=0).where()


def test_the_levels_are_as_far_apart_as_the_difference_that_is_told(where):
    for course in where.courses:
        np.testing.assert_allclose(course.levels[0] - course.levels[1], course.shift, atol=1e-12)
        np.testing.assert_allclose(np.hypot(*course.level_errors), course.error)
        profile = where.profile(course.covariate)
        np.testing.assert_allclose(course.shift, profile.shift)
        np.testing.assert_array_equal(course.n_obs, profile.n_obs)


def test_they_are_where_the_truth_is():
    """Covariates that go together: along x2 the mean rises by x2 alone, though x1, which matters more, rises too."""
    rng = np.random.default_rng(0)
    x1 = rng.uniform(size=1600)
    X = pd.DataFrame({"x1": x1, "x2": 0.7 * x1 + 0.3 * rng.uniform(size=1600)})
    group = rng.integers(0, 2, size=1600)
    y = pd.Series(4 * X.x1 + X.x2 + 2.0 * group + 0.3 * rng.normal(size=1600), name="y")
    course = cmmd_test(X, y, group, n_resamples=39, rng=0).where().course("x2")
    assert course.measure == "mean of y"
    inside = (course.middle > 0.25) & (course.middle < 0.75)
    rise = course.levels[:, inside][:, -1] - course.levels[:, inside][:, 0]
    together = np.polyfit(X.x2, y, 1)[0] * (course.middle[inside][-1] - course.middle[inside][0])
    assert np.all(rise < 0.75 * together)  # the rise of rows as they are is that of x1 too
    known = np.isfinite(course.shift)
    assert np.all(np.abs(course.shift[known] - 2.0) < FAR * course.error[known] + 0.1)


def test_few_values_categories_and_dates():
    rng = np.random.default_rng(2)
    n = 300
    X = pd.DataFrame(
        {
            "rooms": rng.integers(1, 5, n), "town": rng.choice(["x", "y"], n),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
        }
    )  # fmt: skip
    group = rng.integers(0, 2, n)
    where = cmmd_test(X, rng.normal(size=n) + X.rooms, group, n_resamples=39, rng=0).where()
    rooms, town, day = (where.course(name) for name in ("rooms", "town", "day"))
    assert rooms.few
    np.testing.assert_array_equal(rooms.middle, [1, 2, 3, 4])
    assert np.all(np.diff(rooms.levels.mean(axis=0)) > 0.5)  # by one a room, less what leaves blur
    assert (town.few, town.categories, town.middle.tolist()) == (True, ("x", "y"), [0, 1])
    assert (day.dates, day.few) == (True, False)
    assert where.profile("day").dates
    told = json.loads(json.dumps(where.to_dict()))["courses"]
    assert told[0].keys() >= {"covariate", "measure", "low", "levels_p", "errors_q"}


def test_a_contrast_is_told_in_the_measure_that_is_drawn():
    rng = np.random.default_rng(3)
    x, group = rng.uniform(20, 80, 900), rng.integers(0, 2, 900)
    y = rng.normal(size=900) * (1 + 2.0 * group * (x > 50))
    where = cmmd_test(pd.DataFrame({"age": x}), pd.Series(y, name="y"), group, n_resamples=99, rng=0).where()
    (contrast,) = where.contrasts
    course = where.course("age")
    assert course.measure == contrast.measure == "mean deviation of y"
    high = contrast.parts[1]
    inside = course.middle > 55
    assert np.all(np.abs(course.shift[inside] - high.shift) < FAR * np.hypot(course.error[inside], high.error) + 0.2)


def test_what_cannot_be_followed(where):
    with pytest.raises(ValueError, match="no covariate 'x9'"):
        where.course("x9")
    assert where.course() is where.courses[0]
    rng = np.random.default_rng(4)
    wide = pd.DataFrame(rng.normal(size=(80, 10)), columns=[f"c{j}" for j in range(10)])
    many = cmmd_test(wide, rng.normal(size=80), np.repeat([1, 0], 40), n_resamples=19, rng=0).where()
    assert len(many.courses) == 8
    with pytest.raises(ValueError, match="along the leading covariates only"):
        many.course(many.profiles[-1].covariate)
    assert SURE == 1.96
