"""Distances between rows, against SciPy's."""

import array_api_strict as strict
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from condmmd.backend import distances, equal_rows, row_distances, to_host

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("others", [1, 5])
@pytest.mark.parametrize("array", [np.asarray, strict.asarray], ids=["NumPy", "device"])
def test_every_way(metric, columns, others, array):
    """One column, one point, and the general case; each column in units of its scale."""
    A, B, scale = RNG.normal(size=(8, columns)), RNG.normal(size=(others, columns)), RNG.uniform(0.5, 2, columns)
    expected = cdist(A / scale, B / scale, metric)
    np.testing.assert_allclose(to_host(distances(array(A), array(B), metric, scale)), expected, atol=1e-7)
    np.testing.assert_allclose(to_host(distances(array(A), array(B), metric)), cdist(A, B, metric), atol=1e-7)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("array", [np.asarray, strict.asarray], ids=["NumPy", "device"])
def test_row_by_row(metric, columns, array):
    A, B, scale = RNG.normal(size=(8, columns)), RNG.normal(size=(8, columns)), RNG.uniform(0.5, 2, columns)
    expected = np.diagonal(cdist(A / scale, B / scale, metric))
    np.testing.assert_allclose(to_host(row_distances(array(A), array(B), metric, scale)), expected, rtol=1e-14)


def test_the_precision_is_that_of_the_rows():
    A = strict.asarray(RNG.normal(size=(4, 2)).astype(np.float32))
    assert distances(A, A, "euclidean", 0.7).dtype == row_distances(A, A, "cityblock", 0.7).dtype == strict.float32


def test_far_from_zero_the_digits_are_kept():
    A = RNG.normal(size=(8, 3))
    far = strict.asarray(A + 2**20)
    np.testing.assert_allclose(to_host(distances(far, far, "euclidean")), cdist(A, A), atol=1e-5)


@pytest.mark.parametrize("array", [np.asarray, strict.asarray], ids=["NumPy", "device"])
def test_equal_rows(array):
    A = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 1.0]])
    np.testing.assert_array_equal(to_host(equal_rows(array(A), array(A[:2]))), [[1, 0], [0, 1], [1, 0]])
