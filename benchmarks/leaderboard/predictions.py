"""Problems of calibration: predicted class probabilities, and labels that follow them or do not."""

from functools import cache, partial

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.leaderboard.problems import CALIBRATION, Predictions, Problem

ROWS = 100


def labels(rng, truth):
    return (rng.random((len(truth), 1)) > np.cumsum(truth, axis=1)[:, :-1]).sum(axis=1)


def drawn(rng, classes, truth=None, concentration=1.0):
    """Predictions from a Dirichlet law, and labels from ``truth`` of them."""
    P = rng.dirichlet(np.full(classes, concentration), ROWS)
    return Predictions(P, labels(rng, P if truth is None else truth(P)))


def tempered(P, power=0.5):
    """What an overconfident forecaster should have said."""
    weights = P**power
    return weights / weights.sum(axis=1, keepdims=True)


def bent(P):
    """The second class as often as p - p^5 / 3: too high where it is sure."""
    p = P[:, 1] - P[:, 1] ** 5 / 3
    return np.column_stack([1 - p, p])


@cache
def digits():
    """Predictions of digits that were not seen, by a regression on eight of their pixels: unsure, as it should be."""
    table = load_digits()
    X = table.data[:, 18:46:4]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return model.fit(X[::2], table.target[::2]).predict_proba(X[1::2])


@cache
def naive_bayes():
    """Predictions of naive Bayes for the other half of the breast cancer table, and the labels."""
    table = load_breast_cancer()
    X, y = table.data[:, :10], table.target
    return GaussianNB().fit(X[::2], y[::2]).predict_proba(X[1::2]), y[1::2]


def from_digits(rng):
    P = digits()[rng.permutation(len(digits()))[:ROWS]]
    return Predictions(P, labels(rng, P))


def from_naive_bayes(rng):
    P, y = naive_bayes()
    rows = rng.permutation(len(y))[:ROWS]
    return Predictions(P[rows], y[rows])


DRAWN = {
    "right, 2 classes": (True, partial(drawn, classes=2), 2, "p uniform"),
    "right, sure": (True, partial(drawn, classes=2, concentration=0.2), 2, "p from Beta(0.2, 0.2)"),
    "right, 3 classes": (True, partial(drawn, classes=3), 3, "p uniform on the simplex"),
    "right, digits": (True, from_digits, 10, "predictions of a regression on digits, labels drawn from them"),
    "too high where sure": (False, partial(drawn, classes=2, truth=bent), 2, "truth p - p^5 / 3"),
    "overconfident": (False, partial(drawn, classes=2, truth=tempered), 2, "truth in proportion to sqrt p"),
    "overconfident, 3 classes": (False, partial(drawn, classes=3, truth=tempered), 3, "truth in proportion to sqrt p"),
    "naive Bayes": (False, from_naive_bayes, 2, "breast cancer, unseen rows, and their real labels"),
}
PROBLEMS = [
    Problem(name, CALIBRATION, null, draw, about, classes, rows=str(ROWS))
    for name, (null, draw, classes, about) in DRAWN.items()
]
