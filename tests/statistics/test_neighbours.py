"""Nearest neighbours and what is summed over their edges, against loops over all pairs."""

import numpy as np
import pytest

from condmmd import Delta, Gaussian
from condmmd.data import read_table
from condmmd.statistics.neighbours import Neighbours, coordinates, default_neighbours

RNG = np.random.default_rng(0)
POINTS, RHO = RNG.normal(size=(25, 2)), RNG.normal(size=(25, 3))


def test_edges_against_all_pairs():
    distance = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argsort(distance, axis=1)[:, :4]
    graph = Neighbours.of(POINTS, 4)
    np.testing.assert_array_equal(np.sort(graph.of_row, axis=1), np.sort(nearest, axis=1))
    A = np.zeros((25, 25))
    A[np.arange(25)[:, None], nearest] = 1
    H = RHO @ RHO.T
    edges = graph.products(RHO)
    assert edges.statistic == pytest.approx((A * H).sum() / 100)
    assert edges.variance == pytest.approx(((A * H**2).sum() + (A * A.T * H**2).sum()) / 100)
    w = RNG.choice([-1.0, 1.0], 25)
    assert w @ (edges.quadratic @ w) == pytest.approx(10 * w @ (A * H) @ w / 100 / edges.variance**0.5)


def test_rows_of_equal_covariates_are_neighbours_by_chance():
    graph = Neighbours.of(np.repeat([[0.0], [1.0]], 200, axis=0), 5)
    assert ((graph.of_row < 200) == (np.arange(400) < 200)[:, None]).all()
    assert (graph.of_row != np.arange(400)[:, None]).all()
    assert np.bincount(graph.of_row.ravel()).max() < 20  # no row is a neighbour of all


def test_distances_are_in_the_kernels_units():
    table = read_table(POINTS, "X")
    np.testing.assert_array_equal(coordinates(table, Gaussian((1.0, 2.0))), POINTS / [1.0, 2.0])
    codes = read_table(POINTS > 0, "X")
    assert coordinates(codes, Delta()).shape == (25, 4)


def test_where_nothing_differs_the_score_is_zero():
    assert Neighbours.of(POINTS, 3).products(np.zeros((25, 1))).score == 0.0


def test_few_rows_have_few_neighbours():
    assert [default_neighbours(rows) for rows in (2, 9, 60, 1000)] == [1, 3, 20, 20]
