"""Problems of a model and a sample: a normal forecast for each row, right or wrong.

The first is that of ECMMD's repository: X in R^3, Y = sum x + N(0, 1), and a model whose variance is larger by
rho exp(-|x - 0.8|^2 / 1.28).
"""

from functools import cache, partial

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge

from benchmarks.leaderboard.problems import MODEL, Modelled, Problem

ROWS = 100


def spread_near_a_point(rng, rho, n=ROWS):
    X = rng.normal(size=(n, 3))
    mean = X.sum(axis=1)
    variance = 1 + rho * np.exp(-((X - 0.8) ** 2).sum(axis=1) / 1.28)
    return Modelled(X, mean + rng.normal(size=n), mean, np.sqrt(variance))


def sine(rng, missed=0.0, noise="normal", n=ROWS):
    """Y = sin 2x + 0.5 exp(x / 4) noise; the model leaves a share of the sine out, or has lighter tails."""
    X = rng.normal(size=(n, 1))
    wave, sd = np.sin(2 * X[:, 0]), 0.5 * np.exp(X[:, 0] / 4)
    draws = rng.normal(size=n) if noise == "normal" else rng.standard_t(3, size=n) / np.sqrt(3)
    return Modelled(X, wave + sd * draws, (1 - missed) * wave, sd)


@cache
def fitted():
    """Diabetes: standardised covariates, the mean of a ridge regression, and the deviation of what it leaves."""
    table = load_diabetes()
    X = table.data / table.data.std(axis=0)
    mean = Ridge(1.0).fit(X, table.target).predict(X)
    return X, mean, float(np.std(table.target - mean))


def diabetes(rng, claimed=1.0, n=ROWS):
    """Real covariates, outcomes drawn from a regression on them; the model claims another spread."""
    X, mean, sd = fitted()
    rows = rng.permutation(len(X))[:n]
    Y = mean[rows] + sd * rng.normal(size=n)
    return Modelled(X[rows], Y, mean[rows], np.full(n, claimed * sd))


DRAWN = {
    "right, 3 covariates": (True, partial(spread_near_a_point, rho=0), 3, "ECMMD's problem, rho = 0"),
    "right, noise grows": (True, sine, 1, "Y = sin 2x + 0.5 exp(x / 4) N(0, 1)"),
    "right, real X": (True, diabetes, 10, "diabetes: outcomes drawn from a regression on ten covariates"),
    "spread, 50 rows": (False, partial(spread_near_a_point, rho=10, n=50), 3, "ECMMD's problem, rho = 10"),
    "spread, 100 rows": (False, partial(spread_near_a_point, rho=10), 3, "ECMMD's problem, rho = 10"),
    "mean missed": (False, partial(sine, missed=0.4), 1, "the model has 0.6 sin 2x"),
    "tails": (False, partial(sine, noise="t"), 1, "outcomes have the tails of t with 3 degrees, the same deviation"),
    "real X, too sure": (
        False,
        partial(diabetes, claimed=0.75),
        10,
        "diabetes; the model claims 0.75 of the deviation",
    ),
}
PROBLEMS = [
    Problem(name, MODEL, null, draw, about, covariates, rows="50" if "50" in name else str(ROWS))
    for name, (null, draw, covariates, about) in DRAWN.items()
]
