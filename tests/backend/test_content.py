import numpy as np
import pytest

from condmmd.backend import content_order, content_sample, sample_rows


@pytest.fixture
def values():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 3, 200), rng.gamma(1.0, size=200)])


def test_where_a_row_stands_does_not_matter(values):
    moved = np.random.default_rng(1).permutation(200)
    np.testing.assert_array_equal(moved[content_order(values[moved])], content_order(values))
    np.testing.assert_array_equal(np.sort(moved[content_sample(values[moved], 50)]), content_sample(values, 50))
    np.testing.assert_array_equal(content_sample(values, 200), np.arange(200))


def test_of_very_many_rows_the_sample_is_by_position():
    values = np.random.default_rng(0).normal(size=(30_000, 2))
    np.testing.assert_array_equal(content_sample(values, 100), sample_rows(30_000, 100))


def test_nor_do_the_columns_order_and_units(values):
    np.testing.assert_array_equal(content_order(values[:, [2, 0, 3, 1]]), content_order(values))
    np.testing.assert_array_equal(
        content_order(values * [1e-3, 7.0, 60.0, 1e200] + [0, 5.0, 0, 0]), content_order(values)
    )


def test_rows_that_differ_do_not_tie():
    """A balanced table of zeros and ones, whose columns have the same values."""
    table = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T
    moved = np.random.default_rng(1).permutation(16)
    np.testing.assert_array_equal(table[moved][content_order(table[moved])], table[content_order(table)])


def test_ties_are_broken(values):
    values[:] = values[0]
    tie = np.random.default_rng(2).normal(size=200)
    np.testing.assert_array_equal(content_order(values, tie), np.argsort(tie))


@pytest.mark.parametrize("scale", [1e-300, 1.7e307])
def test_extreme_scales(values, scale):
    values = values / np.abs(values).max()
    np.testing.assert_array_equal(content_order(values * scale), content_order(values))
    assert len(content_order(np.empty((5, 0)))) == 5
