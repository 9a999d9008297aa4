"""Outcomes that were computed from covariates are found, with what they were computed from; others are not."""

import numpy as np
import pandas as pd
import pytest

from condmmd.data import read_table
from condmmd.explain.derived import derived_outcomes

N = 300


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    before = rng.normal(70, 12, N)
    return pd.DataFrame({
        "age": rng.integers(20, 80, N), "before": before, "after": before + rng.normal(0, 3, N),
        "height": rng.normal(1.7, 0.1, N), "town": rng.choice(list("abc"), N), "noise": rng.normal(size=N),
    })  # fmt: skip


def found(X, y):
    return derived_outcomes(read_table(X, "X"), read_table(pd.DataFrame({"y": y}), "Y"))


@pytest.mark.parametrize(
    ("make", "covariates", "how"),
    [
        (lambda x: x.after - x.before, {"after", "before"}, "linear"),
        (lambda x: 3 - 2 * x.age + 5 * (x.town == "b") - (x.town == "c"), {"age", "town"}, "linear"),
        (lambda x: x.before / x.height**2, {"before", "height"}, "product"),
        (lambda x: np.exp(x.noise), {"noise"}, "one covariate"),
        (lambda x: np.where(x.age > 40, "old", "young"), {"age"}, "one covariate"),
    ],
)  # fmt: skip
def test_exactly(X, make, covariates, how):
    (one,) = found(X, make(X))
    assert (set(one.covariates), one.how, one.exact) == (covariates, how, True)
    assert one.share == pytest.approx(1, abs=1e-6)
    assert one.sentence().startswith("y is a")


def test_nearly_and_the_share_is_that_of_least_squares(X):
    y = X.after - X.before + np.random.default_rng(1).normal(0, 0.3, N)
    (one,) = found(X, y)
    Z = np.column_stack([np.ones(N), X.after, X.before])
    left = y - Z @ np.linalg.lstsq(Z, y, rcond=None)[0]
    assert one.share == pytest.approx(1 - left.var() / y.var())
    assert set(one.covariates) == {"after", "before"}
    assert not one.exact
    assert "nearly" in one.sentence()


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.before + np.random.default_rng(2).normal(0, 4, N),
        lambda x: np.random.default_rng(3).choice(["u", "v"], N),
        lambda x: np.where(x.age + np.random.default_rng(4).normal(0, 2, N) > 50, 1.0, 0.0),
        lambda x: np.ones(N),
    ],
)
def test_what_has_chance_in_it_is_left_alone(X, make):
    assert found(X, make(X)) == ()


def test_few_rows_for_many_columns_explain_by_their_freedom_alone():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(40, 60)), columns=[f"c{k}" for k in range(60)])
    assert found(X, rng.normal(size=40)) == ()
