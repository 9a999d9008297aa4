"""Operations that the array API lacks, against NumPy's, in memory and on a device."""

import array_api_strict as strict
import numpy as np
import pytest

from condmmd.backend import (
    as_float_like,
    disjoint_columns,
    exp_in_place,
    inner_products,
    interpolate,
    largest,
    multiply_in_place,
    multiply_into,
    put_rows,
    root,
    sigmoid,
    square_sums,
    squared_norms,
    to_host,
    transposed,
    weighted_rows,
)

RNG = np.random.default_rng(0)
A = RNG.normal(size=(6, 3))


@pytest.fixture(params=[np.array, strict.asarray], ids=["NumPy", "device"])
def array(request):
    return request.param


def test_elementwise(array):
    np.testing.assert_allclose(to_host(sigmoid(array(A))), 1 / (1 + np.exp(-A)))
    np.testing.assert_allclose(to_host(exp_in_place(array(A))), np.exp(A))
    np.testing.assert_allclose(to_host(squared_norms(array(A))), (A**2).sum(axis=1))
    np.testing.assert_allclose(to_host(inner_products(array(A), array(A[::-1].copy()))), (A * A[::-1]).sum(axis=1))
    np.testing.assert_allclose(to_host(multiply_in_place(array(A.copy()), 3.0)), 3 * A)
    np.testing.assert_allclose(to_host(root(array(A**2 - 1))), np.sqrt(np.maximum(A**2 - 1, 0)))
    np.testing.assert_allclose(to_host(square_sums(array(A))), (A**2).sum(axis=0))
    np.testing.assert_array_equal(to_host(transposed(array(A))), A.T)
    target = array(np.zeros((6, 3)))
    multiply_into(target, array(A), array(A))
    np.testing.assert_allclose(to_host(target), A**2)
    assert to_host(as_float_like(array(np.array([1, 2])), array(A))).dtype == np.float64


def test_interpolation(array):
    knots, heights = np.array([0.0, 1.0, 3.0]), np.array([5.0, 7.0, 0.0])
    at = np.array([-1.0, 0.0, 0.25, 1.0, 2.0, 3.0, 9.0])
    np.testing.assert_allclose(to_host(interpolate(array(at), knots, heights)), np.interp(at, knots, heights))
    np.testing.assert_allclose(to_host(interpolate(array(at), knots[:1], heights[:1])), 5.0)


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_weighted_rows(array, kind):
    weights = np.array([1, 0, 1, 1, 0, 0], dtype=kind)
    left, phi, other = weighted_rows(array(weights), array(A), array(2 * A))
    np.testing.assert_allclose(to_host(left) @ to_host(phi), A.T @ np.diag(weights) @ A)
    np.testing.assert_allclose(to_host(left) @ to_host(other), 2 * A.T @ np.diag(weights) @ A)


def test_features_of_which_a_row_has_one():
    phi = np.eye(3)[[0, 2, 1, 2, 0]] * 2.0
    phi[3] = 0.0
    parts = disjoint_columns(phi)
    assert [sorted(set(rows) - {3}) for rows in parts] == [[0, 4], [2], [1]]
    assert sum(len(rows) for rows in parts) == 5
    phi[0, 1] = 1.0
    assert disjoint_columns(phi) is None
    assert disjoint_columns(phi[:, :1]) is None
    assert disjoint_columns(strict.asarray(np.eye(3))) is None


def test_the_largest_and_those_as_large():
    values = np.array([3.0, 1.0, 3.0, 2.0])
    np.testing.assert_array_equal(largest(values, 1), [0, 2])  # a tie
    np.testing.assert_array_equal(largest(strict.asarray(values), 3), [0, 2, 3])
    np.testing.assert_array_equal(largest(values, 9), [0, 1, 2, 3])


def test_rows_are_written_over(array):
    target = array(np.zeros((3, 2)))
    put_rows(target, np.array([2, 0]), array(np.array([[1.0, 2.0], [3.0, 4.0]])))
    np.testing.assert_array_equal(to_host(target), [[3, 4], [0, 0], [1, 2]])
