"""The paper's data: one function a design, each returning a draw with its labels and its true propensity."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm


@dataclass
class Draw:
    """One data set: covariates, outcomes, labels, true propensity, blocks; whether X has equal distributions."""

    X: object
    Y: np.ndarray
    t: np.ndarray
    e: np.ndarray
    equal: bool = False
    blocks: np.ndarray | None = None


def curve(x):
    """The paper's E[Y | X = x]."""
    return np.exp(-0.5 * x**2) * np.sin(2 * x)


def labels(n, m):
    return np.repeat([1.0, 0.0], [n, m])


def shifted(rng, n, m, mean_p, mean_q, sd=1.0):
    """Normal covariates, labels, and the probability of P in the pooled sample."""
    x = np.concatenate([rng.normal(mean_p, sd, n), rng.normal(mean_q, sd, m)])
    p, q = n * norm.pdf(x, mean_p, sd), m * norm.pdf(x, mean_q, sd)
    return x, labels(n, m), p / (p + q)


def theta(value, n=100, sd=0.75):
    """Power against the mean of X (errata 3: the text has variance 3/4, the runs standard deviation 0.75)."""

    def draw(rng):
        x, t = rng.normal(value, sd, 2 * n), labels(n, n)
        y = np.where(t == 1, curve(x), x) + 0.5 * rng.normal(size=2 * n)
        return Draw(x, y, t, np.full(2 * n, 0.5), equal=True)

    return draw


def dimension(D, n=100, sd=0.75):
    def draw(rng):
        X, t = rng.normal(0.5, sd, size=(2 * n, D)), labels(n, n)
        noise = (0.45 + 0.05 * np.arange(1, D + 1)) * rng.normal(size=(2 * n, D))
        return Draw(X, np.where(t[:, None] == 1, curve(X), X) + noise, t, np.full(2 * n, 0.5), equal=True)

    return draw


def levels_setting(which, value, n=100):
    def draw(rng):
        x, t = rng.beta(4, 4, 2 * n), labels(n, n)
        wave = np.sin(np.pi * x)
        z = (1 - value) * wave + (value * (3 * x - 0.5) if which == 1 else 0.5 * value)
        y = np.where(t == 1, wave, z) + 0.5 * rng.normal(size=2 * n)
        return Draw(x, y, t, np.full(2 * n, 0.5), equal=True)

    return draw


def setting(c=None, *, n=250, shift=1.0, difference=None):
    """The appendix settings 1 (shift 0) and 2 (shift 1). Z has mean E[Y | X] + c X, or X if c is None."""

    def draw(rng):
        x, t, e = shifted(rng, n, n, -shift / 2, shift / 2)
        extra = difference(x) if difference else x - curve(x) if c is None else c * x
        return Draw(x, curve(x) + (1 - t) * extra + 0.5 * rng.normal(size=2 * n), t, e, equal=shift == 0)

    return draw


def cosine(rng, n=100, difference=0.0):
    """The doubly robust experiment; with ``difference`` 0 its null (errata 2: the exponents are negative)."""
    x = np.concatenate([rng.random(n), rng.beta(0.5, 0.5, n)])
    x = np.clip(x, 1e-9, 1 - 1e-9)
    t = labels(n, n)
    e = 1 / (1 + x**-0.5 * (1 - x) ** -0.5 / np.pi)
    common = np.cos(4 * np.pi * x) + (0.5 * x**2 if difference == 0 else 0)
    return Draw(x, common + difference * t * x**2 + 0.5 * rng.normal(size=2 * n), t, e)
