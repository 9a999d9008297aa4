"""Real tables with labels drawn from a model of their covariates, so that the null is true whatever the table is.

The covariates and outcomes are those of scikit-learn's tables, of LaLonde's where they lie beside the repository, and
of the challenge ACIC 2016 where the package causallib is installed, which ships it; there labels are as they come.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.tree import DecisionTreeRegressor

from benchmarks.made_up import balanced, classes, labelled, standard
from experiments.data import data_file

LEAVES = 8


class Whole(NamedTuple):
    """A table: covariates (an array or a frame of numbers), the outcome, and the outcome as a number."""

    X: object
    Y: np.ndarray
    number: np.ndarray


def whole(data, *, classes=False):
    number = np.asarray(data.target, dtype=float)
    return Whole(data.data, np.array([f"class {c:g}" for c in number]) if classes else number, number)


def pixels():
    digits = whole(load_digits(), classes=True)
    return Whole(digits.X[:, digits.X.std(axis=0) > 0], digits.Y, digits.number)


def digit_components():
    """The first 20 principal components, and how much ink there is."""
    X = load_digits().data
    ink = X.mean(axis=1)
    return Whole(PCA(20, svd_solver="full").fit_transform(X), ink, ink)


def lalonde():
    """The trial and the survey's controls: earnings in 1978 given eight covariates, the rows of the trial first."""
    table = pd.concat([pd.read_csv(data_file(f"{name}_mixtape.csv")) for name in ("nsw", "cps")])
    X = table[["age", "educ", "black", "hisp", "marr", "nodegree", "re74", "re75"]].astype(float)
    earnings = table["re78"].to_numpy(dtype=float)
    return Whole(X, earnings, earnings)


LOAD = {
    "diabetes": lambda: whole(load_diabetes()),
    "wine": lambda: whole(load_wine()),
    "wine, classes": lambda: whole(load_wine(), classes=True),
    "breast cancer": lambda: whole(load_breast_cancer()),
    "iris, classes": lambda: whole(load_iris(), classes=True),
    "digits, pixels": pixels,
    "digits, components": digit_components,
    "lalonde": lalonde,
}
HAS_LALONDE = all(data_file(f"{name}_mixtape.csv") for name in ("nsw", "cps"))
TRIAL_ROWS = 445
ACIC = Path(spec.origin).parent / "datasets/data/acic_challenge_2016" if (spec := find_spec("causallib")) else None
ACIC_SETTINGS = 10


@cache
def loaded(name):
    return LOAD[name]()


def chosen(rng, name, n):
    """2 n rows in random order (all of them, where there are fewer); half of LaLonde's are of the trial, or all 445."""
    table = loaded(name)
    if name == "lalonde":
        trial = rng.permutation(TRIAL_ROWS)[:n]
        survey = TRIAL_ROWS + rng.permutation(len(table.Y) - TRIAL_ROWS)[: 2 * n - len(trial)]
        return rng.permutation(np.concatenate([trial, survey]))
    return rng.permutation(len(table.Y))[: 2 * n]


@cache
def acic_table(setting):
    return pd.read_csv(ACIC / "x.csv").join(pd.read_csv(ACIC / f"zymu_{setting}.csv"))


def acic(rng, n):
    """58 real columns and the labels of the challenge, in one of its settings; of all rows the untreated outcome."""
    table = acic_table(1 + int(rng.integers(ACIC_SETTINGS)))
    table = table.iloc[rng.permutation(len(table))[: 2 * n]].reset_index(drop=True)
    X = table.loc[:, table.columns.str.startswith("x_")]
    return X, table["y0"].to_numpy(), table["z"].to_numpy()


def rows_of(table, rows):
    X = table.X.iloc[rows].reset_index(drop=True) if isinstance(table.X, pd.DataFrame) else table.X[rows]
    return X, table.Y[rows] if table.Y.dtype.kind == "f" else classes(table.Y[rows])


def odds_of_leaves(rng, tree, X):
    """Log-odds from -1.5 to 1.5, in random order over the leaves."""
    leaf = tree.apply(np.asarray(X))
    known = np.flatnonzero(tree.tree_.children_left < 0)
    odds = np.zeros(tree.tree_.node_count)
    odds[known] = rng.permutation(np.linspace(-1.5, 1.5, len(known)))
    return odds[leaf]


def tree_of_all(rng, name, n, difference=0.0):
    """Labels from a tree fitted to the outcomes of the very rows that are tested, noise and all.

    Given the table they are drawn from a function of X, so that a test with the true propensity is exact. But the tree
    was cut where the noise of these outcomes is, which no regression of theirs can know: harder than a null in which
    the propensity was there first, as in all others here.
    """
    table = loaded(name)
    rows = rng.permutation(len(table.Y))[: 2 * n]
    X, Y = rows_of(table, rows)
    tree = DecisionTreeRegressor(max_leaf_nodes=LEAVES, random_state=0).fit(X, table.number[rows])
    leaf = tree.apply(np.asarray(X))
    odds = dict(zip(np.unique(leaf), rng.permutation(np.linspace(-1.5, 1.5, LEAVES)), strict=False))
    t = labelled(rng, np.array([odds[k] for k in leaf]))
    return X, Y + difference * Y.std() * t if difference else Y, t


def tree_of_half(rng, name, n):
    """Labels from a tree fitted to the outcomes of one half of the table; the rows are of the other half."""
    table = loaded(name)
    order = chosen(rng, name, 2 * n)
    first, rows = np.array_split(order, 2)
    seen, _ = rows_of(table, first)
    tree = DecisionTreeRegressor(max_leaf_nodes=LEAVES, min_samples_leaf=5, random_state=0)
    tree.fit(np.asarray(seen), table.number[first])
    X, Y = rows_of(table, rows)
    return X, Y, balanced(rng, odds_of_leaves(rng, tree, X))


def random_tree(rng, X):
    """Log-odds from a tree whose cuts are random, in no relation to any outcome."""
    X = np.asarray(X)
    tree = DecisionTreeRegressor(
        max_leaf_nodes=LEAVES, min_samples_leaf=len(X) // 20, splitter="random", random_state=int(rng.integers(2**31))
    )
    return odds_of_leaves(rng, tree.fit(X, rng.normal(size=len(X))), X)


def tree_of_chance(rng, name, n):
    """Labels from a random tree of the covariates."""
    X, Y = rows_of(loaded(name), chosen(rng, name, n))
    return X, Y, balanced(rng, random_tree(rng, X))


def logistic(rng, name, n):
    """Labels from a logistic model of three covariates' ranks, drawn anew each time, with log-odds of deviation 1."""
    X, Y = rows_of(loaded(name), chosen(rng, name, n))
    columns = rng.permutation(np.asarray(X).shape[1])[:3]
    ranks = rankdata(np.asarray(X)[:, columns], axis=0)
    return X, Y, balanced(rng, standard(ranks @ rng.choice([-1.0, 1.0], len(columns))))


def random_tree_outcome(rng, n):
    """Five numbers; one random tree of eight leaves gives the labels and, in another order, the means."""
    X = rng.normal(size=(2 * n, 5))
    odds = random_tree(rng, X)
    values, leaf = np.unique(odds, return_inverse=True)
    return X, 1.5 * rng.permutation(values)[leaf] + rng.normal(size=2 * n), balanced(rng, odds)
