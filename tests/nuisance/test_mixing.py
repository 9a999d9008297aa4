"""A propensity with an edge: trees have a share where they predict better, and none where they do not."""

import numpy as np
from sklearn.metrics import log_loss

from condmmd.data import read_samples
from condmmd.nuisance.mixing import COUNTS, MIN_ROWS, _losses, mixed_with_trees
from condmmd.regression.odds import log_odds

RNG = np.random.default_rng(0)
N = 2 * MIN_ROWS + 400
X = RNG.normal(size=(N, 3))


def labels_of(odds):
    e = 1 / (1 + np.exp(-odds))
    return (RNG.random(N) < e).astype(float), e


def test_trees_find_an_interaction_that_the_estimate_has_not():
    t, true = labels_of(2.0 * np.sign(X[:, 0] * X[:, 1]))
    flat = np.full(N, t.mean())
    e, own, trees = mixed_with_trees(read_samples(X, X[:, 0], t).x, t, flat)
    assert (own, trees) in COUNTS
    assert trees > 0
    assert np.mean((e - true) ** 2) < 0.3 * np.mean((flat - true) ** 2)


def test_an_estimate_that_is_right_stays_as_it_is():
    t, true = labels_of(X[:, 0])
    e, *counts = mixed_with_trees(read_samples(X, X[:, 0], t).x, t, true)
    assert counts == [1.0, 0.0]
    assert e is true


def test_few_rows_are_not_enough():
    few = slice(0, MIN_ROWS)
    t, true = labels_of(3.0 * np.sign(X[:, 0] * X[:, 1]))
    flat = np.full(MIN_ROWS, 0.5)
    e, *counts = mixed_with_trees(read_samples(X[few], X[few, 0], t[few]).x, t[few], flat)
    assert e is flat
    assert counts == [1.0, 0.0]
    assert np.isfinite(log_odds(true)).all()


def test_mixtures_are_judged_by_their_likelihood():
    """Of odds, taken from those of all rows, as scikit-learn has the loss."""
    t, e = labels_of(X[:, 0] - 1.0)
    by_trees, base = np.clip(e + 0.1 * RNG.normal(size=N), 0.05, 0.95), -0.7
    sums, squares = _losses(t, e, by_trees, base)
    for k, (own, trees) in enumerate(COUNTS):
        odds = base + own * (log_odds(e) - base) + trees * (log_odds(by_trees) - base)
        mixed = 1 / (1 + np.exp(-odds))
        np.testing.assert_allclose(sums[k] / N, log_loss(t, mixed) - log_loss(t, e), atol=1e-9)
        likelier = np.log(np.where(t == 1, mixed / e, (1 - mixed) / (1 - e)))
        np.testing.assert_allclose(squares[k], np.sum(likelier**2), atol=1e-9)
