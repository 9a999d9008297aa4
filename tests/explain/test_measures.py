"""What of the outcomes is told in a number, and over all rows."""

import numpy as np
import pandas as pd
import pytest

from condmmd import ConstantColumnWarning, cmmd_test
from condmmd.explain.measures import Difference

RNG = np.random.default_rng(5)
N = 400
X = pd.DataFrame({"age": RNG.uniform(20, 80, N), "town": RNG.choice(list("abc"), N)})
T = np.where(RNG.random(N) < 0.5, "new", "old")


def differences(Y):
    return cmmd_test(X, Y, T, n_resamples=39, rng=0).where().differences


def test_of_a_number_mean_and_spread():
    found = differences(pd.Series(RNG.normal(size=N) * np.where(T == "old", 2.0, 1.0), name="cost"))
    assert [one.measure for one in found] == ["mean of cost", "mean deviation of cost"]
    assert found[1].shift == pytest.approx(np.sqrt(2 / np.pi), abs=4 * found[1].error)
    assert found[1].score > 5
    assert found[0].score < 3


def test_of_classes_and_several_numbers_the_largest_first():
    share = np.where(T == "old", 0.7, 0.3)
    answer = np.where(RNG.random(N) < share, "yes", np.where(RNG.random(N) < 0.5, "no", "maybe"))
    found = differences(pd.Series(answer, name="answer"))
    assert found[0].measure == "share of answer yes"
    assert found[0].shift == pytest.approx(0.4, abs=4 * found[0].error)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    several = pd.DataFrame({"one": RNG.normal(size=N), "two": RNG.normal(size=N) + 2.0 * (T == "new")})
    where = cmmd_test(X, several, T, n_resamples=39, rng=0).where()
    assert where.differences[0].measure == "mean of two"
    assert where.differences[0].shift == pytest.approx(-2.0, abs=4 * where.differences[0].error)
    assert f"mean of two {where.differences[0].shift:+.3g} (" in where.summary()


def test_a_class_that_all_rows_have_tells_nothing():
    with pytest.warns(ConstantColumnWarning):
        where = cmmd_test(X, pd.Series(["same"] * N, name="answer"), T, n_resamples=39, rng=0).where()
    assert where.differences == ()
    assert where.summary()


def test_a_difference_without_an_error():
    assert Difference("x", 1.0, 0.0).score > 1e200
