"""Nulls and alternatives as real tables have them: ``python -m benchmarks.real_tables [--trials 100] [--jobs 2]``.

Edges, trees and interactions that drive both who is in which group and the outcome; mixed columns; constant shifts;
tables that scikit-learn ships, with labels drawn from a tree of their covariates. For each design and procedure the
share of trials with a p-value of at most 0.05, with its standard error, and the seconds of a call.
"""

import argparse
import os
import sys
import warnings
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine  # noqa: E402
from sklearn.tree import DecisionTreeRegressor  # noqa: E402

from condmmd import Family, Forests, cmmd_test  # noqa: E402

PROCEDURES = {
    "default": {},
    "family": {"statistic": Family()},
    "family, forests": {"statistic": Family(), "residualize": Forests()},
}


def labelled(rng, X, log_odds):
    """Labels from their propensity, until each group has at least a quarter of the rows."""
    e = 1 / (1 + np.exp(-log_odds))
    while True:
        t = (rng.random(len(X)) < e).astype(int)
        if 0.25 < t.mean() < 0.75:
            return t


def edge(n, odds=2.0, jump=4.0):
    def draw(rng):
        X = rng.normal(size=(2 * n, 5))
        side = np.sign(X[:, 0])
        return X, jump * (side > 0) + rng.normal(size=2 * n), labelled(rng, X, odds * side)

    return draw


def four_leaves(n):
    def draw(rng):
        X = rng.normal(size=(2 * n, 5))
        leaf = 2 * (X[:, 0] > 0) + np.where(X[:, 0] > 0, X[:, 1] > 0.5, X[:, 2] > -0.5)
        mean, odds = np.array([0.0, 3.0, -2.0, 2.0]), np.array([-2.0, 0.0, 2.0, -1.0])
        return X, mean[leaf] + rng.normal(size=2 * n), labelled(rng, X, odds[leaf])

    return draw


def interaction(n, function, d=10, shift=0.0):
    def draw(rng):
        X = rng.normal(size=(2 * n, d))
        product = function(X[:, 0] * X[:, 1])
        t = labelled(rng, X, 1.5 * product)
        return X, 1.5 * product + rng.normal(size=2 * n) + shift * t, t

    return draw


def mixed(n, shift):
    def draw(rng):
        t, N = np.repeat([1, 0], n), 2 * n
        X = pd.DataFrame({
            "age": rng.normal(45 + 2 * t, 12), "education": rng.integers(8, 18, N).astype(float),
            "region": rng.choice(list("ABCDEFGH"), N), "income": rng.lognormal(10 + 0.1 * t, 0.6),
            "children": rng.poisson(1.2, N).astype(float), "sex": rng.choice(["f", "m"], N),
        })  # fmt: skip
        mean = 0.03 * X["age"] + 0.2 * X["education"] + 0.5 * np.log(X["income"]) + 0.5 * (X["region"] == "A")
        return X, mean + rng.normal(size=N) + shift * t, t

    return draw


def shifted(n, d, shift):
    def draw(rng):
        t = np.repeat([1, 0], n)
        X = rng.normal(size=(2 * n, d)) + 0.3 * t[:, None]
        return X, X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=2 * n) + shift * t, t

    return draw


def shipped(load, shift=0.0):
    """A real table: its outcome is kept, and the labels are drawn from an eight-leaf tree of its covariates."""

    def draw(rng):
        data = load()
        rows = rng.permutation(len(data.data))
        X, y = data.data[rows], np.asarray(data.target, dtype=float)[rows]
        tree = DecisionTreeRegressor(max_leaf_nodes=8, random_state=0).fit(X, y)
        leaf = tree.apply(X)
        odds = dict(zip(np.unique(leaf), rng.permutation(np.linspace(-1.5, 1.5, 8)), strict=False))
        t = labelled(rng, X, np.array([odds[k] for k in leaf]))
        return X, y + shift * y.std() * t, t

    return draw


NULLS = {
    "edge, 300": edge(300),
    "edge, 1000": edge(1000),
    "mild edge, 1000": edge(1000, 1.0, 1.0),
    "four leaves, 200": four_leaves(200),
    "four leaves, 1000": four_leaves(1000),
    "product of two of ten, 300": interaction(300, lambda p: np.clip(p, -3, 3)),
    "tanh of a product, 600": interaction(600, np.tanh),
    "mixed table, 200": mixed(200, 0.0),
    "diabetes, tree of X": shipped(load_diabetes),
    "wine, tree of X": shipped(load_wine),
    "breast cancer, tree of X": shipped(load_breast_cancer),
    "20 covariates, all moved, 200": shifted(200, 20, 0.0),
}
ALTERNATIVES = {
    "mixed table, half a noise sd, 200": mixed(200, 0.5),
    "5 covariates, 0.4 of a noise sd, 200": shifted(200, 5, 0.4),
    "product of ten, +0.6 sd, 300": interaction(300, lambda p: np.clip(p, -3, 3), shift=0.6),
    "product of ten, -0.6 sd, 300": interaction(300, lambda p: np.clip(p, -3, 3), shift=-0.6),
    "diabetes, +0.3 sd": shipped(load_diabetes, 0.3),
}


def trial(draw, seed, procedure):
    X, Y, group = draw(np.random.default_rng([seed, 23]))
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pvalue = cmmd_test(X, Y, group, n_resamples=199, rng=seed, **PROCEDURES[procedure]).pvalue
    return pvalue <= 0.05, perf_counter() - start


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_tables", description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--procedures", nargs="+", choices=PROCEDURES, default=list(PROCEDURES))
    parser.add_argument("--only", default="", help="designs whose name has this in it")
    options = parser.parse_args(arguments)
    for kind, designs in (("null", NULLS), ("power", ALTERNATIVES)):
        for name, draw in designs.items():
            if options.only not in name:
                continue
            cells = []
            for procedure in options.procedures:
                work = (delayed(trial)(draw, seed, procedure) for seed in range(options.trials))
                rejected, seconds = zip(*Parallel(n_jobs=options.jobs)(work), strict=True)
                rate = np.mean(rejected)
                error = (rate * (1 - rate) / options.trials) ** 0.5
                cells.append(f"{procedure} {rate:.3f} +- {error:.3f} ({np.median(seconds):.2f} s)")
            sys.stdout.write(f"{kind:5} {name:40} " + "; ".join(cells) + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
