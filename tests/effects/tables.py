"""Tables with known differences, and evidence without any models."""

from functools import cache

import numpy as np

from condmmd import cmmd_test

RNG = np.random.default_rng(3)
N = 300
X = RNG.normal(size=(N, 2))
E = 1 / (1 + np.exp(-0.8 * X[:, 0]))
T = (RNG.random(N) < E).astype(int)
Y = X[:, 0] + RNG.normal(size=N) + 0.5 * T
SETTINGS = {"n_resamples": 19, "rng": 0}


@cache
def plain():
    """Known probabilities and outcomes as they are."""
    return cmmd_test(X, Y, T, propensity=E, residualize=False, **SETTINGS)


@cache
def default():
    return cmmd_test(X, Y, T, **SETTINGS)
