"""Their three designs: a model with the wrong spread, probabilities that are too high, a straight line for a wave."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Normal:
    """Covariates, outcomes, and a normal law for each row."""

    X: np.ndarray
    y: np.ndarray
    mean: np.ndarray
    sd: np.ndarray

    def draw(self, rng, count):
        return rng.normal(self.mean, self.sd, size=(count, len(self.y)))


@dataclass(frozen=True)
class Binary:
    """Predicted probabilities of label 1, and labels."""

    p: np.ndarray
    y: np.ndarray

    @property
    def X(self):
        return np.column_stack([self.p, 1 - self.p])

    def draw(self, rng, count):
        return 1.0 * (rng.random((count, len(self.p))) < self.p)


def goodness_of_fit(rho, rows, rng):
    """Y is normal around the sum of three covariates with variance 1; the model's grows near (0.8, 0.8, 0.8)."""
    X = rng.normal(size=(int(rows), 3))
    mean = X.sum(axis=1)
    variance = 1 + rho * np.exp(-((X - 0.8) ** 2).sum(axis=1) / (2 * 0.8**2))
    return Normal(X, rng.normal(mean), mean, np.sqrt(variance))


def classes(wrong, signal, rng, rows=100):
    """Predictions p from Dirichlet(s, 1 - s); label 1 has the probability p, or p less its fifth power."""
    p = rng.beta(signal, 1 - signal, size=rows)
    return Binary(p, 1.0 * (rng.random(rows) < (p - p**5 if wrong else p)))


def regression(wrong, signal, rng, rows=50, fitted=200):
    """s sin(pi x) with noise that grows in x, against a line and one spread; right: outcomes are drawn from these."""
    x = rng.uniform(-1, 1, fitted + rows)
    y = signal * np.sin(np.pi * x) + np.abs(1 + x) * rng.normal(0, 0.15, fitted + rows)
    slope, height = np.polyfit(x[:fitted], y[:fitted], 1)
    line = height + slope * x
    sd = np.full(rows, np.std(y[:fitted] - line[:fitted], ddof=1))
    mean = line[fitted:]
    return Normal(np.column_stack([mean, sd]), y[fitted:] if wrong else rng.normal(mean, sd), mean, sd)
