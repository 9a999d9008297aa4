"""Problems of two samples: made up by formula, and as tables have them (`designs`)."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks import designs
from benchmarks.leaderboard.problems import TWO_SAMPLES, Problem, TwoSamples
from benchmarks.procedures import as_numbers

ROWS = 150


class Scenario(NamedTuple):
    """Y = sin(2x) + noise, the same in both groups but for what is said here."""

    null: bool
    moved: float = 1.0
    covariates: int = 1
    outcomes: int = 1
    noise: object = lambda x: 0.5 + 0 * x
    step: float = 0.0
    scale: float = 1.0
    slope: float = 0.0


SCENARIOS = {
    "X the same": Scenario(null=True, moved=0.0),
    "X moved": Scenario(null=True),
    "X moved, 5 covariates": Scenario(null=True, covariates=5),
    "X moved, noise grows": Scenario(null=True, noise=lambda x: 0.5 * np.exp(x / 2)),
    "mean step": Scenario(null=False, step=0.5),
    "noise 1.5": Scenario(null=False, scale=1.5),
    "slope": Scenario(null=False, slope=0.4),
    "step in 1 of 5 outcomes": Scenario(null=False, step=0.5, outcomes=5),
}
ABOUT = {
    "X the same": "Y = sin 2x + N(0, 0.5^2), X normal",
    "X moved": "the same, X moved by one deviation",
    "X moved, 5 covariates": "and + 0.5 x_2, with three covariates that do nothing",
    "X moved, noise grows": "deviation 0.5 exp(x / 2)",
    "mean step": "X moved; in one group + 0.5 where x > 0",
    "noise 1.5": "X moved; in one group 1.5 times the deviation",
    "slope": "X moved; in one group + 0.4 x",
    "step in 1 of 5 outcomes": "X moved; + 0.5 where x > 0 in the first of five outcomes",
}
# Of `designs`: kind, name there, rows a group, covariates as numbers, and what it is.
TABLES = {
    "edge": (
        "null",
        "edge",
        300,
        5,
        "5 covariates; the sign of one drives the labels (log-odds 2) and the mean (4 sd)",
    ),
    "mixed table": ("null", "mixed table", 200, 12, "six columns of people, of four kinds; X moved"),
    "real X and Y": ("null", "diabetes: a random tree", 221, 10, "diabetes; labels drawn by a random tree of X"),
    "leaves, shift": ("power", "four leaves, +0.5 sd", 200, 5, "four leaves drive labels and mean; + 0.5 noise sd"),
    "mixed table, shift": ("power", "mixed table, half a noise sd", 200, 12, "people; + 0.5 noise sd"),
    "real X, shift": ("power", "diabetes, +0.3 sd", 221, 10, "diabetes; labels by a tree of Y; + 0.3 sd of Y"),
}
OF = {"leaves, shift": "edge", "mixed table, shift": "mixed table", "real X, shift": "real X and Y"}
TIMED = {"500": (500, 1), "1000": (1000, 1), "500, 5 covariates": (500, 5), "1000, 5 covariates": (1000, 5)}


def draw(rng, scenario, n=ROWS):
    """n + n rows; the first covariate has moved, and Y hangs on it and, where there is one, on the second."""
    group = np.repeat([1, 0], n)
    X = rng.normal(size=(2 * n, scenario.covariates))
    X[:, 0] += scenario.moved * (0.5 - group)
    x = X[:, 0]
    spread = scenario.noise(x) * np.where(group == 1, scenario.scale, 1)
    mean = np.sin(2 * x) + 0.5 * X[:, 1:2].sum(axis=1)
    Y = mean[:, None] + spread[:, None] * rng.normal(size=(2 * n, scenario.outcomes))
    Y[:, 0] += group * (scenario.step * (x > 0) + scenario.slope * x)
    return TwoSamples(X, Y, group, 1 / (1 + np.exp(scenario.moved * x)))


def draw_table(rng, kind, name, n):
    """A table as it is, and as standardised numbers with an indicator for each level but one."""
    X, Y, group = designs.KINDS[kind][name].draw(rng, n=n)
    return TwoSamples(X, Y, group, matrices=(standard_numbers(X), standard_numbers(Y)))


def standard_numbers(table):
    frame = table if isinstance(table, pd.DataFrame) else pd.DataFrame(np.asarray(table))
    values = as_numbers(frame, drop_first=True)
    deviation = values.std(axis=0)
    return (values - values.mean(axis=0))[:, deviation > 0] / deviation[deviation > 0]


def timed(name, n, covariates):
    scenario = Scenario(null=True, covariates=covariates)
    return Problem(
        name, TWO_SAMPLES, null=True, draw=partial(draw, scenario=scenario, n=n), about="", covariates=covariates,
        known=True, trials=3,
    )  # fmt: skip


PROBLEMS = [
    *(
        Problem(
            name, TWO_SAMPLES, scenario.null, partial(draw, scenario=scenario), ABOUT[name], scenario.covariates,
            scenario.outcomes, known=True, rows=f"{ROWS} + {ROWS}", of="X moved",
        )
        for name, scenario in SCENARIOS.items()
    ),
    *(
        Problem(
            name, TWO_SAMPLES, kind == "null", partial(draw_table, kind=kind, name=design, n=n), about, covariates,
            rows=f"{n} + {n}", of=OF.get(name, ""),
        )
        for name, (kind, design, n, covariates, about) in TABLES.items()
    ),
    *(timed(name, *size) for name, size in TIMED.items()),
]  # fmt: skip
