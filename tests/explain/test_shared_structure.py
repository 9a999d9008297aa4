"""Products over pairs of rows of a cell: literal sums, centred where either model is right, large where none is."""

import numpy as np
import pandas as pd
import pytest

from condmmd.data import read_table
from condmmd.explain.shared_structure import CELL_ROWS, Left, Partition, partitions
from condmmd.labels import Multipliers
from condmmd.labels.fits import ByColumns
from condmmd.regression.logistic import cross_validated_logistic


def literal_product(cells, tau, r, blocks=None):
    """The sum over pairs of different rows (of different blocks) of one cell, by its rows."""
    total = 0.0
    for i in range(len(tau)):
        for j in range(len(tau)):
            apart = i != j if blocks is None else blocks[i] != blocks[j]
            if apart and cells[i] == cells[j]:
                total += tau[i] * r[j] / np.sum(cells == cells[i])
    return total


@pytest.mark.parametrize("blocks", [None, np.arange(60) // 3], ids=["rows", "blocks"])
def test_the_product_is_the_sum_over_pairs(blocks):
    rng = np.random.default_rng(0)
    cells, tau, r = rng.integers(0, 4, 60), rng.normal(size=60), rng.normal(size=60)
    found = tau @ Partition((0,), cells).others(r[:, None], blocks)[:, 0]
    assert found == pytest.approx(literal_product(cells, tau, r, blocks))


def test_partitions_are_bins_and_categories_with_rows_enough():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "c": ["u", "v", "w", "w"] * 50})
    parts = partitions(read_table(frame, "X"))
    assert {part.covariates for part in parts} >= {(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)}
    assert all(len(np.unique(part.cells)) <= 200 / CELL_ROWS for part in parts)
    by_category = next(part for part in parts if part.covariates == (2,))
    assert len({frozenset(frame["c"][by_category.cells == k]) for k in range(3)}) == 3
    halves = next(part for part in parts if part.covariates == (0,))
    np.testing.assert_array_equal(
        halves.cells == halves.cells[0], (frame["a"] > frame["a"].median()) == (frame["a"][0] > frame["a"].median())
    )


def rows(seed, of_labels, of_outcomes, shift=0.0, n=400):
    """Labels and residuals with a checkerboard of two covariates left in either; and a difference."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    board = np.sign(X[:, 0] * X[:, 1])
    t = (rng.random(n) < 0.5 + of_labels * board).astype(float)
    r = of_outcomes * board + shift * (t - 0.5) + rng.normal(size=n)
    return Left.of(partitions(read_table(X, "X")), t, np.full(n, 0.5), r[:, None], None, Multipliers(t - 0.5))


def test_a_structure_that_both_models_missed_is_found_with_its_size():
    left = rows(0, 0.25, 1.0)
    shared = left.shared()
    assert shared.pvalue <= 0.01
    assert set(shared.covariates) >= {0, 1}
    # The sum of 0.25 * 1.0 over the rows, by the standard error of the difference: half the root of the sum of r^2.
    assert shared.bias == pytest.approx(400 * 0.25 / (0.5 * np.sqrt(400 * 2)), rel=0.35)
    assert left.predicted_labels().share == pytest.approx(0.25, abs=0.1)  # 0.25^2 of 0.25
    assert left.predicted_outcomes().share == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize(("of_labels", "of_outcomes", "shift"), [(0.25, 0, 0), (0, 1.0, 0), (0, 0, 1.5), (0, 1.0, 1.5)])
def test_one_right_model_is_enough_and_a_difference_is_no_confounding(of_labels, of_outcomes, shift):
    """At most 4 of 24 at 0.05: with exact p-values more would have a chance of 0.006."""
    found = [rows(seed, of_labels, of_outcomes, shift).shared().pvalue <= 0.05 for seed in range(24)]
    assert sum(found) <= 4


def test_the_labels_compared_with_have_the_fit_taken_out_of_them():
    """What the propensity was fitted to is gone from the labels, so it must be from those they are compared with."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 1))
    t = (rng.random(500) < 1 / (1 + np.exp(-x[:, 0]))).astype(float)
    fit = cross_validated_logistic(x, t, np.array([1e3]), np.arange(500), np.arange(500) % 5)
    e = fit.e
    own = Multipliers(t - e, ByColumns.of(fit, e * (1 - e)))
    parts = partitions(read_table(x, "X"))[:1]  # two halves, which the fit has seen
    left = Left.of(parts, t, e, np.sign(x) + 0.1 * rng.normal(size=(500, 1)), None, own)
    of_r, literal = left.of_r[:, 0], []
    drawn = [(rng.random(500) < e).astype(float) for _ in range(100)]
    for labels in drawn:
        again = cross_validated_logistic(x, labels, np.array([1e3]), np.arange(500), np.arange(500) % 5).e
        literal.append((labels - again) @ of_r)
    spread = np.std(own.draw([(400, np.random.default_rng(1))], t).held @ of_r)
    assert spread == pytest.approx(np.std(literal), rel=0.25)
    assert spread < 0.8 * np.std([(labels - e) @ of_r for labels in drawn])


def test_the_p_value_is_the_larger_of_those_by_signs_of_labels_and_of_residuals():
    """Of one partition and one direction, written out."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 1))
    t = (rng.random(300) < 1 / (1 + np.exp(-x[:, 0]))).astype(float)
    fit = cross_validated_logistic(x, t, np.array([1e3]), np.arange(300), np.arange(300) % 5)
    e = fit.e
    own = Multipliers(t - e, ByColumns.of(fit, e * (1 - e)))
    parts = partitions(read_table(x, "X"))[:1]
    left = Left.of(parts, t, e, np.sign(x) + rng.normal(size=(300, 1)), None, own)
    U = left.tau @ left.of_r[:, 0]
    of_labels = own.draw([(199, np.random.default_rng(0))], t).held @ left.of_r[:, 0]
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(199, 300))
    of_residuals = (signs * left.R[:, 0]) @ left.of_tau[:, 0]
    expected = max((1 + np.sum(drawn >= U)) / 200 for drawn in (of_labels, of_residuals))
    assert left.shared().pvalue == expected


def test_what_opposes_a_difference_is_no_alarm():
    """A structure of either sign makes a difference of its own; against a larger one it only makes that smaller."""
    assert rows(0, 0.25, -1.0).shared().pvalue <= 0.01
    assert rows(0, 0.25, -1.0, shift=4.0).shared().pvalue > 0.05
