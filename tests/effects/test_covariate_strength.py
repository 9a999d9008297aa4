"""How far covariates move the odds, beside scikit-learn's regressions."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata
from sklearn.linear_model import LogisticRegression

from condmmd.data import read_table
from condmmd.effects.covariate_strength import strengths


def drawn(seed=0, n=600):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.normal(size=n), "dose": rng.exponential(size=n), "noise": rng.normal(size=n)})
    X["town"] = rng.choice(["a", "b", "c"], n)
    logit = 1.2 * X.age + 0.4 * X.dose + 0.8 * (X.town == "a")
    return X, (rng.random(n) < 1 / (1 + np.exp(-logit.to_numpy()))).astype(float)


def test_they_are_ratios_of_odds_with_and_without_a_covariate():
    X, t = drawn()
    X = X[["age", "dose", "noise"]]
    Z = norm.ppf((rankdata(X, axis=0) - 0.5) / len(X))
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)

    def logits(Z):
        return LogisticRegression(C=1.0, tol=1e-10).fit(Z, t).decision_function(Z)

    expected = {
        name: np.exp(np.quantile(np.abs(logits(Z) - logits(np.delete(Z, j, axis=1))), 0.95))
        for j, name in enumerate(X.columns)
    }
    found = {one.covariate: one.factor for one in strengths(read_table(X, "X"), t)}
    assert found == pytest.approx(expected, abs=0.006)


def test_the_strongest_come_first_and_categories_count_as_one():
    X, t = drawn()
    found = strengths(read_table(X.assign(same=1.0), "X"), t)
    assert found[0].covariate == "age"
    assert {one.covariate for one in found} == {"age", "dose", "noise", "town"}  # what is constant moves nothing
    assert found[-1].covariate == "noise"
    assert found[-1].factor < 1.2 < found[0].factor


def test_of_one_covariate_what_is_left_is_a_constant():
    X, t = drawn()
    (only,) = strengths(read_table(X[["age"]], "X"), t)
    assert only.factor > 3
