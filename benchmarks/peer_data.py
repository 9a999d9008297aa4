"""The data sets on which `peers` compares tools, as matrices of numbers, which is what all of them take."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks import designs
from benchmarks.procedures import as_numbers


class Scenario(NamedTuple):
    """Y = sin(2x) + noise, the same in both groups but for what is said here."""

    label: str
    null: bool
    moved: float = 1.0
    covariates: int = 1
    outcomes: int = 1
    noise: object = lambda x: 0.5 + 0 * x
    step: float = 0.0
    scale: float = 1.0
    slope: float = 0.0


SCENARIOS = [
    Scenario("X the same", null=True, moved=0.0),
    Scenario("X moved by 1 sd", null=True),
    Scenario("X moved, 5 covariates", null=True, covariates=5),
    Scenario("X moved, noise grows with x", null=True, noise=lambda x: 0.5 * np.exp(x / 2)),
    Scenario("mean + 0.5 where x > 0", null=False, step=0.5),
    Scenario("noise 1.5 times as large", null=False, scale=1.5),
    Scenario("slope + 0.4", null=False, slope=0.4),
    Scenario("mean + 0.5 where x > 0, in one of 5 outcomes", null=False, step=0.5, outcomes=5),
]


def draw(scenario, n, rng):
    """n + n rows; the first covariate has moved, and Y hangs on it and, where there is one, on the second."""
    group = np.repeat([1, 0], n)
    X = rng.normal(size=(2 * n, scenario.covariates))
    X[:, 0] += scenario.moved * (0.5 - group)
    x = X[:, 0]
    spread = scenario.noise(x) * np.where(group == 1, scenario.scale, 1)
    mean = np.sin(2 * x) + 0.5 * X[:, 1:2].sum(axis=1)
    Y = mean[:, None] + spread[:, None] * rng.normal(size=(2 * n, scenario.outcomes))
    Y[:, 0] += group * (scenario.step * (x > 0) + scenario.slope * x)
    return X, Y, group


def data_sets(scenario, n, seeds):
    drawn = [draw(scenario, n, np.random.default_rng([seed, n])) for seed in seeds]
    return {part: np.stack(tables) for part, tables in zip(("X", "Y", "group"), zip(*drawn, strict=True), strict=True)}


def real_data_sets(name, n, seeds):
    """An alternative of `designs` as standardised numbers; categories are indicators."""
    drawn = [designs.draw("power", name, n, seed) for seed in seeds]
    Xs, Ys, groups = zip(*drawn, strict=True)
    return {"X": standard_numbers(Xs), "Y": standard_numbers(Ys), "group": np.stack(groups)}


def standard_numbers(tables):
    """One array of all draws, with an indicator for each level that any of them has; columns have unit deviation."""
    frames = [table if isinstance(table, pd.DataFrame) else pd.DataFrame(np.asarray(table)) for table in tables]
    together = as_numbers(pd.concat(frames, ignore_index=True), drop_first=True)
    values = together.reshape(len(frames), len(frames[0]), together.shape[1])
    deviation = values.std(axis=1, keepdims=True)
    return (values - values.mean(axis=1, keepdims=True)) / np.where(deviation > 0, deviation, 1.0)


def cases(which, n, seeds):
    """What the rates are of: scenarios, with their data sets; real ones have rows of their own."""
    if which == "made-up":
        for scenario in SCENARIOS:
            yield scenario, data_sets(scenario, n, seeds)
        return
    for name, design in designs.ALTERNATIVES.items():
        for size in design.sizes:
            yield Scenario(f"{name}, {size}", null=False), real_data_sets(name, size, seeds)
