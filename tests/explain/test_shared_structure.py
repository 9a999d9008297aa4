"""Products over pairs of rows of a cell: literal sums, centred where either model is right, large where none is."""

import numpy as np
import pandas as pd
import pytest

from condmmd.data import read_table
from condmmd.explain.shared_structure import CELL_ROWS, Left, Partition, partitions
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
    return Left.of(partitions(read_table(X, "X")), t, np.full(n, 0.5), r[:, None])


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
    """At most 1 of 12 at 0.05: with exact p-values two or more would have a chance of 0.12."""
    found = [rows(seed, of_labels, of_outcomes, shift).shared().pvalue <= 0.05 for seed in range(12)]
    assert sum(found) <= 1


def test_labels_drawn_anew_have_their_propensity_refitted():
    """What the propensity was fitted to is gone from the labels; so it must be from those that they are compared with.

    Without the refit, products along the fitted covariate would look far smaller than at labels drawn anew.
    """
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 1))
    t = (rng.random(500) < 1 / (1 + np.exp(-x[:, 0]))).astype(float)
    e, fit = cross_validated_logistic(x, t, np.array([1e3]), np.arange(500), np.arange(500) % 5)
    parts = partitions(read_table(x, "X"))[:1]  # two halves, which the fit has seen
    r = np.sign(x) + 0.1 * rng.normal(size=(500, 1))
    refitted = Left.of(parts, t, e, r, None, fit)
    drawn = [(rng.random(500) < e).astype(float) for _ in range(100)]
    of_r = refitted.of_r[:, 0]
    literal = []
    for labels in drawn:
        own, _ = cross_validated_logistic(x, labels, np.array([1e3]), np.arange(500), np.arange(500) % 5)
        literal.append((labels - own) @ of_r)
    spread = np.std(refitted.at_labels_anew(np.random.default_rng(1).random((400, 500))) @ of_r)
    assert spread == pytest.approx(np.std(literal), rel=0.25)
    assert spread < 0.8 * np.std([(labels - e) @ of_r for labels in drawn])


def test_what_opposes_a_difference_is_no_alarm():
    """A structure of either sign makes a difference of its own; against a larger one it only makes that smaller."""
    assert rows(0, 0.25, -1.0).shared().pvalue <= 0.01
    assert rows(0, 0.25, -1.0, shift=4.0).shared().pvalue > 0.05
