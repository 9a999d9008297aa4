"""Interactions without main effects: found where they are, cut where the means change, and not where there are none."""

import numpy as np
import pandas as pd
import pytest

from condmmd.backend import to_host
from condmmd.data import read_samples
from condmmd.data.warning_types import ConstantColumnWarning
from condmmd.nuisance.bagging import bagged, cells_of
from condmmd.nuisance.interactions import Cells, find_cells, with_cells
from condmmd.nuisance.trees import Growth

RNG = np.random.default_rng(0)
N = 600
X = RNG.normal(size=(N, 5)) + 0.3
TABLE = read_samples(X, X[:, 0], np.arange(N) % 2).x
NOISE = RNG.normal(size=(N, 1))


def test_the_cell_of_a_row_is_its_place_among_all_combinations():
    cells = Cells((0, 2), ((0.0, 1.0), (0.5,)))
    rows = np.array([[-1.0, 9.0, 0.0], [0.0, 9.0, 0.6], [0.5, 9.0, 0.5], [2.0, 9.0, 3.0]])
    assert cells.count == 6
    assert cells(rows).tolist() == [0.0, 1.0, 2.0, 5.0]


@pytest.mark.parametrize("columns", [(1, 3), (0, 2, 4)])
def test_a_product_of_signs_is_found_and_cut_where_the_signs_change(columns):
    sign = np.sign(np.prod(X[:, columns], axis=1))[:, None]
    found = find_cells(TABLE, 2 * sign + NOISE)
    assert found[0].columns == columns
    nearest = [min(np.abs(cuts)) for cuts in found[0].cuts]
    assert max(nearest) < 0.05  # the medians are at 0.3


def test_noise_and_main_effects_are_no_interactions():
    main = X[:, :1] + np.sign(X[:, 1:2]) + X[:, 2:3] ** 2
    assert sum(len(find_cells(TABLE, RNG.normal(size=(N, 2)))) for _ in range(20)) <= 1
    assert find_cells(TABLE, 2 * np.round(main, 1) + NOISE) == ()
    assert find_cells(TABLE, np.ones((N, 1))) == ()


def test_categories_take_part():
    colour = RNG.choice(["red", "blue", "grey"], N)
    frame = pd.DataFrame({"a": X[:, 0] - 0.3, "colour": colour, "b": X[:, 1]})
    table = read_samples(frame, X[:, 0], np.arange(N) % 2).x
    sign = np.where(colour == "red", 1.0, -1.0) * np.sign(frame["a"])
    found = find_cells(table, np.asarray(sign)[:, None] + NOISE)
    assert [cells.words(table) for cells in found] == ["a by colour"]


def test_trees_see_through_cells_what_they_do_not_see_by_single_columns():
    sign = np.sign(np.prod(X[:, [0, 1, 2]] - 0.3, axis=1))[:, None]
    target = sign + NOISE
    cells = cells_of(TABLE, target)
    alone, with_them = (np.mean((bagged(TABLE, target, Growth(50, 10), c)(sign) - sign) ** 2) for c in ((), cells))
    assert alone > 0.6
    assert with_them < 0.3


def test_cells_are_further_columns():
    cells = (Cells((0, 1), ((0.0,), (0.0,))),)
    table = with_cells(TABLE, cells)
    assert table.names == (*TABLE.names, "x0 by x1")
    assert table.categorical == (5,)
    values = to_host(table.values)
    np.testing.assert_array_equal(values[:, 5], 2 * (X[:, 0] > 0) + (X[:, 1] > 0))
    assert with_cells(TABLE, ()) is TABLE


def test_neither_the_order_of_rows_nor_a_constant_column_matters():
    sign = np.sign(np.prod(X[:, :2], axis=1))[:, None] + NOISE
    order = RNG.permutation(N)
    assert find_cells(TABLE.at(X[order]), sign[order]) == find_cells(TABLE, sign)
    with pytest.warns(ConstantColumnWarning):
        constant = read_samples(np.column_stack([X, np.ones(N)]), X[:, 0], np.arange(N) % 2).x
    assert find_cells(constant, sign) == find_cells(TABLE, sign)


def test_of_many_pairs_no_more_are_found_by_chance():
    """Noise over 40 columns, so 780 pairs: one false interaction in a hundred tables is allowed, whatever the pairs."""
    wide = RNG.normal(size=(N, 40))
    table = read_samples(wide, wide[:, 0], np.arange(N) % 2).x
    assert sum(len(find_cells(table, RNG.normal(size=(N, 1)))) for _ in range(20)) <= 1


def test_cuts_stay_at_quantiles_where_no_other_place_is_clearly_better():
    """The signs change at the medians; the other cuts are between rows of equal means, where noise decides."""
    centred = X - np.quantile(X, 0.5, axis=0, method="inverted_cdf")
    sign = np.where(np.prod(centred[:, [1, 3]] > 0, axis=1) + np.prod(centred[:, [1, 3]] <= 0, axis=1), 1.0, -1.0)
    (found,) = find_cells(TABLE, 2 * sign[:, None] + NOISE)
    assert found.columns == (1, 3)
    for j, cuts in zip(found.columns, found.cuts, strict=True):
        parts = len(cuts) + 1
        np.testing.assert_array_equal(cuts, np.quantile(X[:, j], np.arange(1, parts) / parts, method="inverted_cdf"))
