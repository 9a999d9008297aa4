"""Columns in units in which no tail matters."""

import array_api_strict as strict
import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

from condmmd.backend import to_host
from condmmd.data import read_table
from condmmd.nuisance.scores import Scores, one_hot

RNG = np.random.default_rng(0)


def test_normal_scores():
    values = np.array([[1e9], [0.0], [-5.0], [0.0]])
    scores = Scores.of(read_table(values, "X"))(values)
    assert scores[0] > scores[1] == scores[3] > scores[2]
    np.testing.assert_allclose(scores.sum(), 0, atol=1e-12)


def test_scores_are_quantiles_of_ranks_and_do_not_depend_on_units():
    values = RNG.standard_cauchy(size=(50, 2)).round(1)
    scores = Scores.of(read_table(values, "X"))
    expected = norm.ppf((rankdata(values, axis=0) - 0.5) / 50)
    np.testing.assert_allclose(scores(values), expected, atol=1e-9)
    bent = np.exp(values / 20)
    np.testing.assert_allclose(Scores.of(read_table(bent, "X"))(bent), expected, atol=1e-9)
    np.testing.assert_allclose(to_host(scores(strict.asarray(values))), expected, atol=1e-9)


def test_indicators_of_categories_that_are_few():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "kind": ["b", "a", "b"]})
    table = read_table(frame, "X")
    np.testing.assert_array_equal(one_hot(table.values, table), [[0, 1], [1, 0], [0, 1]])
    assert one_hot(table.values, table, max_levels=1).shape == (3, 0)
    assert Scores.of(table).columns == (0,)
    words = read_table(frame[["kind"]], "X")
    assert Scores.of(words)(words.values).shape == (3, 0)
