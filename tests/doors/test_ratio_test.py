"""`ratio_test`: exact for the true ratio, and it finds what is wrong with another."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Gaussian, ratio_test

RNG = np.random.default_rng(1)
GROUP = np.repeat([1, 0], 100)
X = np.concatenate([RNG.normal(0, 1, 100), RNG.normal(0.5, 1, 100)])
Y = X + RNG.normal(size=200)
RATIO = np.exp(0.5 * X)


def test_the_true_ratio_and_wrong_ones():
    assert ratio_test(X, Y, GROUP, RATIO, rng=0).pvalue > 0.05
    wrong = ratio_test(X, Y, GROUP, np.ones(200), rng=0)
    assert wrong.pvalue == 0.001
    assert "is not that of the densities of (x0, y0) in 0 and in 1" in wrong.sentence()
    in_y = ratio_test(X, Y + 0.8 * (GROUP == 0), GROUP, RATIO, rng=0)
    alone = {row.name: row.pvalue for row in in_y.by_level}
    assert in_y.pvalue <= 0.005
    assert alone["the distribution of X"] > 0.05
    assert alone["the distribution of (X, Y)"] <= 0.01
    assert in_y.mmd > 3 * abs(ratio_test(X, Y, GROUP, RATIO, rng=0).mmd)


def test_odds_may_depend_on_y():
    """Q is P tilted by exp(0.7 y): its density is known, and so are the labels."""
    y = RNG.normal(size=4000)
    take = RNG.random(4000) < np.exp(0.7 * y) / np.exp(0.7 * y).max()
    y = np.concatenate([RNG.normal(size=150), y[take][:150]])
    group, x = np.repeat([1, 0], [150, len(y) - 150]), RNG.normal(size=len(y))
    assert ratio_test(x, y, group, lambda x, y: np.exp(0.7 * y), rng=0).pvalue > 0.05
    assert ratio_test(x, y, group, lambda x, y: np.exp(0.7 * x), rng=0).pvalue == 0.001


def test_a_column_a_function_and_values_are_one():
    frame = pd.DataFrame({"x": X, "y": Y, "arm": GROUP, "weight": RATIO})
    plain = ratio_test(X, Y, GROUP, RATIO, rng=0)
    named = ratio_test(None, "y", "arm", "weight", data=frame, rng=0)
    function = ratio_test("x", "y", "arm", lambda x, y: np.exp(0.5 * x["x"]), data=frame, rng=0)
    assert plain.pvalue == named.pvalue == function.pvalue
    assert named.call.endswith("ratio_test(None, 'y', 'arm', 'weight', data=data, rng=0)")
    assert "Is the density of (x, y) in 0 (100 rows) the given ratio times that in 1 (100 rows)?" in named.summary()
    assert named.to_dict()["n_obs"] == {"P": 100, "Q": 100}
    assert tuple(named) == (named.statistic, named.pvalue)
    assert "pvalue" in repr(named)


def test_it_is_exact():
    """Over all labels of 3 + 3 rows, weighted by their law, the p-value by all of them is at most any of its values."""
    x, y = RNG.normal(size=6), RNG.normal(size=6)
    r = np.exp(x + 0.5 * y)
    subsets = list(combinations(range(6), 3))
    labels = np.array([[1 if i in subset else 0 for i in range(6)] for subset in subsets])
    law = np.prod(np.where(labels == 1, 1 / r, 1.0), axis=1)
    law /= law.sum()
    kernel = Gaussian(1.0)
    found = [ratio_test(x, y, t, r, kernel_x=kernel, kernel_y=kernel, n_resamples=499, rng=3) for t in labels]
    pvalues = np.array([result.pvalue for result in found])
    for alpha in (0.1, 0.3, 0.5, 0.8):
        assert law[pvalues <= alpha].sum() <= alpha + 0.05  # 499 label vectors: a p-value has a deviation of 0.02


def test_what_is_refused():
    bad = RATIO.copy()
    bad[17] = -1
    with pytest.raises(ValueError, match="`ratio` must be positive and finite; row 17 has -1"):
        ratio_test(X, Y, GROUP, bad)
    with pytest.raises(ValueError, match="`kernel_y` must be a kernel of columns"):
        ratio_test(X, Y, GROUP, RATIO, kernel_y="precomputed")
    with pytest.raises(ValueError, match="`n_resamples`"):
        ratio_test(X, Y, GROUP, RATIO, n_resamples=0)
    with pytest.raises(TypeError, match="kernel_x"):
        ratio_test(X, Y, GROUP, RATIO, kernel_x=CMMD())
