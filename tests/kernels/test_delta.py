"""The delta kernel: equal rows, in memory, on a device and in chunks."""

import array_api_strict as strict
import dask.array as da
import numpy as np

from condmmd import Delta
from condmmd.backend import to_host

X = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 1.0], [2.0, 0.0]])


def test_rows_are_equal_in_every_column_or_not_at_all():
    expected = (X[:, None] == X[None]).all(-1).astype(float)
    np.testing.assert_array_equal(Delta()(X), expected)
    np.testing.assert_array_equal(to_host(Delta().gram(strict.asarray(X), strict.asarray(X))), expected)
    np.testing.assert_array_equal(Delta().diagonal(X), 1.0)


def test_a_feature_for_each_different_row():
    for rows in (X, da.from_array(X, chunks=(1, 2))):
        features = Delta().feature_map(rows)
        assert features.size == 3
        np.testing.assert_array_equal(features(X) @ features(X).T, Delta()(X))
    np.testing.assert_array_equal(features(np.array([[7.0, 7.0]])), 0.0)  # a category not seen before
