"""Problems of pairs: two outcomes of the same rows, Y = sin 2x + noise in both but for what is said."""

from functools import partial

import numpy as np

from benchmarks.leaderboard.problems import PAIRED, Pairs, Problem

ROWS = 100


def draw(rng, covariates=1, change=None, scale=1.0, noise=None, shared=0.0):
    """``change`` of the first mean, ``scale`` of its noise; ``shared`` is a deviation that both outcomes have."""
    X = rng.normal(size=(ROWS, covariates))
    x = X[:, 0]
    spread = 0.5 if noise is None else noise(x)
    mean = np.sin(2 * x) + 0.5 * X[:, 1:2].sum(axis=1) + shared * rng.normal(size=ROWS)
    first, second = (mean + spread * factor * rng.normal(size=ROWS) for factor in (scale, 1.0))
    return Pairs(X, first + (0 if change is None else change(x)), second)


DRAWN = {
    "the same law": (True, {}, "deviation 0.5"),
    "noise grows": (True, {"noise": lambda x: 0.5 * np.exp(x / 2)}, "deviation 0.5 exp(x / 2)"),
    "5 covariates": (True, {"covariates": 5}, "+ 0.5 x_2, and three that do nothing"),
    "units differ": (True, {"shared": 0.5}, "each unit has an effect of deviation 0.5 on both outcomes"),
    "mean 0.35 x": (False, {"change": lambda x: 0.35 * x}, "+ 0.35 x in the first outcome"),
    "noise 1.5": (False, {"scale": 1.5}, "1.5 times the deviation in the first outcome"),
    "local bump": (False, {"change": lambda x: 0.8 * np.exp(-8 * (x - 0.3) ** 2)}, "+ 0.8 exp(-8 (x - 0.3)^2)"),
    "slope, 5 covariates": (False, {"covariates": 5, "change": lambda x: 0.35 * x}, "+ 0.35 x_1"),
}
PROBLEMS = [
    Problem(
        name, PAIRED, null, partial(draw, **settings), about, settings.get("covariates", 1), rows=str(ROWS)
    )
    for name, (null, settings, about) in DRAWN.items()
]  # fmt: skip
