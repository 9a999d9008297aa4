"""`screen`: what it finds, says and refuses."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

from condmmd import Family, cmmd_test, screen

RNG = np.random.default_rng(0)
N = 200
X = RNG.normal(size=(N, 2))
GROUP = np.where(RNG.random(N) < 1 / (1 + np.exp(-X[:, 0])), "new", "old")
Y = pd.DataFrame(X[:, :1] + RNG.normal(size=(N, 30)), columns=[f"gene {j}" for j in range(30)])
Y["gene 4"] -= 1.0 * (GROUP == "old")
Y["gene 9"] *= np.where(GROUP == "old", 3.0, 1.0)


def test_what_it_finds_and_says():
    found = screen(X, Y, GROUP)
    assert set(found.found) == {"gene 4", "gene 9"}
    np.testing.assert_allclose(found.adjusted, false_discovery_control(found.pvalues))
    assert found.kinds[9] == "spread"
    old_is_p = found.labels[0] == "old"
    assert (found.effects[4] < 0) == old_is_p
    text = found.summary()
    assert "Which of 30 outcomes differ" in text
    assert "gene 4" in text
    assert json.loads(json.dumps(found.to_dict()))["names"] == list(Y.columns)
    assert "2 found" in repr(found)


@pytest.mark.parametrize("propensity", [None, np.full(N, 0.5), "estimate"], ids=["equal", "given", "estimated"])
def test_one_order_whatever_the_propensity(propensity):
    found = screen(X, Y, GROUP, propensity=propensity)
    assert "gene 4" in found.found


def test_it_agrees_with_the_test_of_one_outcome():
    found = screen(X, Y, GROUP)
    alone = cmmd_test(X, Y["gene 4"], GROUP, statistic=Family(), rng=0)
    assert alone.pvalue <= 0.01
    assert found.pvalues[4] <= 0.01


def test_shuffles_within_strata():
    x = RNG.integers(0, 3, size=N).astype(float)
    values = x[:, None] + RNG.normal(size=(N, 10))
    values[:, 2] += GROUP == "new"
    found = screen(x, values, GROUP)
    assert found.propensity_summary["source"] == "strata"
    assert found.found == ("y2",)


def test_what_is_refused():
    with pytest.raises(TypeError, match=r"'kind' has categories\. Pass one 0/1 column"):
        screen(X, Y.assign(kind=GROUP), GROUP)
    with pytest.raises(ValueError, match="`significance`"):
        screen(X, Y, GROUP, significance=2)
    with pytest.raises(ValueError, match="`propensity` must be 'estimate'"):
        screen(X, Y, GROUP, propensity="guess")
