"""Predictions by trees, of few rows and of many."""

import numpy as np
import pytest

from condmmd.data import read_samples
from condmmd.nuisance import bagging
from condmmd.nuisance.bagging import bagged, bagging_words
from condmmd.nuisance.trees import Growth

RNG = np.random.default_rng(0)
N = 2000
X = RNG.normal(size=(N, 3))
EDGE = 2.0 * (X[:, :1] > 0.3)
Y = EDGE + 0.5 * RNG.normal(size=(N, 1))
TABLE = read_samples(X, Y, np.arange(N) % 2).x
GROWTH = Growth(trees=20, leaf=5)


@pytest.mark.parametrize("many", [False, True])
def test_an_edge_is_found_in_few_rows_and_in_many(many, monkeypatch):
    if many:
        monkeypatch.setattr(bagging, "MANY_ROWS", 500)
        monkeypatch.setattr(bagging, "GROWN_ROWS", 800)
    predicted = bagged(TABLE, Y, GROWTH)(Y)
    assert np.mean((predicted - EDGE) ** 2) < 0.05
    assert ("800 of the rows" in bagging_words(N, GROWTH)) == many


def test_other_columns_are_predicted_by_the_same_trees():
    """A column that has nothing to do with X is predicted by its mean, one that has by what it is."""
    predict = bagged(TABLE, Y, GROWTH)
    both = predict(np.column_stack([-3.0 * EDGE, RNG.normal(size=N)]))
    assert np.corrcoef(both[:, 0], EDGE[:, 0])[0, 1] < -0.97
    assert abs(np.corrcoef(both[:, 1], EDGE[:, 0])[0, 1]) < 0.2


def test_rows_in_chunks_get_the_same():
    da = pytest.importorskip("dask.array")
    here = bagged(TABLE, Y, GROWTH)(Y)
    chunked = read_samples(da.from_array(X, chunks=(700, 3)), da.from_array(Y, chunks=(700, 1)), np.arange(N) % 2)
    there = bagged(chunked.x, chunked.y.values, GROWTH)(chunked.y.values)
    assert there.chunks[0] == chunked.y.values.chunks[0]
    np.testing.assert_allclose(np.asarray(there), here, atol=1e-12)
