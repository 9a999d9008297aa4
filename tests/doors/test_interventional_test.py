"""`interventional_test`: its null, its question, and that nulls hold under covariate shift."""

import json

import numpy as np
import pandas as pd
import pytest

from condmmd import PooledRidge, cmmd_test, interventional_test
from condmmd.regression.populations import POPULATIONS

RNG = np.random.default_rng(3)
N = 300
X = RNG.normal(size=N)
GROUP = (RNG.random(N) < 1 / (1 + np.exp(-0.7 * X))).astype(int)
NOISE = 0.5 * RNG.normal(size=N)
FAST = {"residualize": PooledRidge(), "n_resamples": 199, "rng": 0}


def test_differences_that_cancel_over_the_population_do_not_count():
    x, group = RNG.normal(size=400), np.repeat([1, 0], 200)
    y = np.where(group == 1, x, -x) + 0.5 * RNG.normal(size=400)
    assert cmmd_test(x, y, group, **FAST).pvalue == 0.005
    assert interventional_test(x, y, group, propensity=None, **FAST).pvalue > 0.05
    assert interventional_test(x, y + 0.5 * group, group, propensity=None, **FAST).pvalue == 0.005


@pytest.mark.parametrize("population", POPULATIONS)
def test_every_population_goes_through_the_same_result(population, tmp_path):
    frame = pd.DataFrame({"dose": X, "outcome": X + NOISE + 0.6 * GROUP, "arm": np.where(GROUP == 1, "new", "old")})
    result = interventional_test("dose", "outcome", "arm", data=frame, population=population, **FAST)
    assert result.pvalue == 0.005
    assert result.population == population
    whom = {
        "overlap": "rows that could be of either", "all": "all rows", "p": "rows like those of old",
        "q": "rows like those of new",
    }[population]  # fmt: skip
    assert result.labels == ("old", "new")
    assert result.question() == f"Adjusted for dose, is outcome distributed alike in old and new, over {whom}?"
    assert result.sentence().startswith(f"The distribution of outcome over {whom}, adjusted for dose, differs between")
    assert f"over {whom}" in result.summary().splitlines()[0]
    assert result.effect().population == population
    assert result.effect() is result.effect(population)
    assert result.effect()["mean of outcome"].estimate == pytest.approx(-0.6, abs=0.15)
    assert json.loads(json.dumps(result.to_dict()))["population"] == population
    again = {}
    exec(result.call, {"np": np, "data": frame, "df": frame, "frame": frame}, again)  # noqa: S102 - code that it gives
    assert again["result"].pvalue == result.pvalue
    if population == "q":
        result.report(tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text()
        assert "Y, adjusted for X" in page
        assert "differ over everybody" in page
        assert "among rows with the same covariates" not in page


def test_it_looks_at_the_law_of_a_population_beyond_its_mean():
    wide = X + NOISE * np.where(GROUP == 1, 4.0, 1.0)
    result = interventional_test(X, wide, GROUP, **FAST)
    assert result.pvalue == 0.005
    loudest = min(result.by_level, key=lambda row: row.pvalue)
    assert loudest.name in {"the spread of y0", "the distribution of y0"}


def test_without_a_regression_of_the_difference_it_is_inverse_propensities():
    e = 1 / (1 + np.exp(-0.7 * X))
    result = interventional_test(
        X, X + NOISE + GROUP, GROUP, population="all", propensity=e, doubly_robust=False, residualize=False,
        n_resamples=99, rng=0,
    )  # fmt: skip
    assert result.pvalue == 0.01
    assert result.residualization is None


def test_rows_that_only_one_group_has_are_refused_but_over_the_overlap():
    x = np.linspace(0, 1, N)
    e = np.where(x > 0.9, 1 - 1e-9, 0.5)
    group = np.where(x > 0.9, 1, GROUP)
    assert interventional_test(x, NOISE, group, propensity=e, **FAST).pvalue > 0.05
    for population in ("p", "all"):
        with pytest.raises(ValueError, match=rf"30 row\(s\) of '{population}' have covariates that only one group has"):
            interventional_test(x, NOISE, group, propensity=e, population=population, **FAST)
    assert interventional_test(x, NOISE, group, propensity=e, population="q", **FAST).pvalue > 0.05


@pytest.mark.parametrize("population", ["overlap", "all"])
def test_its_null_holds_where_the_covariates_moved(population):
    """40 tables; 7 or more rejections at 0.05 have a chance of 0.0034 by the binomial law."""
    rejected = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 11])
        x, group = np.concatenate([rng.normal(-0.5, 1, 60), rng.normal(0.5, 1, 60)]), np.repeat([1, 0], 60)
        y = np.sin(2 * x) + 0.5 * np.exp(x / 2) * rng.normal(size=120)
        e = 1 / (1 + np.exp(x))
        result = interventional_test(
            x, y, group, population=population, propensity=e, residualize=PooledRidge(), n_resamples=99, rng=seed
        )
        rejected += result.pvalue <= 0.05
    assert rejected <= 6


def test_its_null_holds_where_differences_cancel():
    """Y given x differs everywhere, the law of Y over all rows does not: 40 tables, as above.

    Without units of its own variance it rejects 0.11, and without the regression of the difference 0.18.
    """
    rejected = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 7])
        x = rng.normal(size=200)
        e = 1 / (1 + np.exp(0.7 - 0.8 * x))
        group = (rng.random(200) < e).astype(int)
        y = np.where(group == 1, x, -x) + 0.5 * rng.normal(size=200)
        result = interventional_test(
            x, y, group, population="all", propensity=e, residualize=PooledRidge(), n_resamples=99, rng=seed
        )
        rejected += result.pvalue <= 0.05
    assert rejected <= 6
