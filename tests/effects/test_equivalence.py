"""Equivalence, against two one-sided tests written out, and what it says."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from condmmd import Compute, cmmd_test

FAST = {"n_resamples": 19, "rng": 0, "compute": Compute(keep_fits=True)}


def result_of(seed=0, n=150, shift=0.0, outcomes=1, **settings):
    rng = np.random.default_rng(seed)
    group = np.repeat([1, 0], n)
    x = pd.DataFrame({"weeks": rng.normal(size=2 * n) + 0.3 * group, "age": rng.normal(size=2 * n)})
    Y = rng.normal(size=(2 * n, outcomes)) + np.sin(x.to_numpy()[:, :1]) + shift * group[:, None]
    names = ["weight", "length", "head"][:outcomes]
    group = np.where(group == 1, "smoker", "no smoker")
    return cmmd_test(x, pd.DataFrame(Y, columns=names), group, **FAST, **settings)


def test_the_mean_is_that_of_effect():
    result = result_of(shift=0.4, blocks=np.arange(300) // 3)
    mean, found = result.effect()["mean"], result.closer_than(1.0, confidence=0.975)
    assert found.estimates == (mean.estimate,)
    assert found.intervals[0] == pytest.approx(mean.interval, abs=0.05 * np.ptp(mean.interval))  # no signs are kept
    assert result.without_data().closer_than(1.0, confidence=0.975) == found


def test_two_one_sided_tests():
    result = result_of(shift=0.2)
    found = result.closer_than(0.5)
    (low, high), (estimate,) = found.intervals[0], found.estimates
    df = result.effect().df
    error = (high - low) / 2 / student.ppf(0.95, df)
    one_sided = student.cdf((estimate - 0.5) / error, df), student.sf((estimate + 0.5) / error, df)
    assert found.pvalue == pytest.approx(max(one_sided))
    assert found.shown == bool(found) == (low > -0.5 and high < 0.5)
    assert error == pytest.approx(2 / 300**0.5, rel=0.15)


def test_it_says_so_in_the_users_names():
    result = result_of()
    same, not_shown = result.closer_than(1.0), result.closer_than(0.05)
    assert same.sentence.startswith(
        "Given weeks, age, smoker and no smoker are the same on average for all practical purposes: within 1 in weight"
    )
    assert not_shown.sentence.startswith("It is not shown that, given weeks, age,")
    assert same.shown
    assert not not_shown.shown
    assert json.loads(json.dumps(same.to_dict()))["delta"] == [1.0]
    assert "margin 1" in same.summary()


def test_of_several_outcomes_all_must_be_close():
    result = result_of(outcomes=2)
    both, wide, narrow = (result.closer_than(d) for d in ([1.0, 0.01], 1.0, {"length": 0.01, "weight": 1.0}))
    assert wide.shown
    assert not both.shown
    assert both.pvalue == narrow.pvalue > wide.pvalue
    assert not result.closer_than([0.01, 1.0]).shown


def test_the_size_is_below_the_margin_where_its_upper_limit_is():
    result = result_of(n=300)
    high = result.closer_than(0.1, "size").intervals[0][1]
    assert result.closer_than(1.05 * high, "size").shown
    assert not result.closer_than(0.95 * high, "size").shown
    assert "weight given weeks, age is the same in smoker and no smoker" in result.closer_than(0.2, "size").sentence
    assert not result_of(shift=1.0).closer_than(0.05, what="size")


def test_bad_arguments():
    result = result_of(outcomes=2)
    for bad in (0, -1.0, "a", [1.0], {"weight": 1.0}, float("inf")):
        with pytest.raises(ValueError, match="`delta` must"):
            result.closer_than(bad)
    for bad in (0, 1, 2.0, [0.1]):
        with pytest.raises(ValueError, match="`delta` must be a share"):
            result.closer_than(bad, "size")
    with pytest.raises(ValueError, match="`what` must be one of"):
        result.closer_than(1.0, "spread")
    with pytest.raises(ValueError, match="`confidence` must be"):
        result.closer_than(1.0, confidence=0.1)


def test_shares_of_classes_must_all_be_within_the_margin():
    x, group = np.random.default_rng(0).normal(size=200), np.repeat([1, 0], 100)
    same = cmmd_test(x, pd.Series(np.tile(["a", "b"], 100), name="answer"), group, **FAST)
    other = cmmd_test(x, pd.Series(np.where(group == 1, "a", "b"), name="answer"), group, **FAST)
    assert same.closer_than(0.3).shown
    assert "0.3 in answer" in same.closer_than(0.3).sentence
    assert not other.closer_than(0.3)
