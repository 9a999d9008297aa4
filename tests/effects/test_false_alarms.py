"""How often a test cries wolf."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import binomtest

from condmmd import CMMD, Compute, PooledRidge, Resampling, cmmd_test
from condmmd.effects import false_alarms as module
from condmmd.effects.false_alarms import FalseAlarms, binomial_interval, false_alarms
from tests.effects.trained import table, trained

FAST = {"residualize": PooledRidge(), "propensity": None, "statistic": CMMD(level=1)}


@pytest.mark.parametrize(("count", "trials"), [(0, 20), (11, 200), (20, 20), (3, 7)])
def test_the_interval_is_the_exact_one(count, trials):
    exact = binomtest(count, trials).proportion_ci(method="exact")
    assert binomial_interval(count, trials) == pytest.approx((exact.low, exact.high))


@dataclass(frozen=True)
class Halved(Resampling):
    """A test that is wrong: its p-values are a tenth of what they should be."""

    def run(self, fitted, labels, settings):
        outcome = super().run(fitted, labels, settings)
        return replace(outcome, pvalue=outcome.pvalue / 10)


def test_a_test_that_is_right_and_one_that_is_wrong():
    X, Y, group = table(60, d=1)
    right = false_alarms(*trained(X, Y, group, **FAST), trials=60)
    assert right.low <= 0.05
    assert right.trials == 60
    assert np.mean(right.pvalues) == pytest.approx(0.5, abs=4 * 12**-0.5 / 60**0.5)
    wrong = false_alarms(*trained(X, Y, group, null=Halved(), **FAST), trials=60)
    assert wrong.low > 0.2
    assert "Do not rely" in wrong.sentence()
    assert "Do not rely" not in right.sentence()


def test_the_same_tables_whatever_the_number_and_a_difference_in_the_data_does_not_count():
    X, Y, group = table(60, d=1)
    pair = trained(X, Y + 2 * group, group, **FAST)
    few, more = false_alarms(*pair, trials=3), false_alarms(*pair, trials=6)
    assert few.pvalues == more.pvalues[:3]
    assert more.rejected <= 2


def test_the_time_decides_without_a_number(monkeypatch, capsys):
    X, Y, group = table(40, d=1)
    monkeypatch.setattr(module, "SECONDS", 0.0)
    monkeypatch.setattr(module, "FEWEST", 4)
    result = cmmd_test(X, Y, group, n_resamples=99, rng=0, compute=Compute(progress=True), **FAST)
    assert result.check().trials == 4
    assert "tables 4/4" in capsys.readouterr().err


def test_words_and_numbers():
    found = FalseAlarms(200, 11, 0.055, *binomial_interval(11, 200), 0.05, (0.5,) * 200, 2)
    assert "cried wolf in 11 of 200 tables" in found.sentence()
    assert "5.5 % (2.8 to 9.6 %)" in found.sentence()
    assert "2 more tables" in found.summary()
    assert json.loads(json.dumps(found.to_dict()))["rejected"] == 11
    assert "cautious" in FalseAlarms(400, 1, 0.0025, 0.0, 0.014, 0.05, ()).sentence()


@pytest.mark.parametrize("trials", [0, 2.5, "many"])
def test_a_number_of_tables_that_is_none(trials):
    with pytest.raises(ValueError, match="`trials` must be a positive integer"):
        false_alarms(*trained(*table(40, d=1), **FAST), trials=trials)


def test_rows_that_were_trimmed_stay_out():
    X, Y, group = table(60, d=1)
    e = 1 / (1 + np.exp(-2 * X[:, 0]))
    options = FAST | {"propensity": e, "trim": 0.2}
    found = false_alarms(*trained(X, Y, group, **options), trials=3)
    assert (found.trials, found.refused) == (3, 0)
