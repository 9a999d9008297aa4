"""Both groups along one covariate: what each has there, adjusted for the other covariates, and the difference.

The level is the partial dependence of the models that the test has: their predictions with this one covariate set to a
value and the others as they are, averaged over rows; they are asked through trees that repeat them. Around it each
group has what the models leave of its rows near that value, weighted as in `Means`, so that the two curves are exactly
as far apart as the difference that is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.data import Table
from condmmd.explain.evidence import Evidence
from condmmd.explain.measures import Measure
from condmmd.explain.windows import Windows, weighted
from condmmd.nuisance.trees import Bags, Growth, grow

__all__ = ["Course", "Dependence"]

# Trees that repeat the models; rows on which they grow, and rows whose other covariates are averaged over, at most.
REPEATING = Growth(trees=40, leaf=5)
GROWN_ROWS, AVERAGED_ROWS = 3000, 200
MAX_TARGETS = 4


@dataclass(frozen=True, eq=False)
class Course:
    """One measure of the outcomes along one covariate.

    Attributes
    ----------
    covariate, measure
        In words.
    categories, low, high, dates
        As in `Profile`.
    middle
        The middle row's value in each bin; of categories their number.
    n_obs
        Rows of P and Q in each bin.
    shift, error
        The measure in P less that in Q in the window around each bin, given the covariates, and its standard error; NaN
        without rows of both groups.
    levels, level_errors
        The measure in P (first row) and in Q, adjusted for the other covariates, and standard errors of what the group
        has beside the models.
    """

    covariate: str
    measure: str
    categories: tuple[str, ...]
    low: Array
    high: Array
    dates: bool
    middle: Array
    n_obs: npt.NDArray[np.int64]
    shift: Array
    error: Array
    levels: Array
    level_errors: Array

    @property
    def few(self) -> bool:
        """Whether each bin is one value: points, which no line joins."""
        return bool(self.categories) or bool((self.low == self.high).all())

    def to_dict(self) -> dict[str, Any]:
        """In types that JSON has; there is no NaN in it."""
        plain: dict[str, Any] = {"covariate": self.covariate, "measure": self.measure, "dates": self.dates}
        plain |= {"categories": list(self.categories), "rows": self.n_obs.tolist()}
        numbers = {
            "low": self.low, "high": self.high, "middle": self.middle, "shift": self.shift, "error": self.error,
            "levels_p": self.levels[0], "levels_q": self.levels[1],
            "errors_p": self.level_errors[0], "errors_q": self.level_errors[1],
        }  # fmt: skip
        return plain | {name: [float(v) if np.isfinite(v) else None for v in own] for name, own in numbers.items()}


@dataclass(frozen=True, eq=False)
class Dependence:
    """What the models predict of some measures, with one covariate set to a value."""

    x: Table
    measures: tuple[Measure, ...]
    predicted: Array
    bags: Bags
    others: Array
    t: Array

    @classmethod
    def of(cls, evidence: Evidence, measures: list[Measure]) -> Dependence:
        """Repeat the models by trees."""
        x, predicted = evidence.samples.x, np.stack([measure.predicted for measure in measures], axis=1)
        order = np.random.default_rng(0).permutation(len(predicted))
        some = np.sort(order[:GROWN_ROWS])
        values = to_host(x.values)
        bags = grow(x.at(values[some]), predicted[some, :MAX_TARGETS], REPEATING)
        return cls(x, tuple(measures), predicted[some], bags, values[np.sort(order[:AVERAGED_ROWS])], evidence.t)

    def course(self, windows: Windows, position: int, measure: str) -> Course:
        """A measure along the covariate in a column of the table."""
        number = [own.words for own in self.measures].index(measure)
        means, middle = self.measures[number].means, _middles(to_host(self.x.values)[:, position], windows)
        level = self._levels(position, middle)[:, number]
        found = np.array([weighted(means.levels, own[windows.of_row]) for own in windows.join])  # (bins, P or Q, 2)
        n_p = np.bincount(windows.of_row, weights=self.t, minlength=windows.count).astype(np.int64)
        n_obs = np.stack([n_p, np.bincount(windows.of_row, minlength=windows.count) - n_p], axis=1)
        return Course(
            windows.column.name, measure, windows.categories, windows.low, windows.high, windows.column.dates,
            np.arange(windows.count, dtype=np.float64) if windows.categories else middle, n_obs,
            found[:, 0, 0] - found[:, 1, 0], np.hypot(found[:, 0, 1], found[:, 1, 1]),
            level + found[:, :, 0].T, found[:, :, 1].T,
        )  # fmt: skip

    def _levels(self, position: int, values: Array) -> Array:
        rows = np.tile(self.others, (len(values), 1))
        rows[:, position] = np.repeat(values, len(self.others))
        predicted = to_host(self.bags.at_leaves(self.bags.walk(rows), self.predicted))
        return predicted.reshape(len(values), len(self.others), -1).mean(axis=1)


def _middles(values: Array, windows: Windows) -> Array:
    """The middle row's value in each bin."""
    order = np.lexsort((values, windows.of_row))
    starts = np.searchsorted(windows.of_row[order], np.arange(windows.count + 1))
    return values[order[(starts[:-1] + starts[1:] - 1) // 2]]
