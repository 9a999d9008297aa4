"""Folds: every row is predicted once, by models that have not seen it."""

import numpy as np
import pytest

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
    folds = balanced_folds(t, 5)
    np.testing.assert_array_equal(np.bincount(folds, weights=t), np.full(5, 2))
    assert balanced_folds(np.repeat([1.0, 0.0], [3, 40]), 5).max() == 2  # as many as the smaller group allows
    assert balanced_folds(np.repeat([1.0, 0.0], [1, 40]), 5).max() == 1


def test_parts_cover_the_rows_once():
    folds = shuffled_folds(23, 4)
    seen = np.zeros(23)
    for rows, train in fold_parts(23, folds):
        seen[rows] += 1
        assert sorted([*rows, *train]) == list(range(23))
    np.testing.assert_array_equal(seen, 1)
    ((rows, train),) = fold_parts(5, None)
    np.testing.assert_array_equal(rows, train)
