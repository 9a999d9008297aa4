"""What a problem is, by the question that it asks, and the list of all problems."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

TWO_SAMPLES, PAIRED, MODEL, CALIBRATION = "two samples", "pairs", "model", "calibration"


class TwoSamples(NamedTuple):
    """Is Y given X the same in both groups? ``matrices`` are X and Y as numbers, for methods that take nothing else."""

    X: object
    Y: np.ndarray
    group: np.ndarray
    e: np.ndarray | None = None
    matrices: tuple | None = None

    def numbers(self):
        X, Y = self.matrices or (self.X, self.Y)
        return X, np.asarray(Y, dtype=float).reshape(len(Y), -1), self.group

    def arrays(self):
        return dict(zip(("X", "Y", "group"), self.numbers(), strict=True))


class Pairs(NamedTuple):
    """Have both outcomes of a row the same law given X?"""

    X: np.ndarray
    Y1: np.ndarray
    Y2: np.ndarray

    def arrays(self):
        return self._asdict()


class Modelled(NamedTuple):
    """Is Y given X normal with this mean and deviation?"""

    X: np.ndarray
    Y: np.ndarray
    mean: np.ndarray
    sd: np.ndarray

    def sample(self, rng, draws):
        """One row of outcomes a draw of the model."""
        return self.mean + self.sd * rng.normal(size=(draws, len(self.mean)))

    def arrays(self):
        return self._asdict()


class Predictions(NamedTuple):
    """Is label c as frequent as predicted among the rows with the prediction P?"""

    P: np.ndarray
    labels: np.ndarray

    @property
    def X(self):
        return self.P

    @property
    def Y(self):
        return np.eye(self.P.shape[1])[self.labels]

    def sample(self, rng, draws):
        """Indicators of labels drawn from the predictions."""
        above = rng.random((draws, len(self.P), 1)) > np.cumsum(self.P, axis=1)[None, :, :-1]
        return np.eye(self.P.shape[1])[above.sum(axis=2)]

    def arrays(self):
        return self._asdict()


class Problem(NamedTuple):
    """A way to draw data of one question. ``trials`` is how many are wanted where that is not for the command to say.

    ``covariates`` and ``outcomes`` are how many there are, and ``known`` is whether the true propensity is. ``of`` is
    the null that an alternative was made from, where it is one of them and not all.
    """

    name: str
    question: str
    null: bool
    draw: Callable
    about: str
    covariates: int = 1
    outcomes: int = 1
    known: bool = False
    rows: str = ""
    of: str = ""
    trials: int | None = None

    @property
    def timed(self):
        """Whether it is there for its seconds alone."""
        return self.trials is not None

    def data(self, trial):
        """The same for the same trial, on any machine and in any order."""
        return self.draw(np.random.default_rng([trial, 23]))


def all_problems():
    from benchmarks.leaderboard import models, pairs, predictions, two_samples  # noqa: PLC0415 - they import this

    return [*two_samples.PROBLEMS, *pairs.PROBLEMS, *models.PROBLEMS, *predictions.PROBLEMS]
