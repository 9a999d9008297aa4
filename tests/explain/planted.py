"""Samples with a known difference in a known place."""

import numpy as np
import pandas as pd


def planted(seed, n=1000, effect=1.0):
    """Three uniform covariates; outcomes differ by ``effect`` noise standard deviations where x1 > 0.5."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((2 * n, 3)), columns=["x1", "x2", "x3"])
    group = np.repeat([1, 0], n)
    return X, np.sin(3 * X.x1) + X.x2 + effect * group * (X.x1 > 0.5) + rng.normal(size=2 * n), group


def board(seed, n=400):
    """A checkerboard of two of four covariates drives both the labels and the outcomes; nothing differs."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 4))
    drive = 1.5 - 3 * ((np.floor(4 * X[:, 0]) + np.floor(4 * X[:, 1])) % 2)
    return X, drive + rng.normal(size=n), (rng.random(n) < 1 / (1 + np.exp(-drive))).astype(int)
