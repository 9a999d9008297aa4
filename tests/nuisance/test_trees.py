"""Trees in bags: what a row is told has not seen it, whoever walks the tree."""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from condmmd.backend import to_host
from condmmd.data import read_samples
from condmmd.nuisance.trees import MAX_BAG, Growth, grow

RNG = np.random.default_rng(0)
N = 240
FRAME = pd.DataFrame({"a": RNG.normal(size=N), "kind": RNG.choice(list("uvwxyz"), N), "b": RNG.normal(size=N)})
TARGET = np.column_stack([2.0 * (FRAME["a"] > 0) + FRAME["kind"].isin(["u", "x"]) + 0.1 * RNG.normal(size=N)])
X = read_samples(FRAME, TARGET, np.arange(N) % 2).x
VALUES = to_host(X.values)
IN_UNITS = np.round(TARGET / TARGET.std(), 5)  # what trees are grown on


def test_a_row_is_told_what_trees_say_that_have_not_seen_it():
    bags = grow(X, TARGET, Growth(trees=30, leaf=5))
    before, row = bags.out_of_bag(TARGET), 17
    changed = TARGET.copy()
    changed[row] += 100.0
    after = bags.out_of_bag(changed)
    assert after[row] == before[row]
    assert np.abs(after - before).max() > 1.0  # of those that share a leaf with it
    seen_by = [row in tree.rows for tree in bags.trees]
    assert 0.4 < np.mean(seen_by) < 0.85


def test_leaves_hold_the_mean_of_their_bag():
    numbers = read_samples(FRAME[["a", "b"]], TARGET, np.arange(N) % 2).x
    bags = grow(numbers, TARGET, Growth(trees=1, leaf=5))
    (tree,) = bags.trees
    values = to_host(numbers.values).astype(np.float32)
    own = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
    own.fit(values[tree.rows], TARGET[tree.rows, 0], sample_weight=tree.counts)
    outside = np.setdiff1d(np.arange(N), tree.rows)
    np.testing.assert_allclose(bags.out_of_bag(TARGET)[outside, 0], own.predict(values[outside]), rtol=1e-6)
    np.testing.assert_allclose(bags.out_of_bag(TARGET)[tree.rows, 0], TARGET.mean())  # which every tree has seen


def test_walking_a_tree_anywhere_gives_what_scikit_learn_gives():
    bags = grow(X, TARGET, Growth(trees=8, leaf=5, depth=4))
    other = VALUES[::-1]
    expected = np.zeros((N, 1))
    for tree in bags.trees:
        ordered = np.column_stack([other[:, 0], other[:, 2], tree.orders[0][other[:, 1].astype(int)]])
        leaves = tree.grown.apply(ordered.astype(np.float32))
        expected += tree.grown.value[leaves, 0] / 8
    np.testing.assert_allclose(bags.at_leaves(bags.walk(other), IN_UNITS), expected, rtol=1e-6)


def test_categories_are_ordered_by_the_bag_alone():
    bags = grow(X, TARGET, Growth(trees=3, leaf=5))
    for tree in bags.trees:
        codes = VALUES[tree.rows, 1].astype(int)
        for code in range(6):
            own = codes == code
            expected = np.average(IN_UNITS[tree.rows, 0][own], weights=tree.counts[own])
            np.testing.assert_allclose(tree.orders[0][code], expected)


def test_a_rare_category_that_no_bag_has_is_of_the_middle():
    frame = pd.DataFrame({"kind": ["rare"] + ["u", "v"] * 60})
    y = np.where(frame["kind"] == "u", 1.0, 0.0)[:, None]
    table = read_samples(frame, y, np.arange(121) % 2).x
    bags = grow(table, y, Growth(trees=20, leaf=5))
    code = int(np.flatnonzero(np.array(table.columns[0].categories) == "rare")[0])
    for tree in bags.trees:
        expected = 0.0 if 0 in tree.rows else np.average(y[tree.rows, 0] / y.std(), weights=tree.counts)
        np.testing.assert_allclose(tree.orders[0][code], expected, rtol=1e-5)
    assert 0 < sum(0 in tree.rows for tree in bags.trees) < 20


def test_the_order_of_the_rows_does_not_matter():
    order = RNG.permutation(N)
    moved = read_samples(FRAME.iloc[order], TARGET[order], np.arange(N) % 2).x
    growth = Growth(trees=10, leaf=5)
    here, there = (
        grow(X, TARGET, growth).out_of_bag(TARGET),
        grow(moved, TARGET[order], growth).out_of_bag(TARGET[order]),
    )
    np.testing.assert_allclose(there, here[order], atol=1e-12)


def test_of_many_rows_a_bag_has_some():
    many = 2 * MAX_BAG + 100
    x = RNG.normal(size=(many, 1))
    table = read_samples(x, x, np.arange(many) % 2).x
    bags = grow(table, x, Growth(trees=8, leaf=50))
    assert {len(tree.rows) for tree in bags.trees} == {MAX_BAG}
    assert np.corrcoef(bags.out_of_bag(x)[:, 0], x[:, 0])[0, 1] > 0.95


def test_a_row_is_told_the_mean_of_the_trees_that_have_not_seen_it():
    numbers = read_samples(FRAME[["a", "b"]], TARGET, np.arange(N) % 2).x
    bags = grow(numbers, TARGET, Growth(trees=6, leaf=5))
    values, found = to_host(numbers.values).astype(np.float32), bags.out_of_bag(TARGET)[:, 0]
    leaves = [tree.grown.apply(values) for tree in bags.trees]
    for row in range(0, N, 20):
        told = []
        for tree, leaf in zip(bags.trees, leaves, strict=True):
            if row not in tree.rows:
                own = leaf[tree.rows] == leaf[row]
                told.append(np.average(TARGET[tree.rows, 0][own], weights=tree.counts[own]))
        np.testing.assert_allclose(found[row], np.mean(told) if told else TARGET.mean())
