"""Folds: every row is predicted once, by models that have not seen it."""

import numpy as np
import pytest

from condmmd.backend import content_order
from condmmd.nuisance.folds import balanced_folds, fold_parts, shuffled_folds


@pytest.mark.parametrize(("count", "n_folds"), [(20, 5), (23, 5), (7, 2)])
def test_shuffled_folds_are_even_and_repeatable(count, n_folds):
    folds = shuffled_folds(count, n_folds)
    sizes = np.bincount(folds)
    assert len(sizes) == n_folds
    assert sizes.max() - sizes.min() <= 1
    np.testing.assert_array_equal(folds, shuffled_folds(count, n_folds))
    assert np.any(np.diff(folds) != (np.diff(np.arange(count) % n_folds)))


def test_balanced_folds_have_both_groups():
    t = np.random.default_rng(0).permutation(np.repeat([1.0, 0.0], [10, 40]))
    folds = balanced_folds(t, 5, np.arange(50))
    np.testing.assert_array_equal(np.bincount(folds, weights=t), np.full(5, 2))
    few, one = np.repeat([1.0, 0.0], [3, 40]), np.repeat([1.0, 0.0], [1, 40])
    assert balanced_folds(few, 5, np.arange(43)).max() == 2  # as many as the smaller group allows
    assert balanced_folds(one, 5, np.arange(41)).max() == 1


def test_a_row_takes_its_fold_with_it():
    rng = np.random.default_rng(1)
    X, t, moved = rng.integers(0, 3, size=(60, 2)) / 7, rng.permutation(np.repeat([1.0, 0.0], 30)), rng.permutation(60)
    X[:20] = rng.normal(size=(20, 2))
    folds, again = (balanced_folds(t[rows], 5, content_order(X[rows])) for rows in (np.arange(60), moved))
    np.testing.assert_array_equal(_members(X[moved], t[moved], again), _members(X, t, folds))
    other = balanced_folds(1 - t, 5, content_order(X))
    np.testing.assert_array_equal(other, folds)
    order = content_order(X, t)
    np.testing.assert_array_equal(shuffled_folds(60, 4, order)[order], shuffled_folds(60, 4))


def _members(X, t, folds):
    """What is in the folds, whichever of two equal rows it is."""
    rows = np.column_stack([folds, t, X])
    return rows[np.lexsort(rows.T)]


def test_parts_cover_the_rows_once():
    folds = shuffled_folds(23, 4)
    seen = np.zeros(23)
    for rows, train in fold_parts(23, folds):
        seen[rows] += 1
        assert sorted([*rows, *train]) == list(range(23))
    np.testing.assert_array_equal(seen, 1)
    ((rows, train),) = fold_parts(5, None)
    np.testing.assert_array_equal(rows, train)
