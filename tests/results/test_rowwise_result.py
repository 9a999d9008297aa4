"""What a result of rows with two sides says of itself, keeps and forgets."""

import json
import pickle

import numpy as np
import pytest

from condmmd import Compute, paired_test

RNG = np.random.default_rng(0)
X = RNG.normal(size=60)
RESULT = paired_test(X, X + RNG.normal(size=60), X + RNG.normal(size=60) + 1, rng=3, compute=Compute(keep_fits=True))


def test_everything_is_in_the_dictionary():
    plain = json.loads(json.dumps(RESULT.to_dict()))
    assert plain["pvalue"] == RESULT.pvalue
    assert len(plain["null_distribution"]) == 999
    assert plain["by_level"][0]["name"] == "level 0"
    assert plain["effect"]["effects"][0]["name"] == "mean of y"
    assert len(RESULT.to_frame()) == 8


def test_it_speaks_by_its_significance():
    assert RESULT.sentence().startswith("The distributions of Y1 and Y2 differ given x0 (p = ")
    other = paired_test(X, X, X + 1e-3 * RNG.normal(size=60), rng=3, significance=0.01)
    assert other.sentence().startswith("No evidence")
    assert "at 0.01" in other.summary()
    statistic, p = RESULT
    assert (statistic, p) == (RESULT.statistic, RESULT.pvalue)
    assert "summary() says more" in " ".join(repr(RESULT).split())


def test_a_pickled_copy_can_be_asked_the_same():
    copy = pickle.loads(pickle.dumps(RESULT))  # noqa: S301 - our own
    np.testing.assert_allclose(copy.where().profiles[0].size, RESULT.where().profiles[0].size, rtol=1e-12)
    assert copy.effect().entries == RESULT.effect().entries
    wide, narrow = RESULT.effect(confidence=0.99)[0].interval, RESULT.effect()[0].interval
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_without_its_data_it_cannot_be_asked():
    small = RESULT.without_data()
    assert small.pvalue == RESULT.pvalue
    assert "effect" not in small.summary()
    with pytest.raises(ValueError, match="kept without its data"):
        small.where()


def test_its_call_repeats_it():
    X, Y1, Y2 = (RESULT._rows.x.values, RESULT._rows.pairs.first.values, RESULT._rows.pairs.second.values)
    names = {"X": X, "Y1": Y1, "Y2": Y2}
    exec(RESULT.call, names)  # noqa: S102 - what it is for
    assert names["result"].pvalue == RESULT.pvalue
    np.testing.assert_array_equal(names["result"].null_distribution, RESULT.null_distribution)
