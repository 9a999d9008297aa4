"""The local bootstrap of Yan, Li and Zhang (2024): under the null, rows with like covariates could swap outcomes.

For every row i the outcome of a row j of either group is drawn, i itself included, with a probability in proportion to

    prod_c N(x_jc - x_ic; 0, h_c),    h = n^(-1 / (p + 4)) min(IQR / 1.34, sd) of the group of j.

No propensity is needed, and no label moves; it is right for many rows only.
"""

import numpy as np
from scipy.stats import norm


def bandwidth(X):
    n, p = X.shape
    low, high = np.percentile(X, [25, 75], axis=0)
    return n ** (-1 / (p + 4)) * np.minimum((high - low) / 1.34, X.std(axis=0, ddof=1))


def probabilities(X, group):
    """Column i: where the outcome of row i is drawn from."""
    weights = np.zeros((len(X), len(X)))
    for label in (1, 0):
        rows = np.flatnonzero(group == label)
        h = bandwidth(X[rows])
        weights[rows] = np.prod(norm.pdf((X[rows][:, None, :] - X[None, :, :]) / h) / h, axis=2)
    return weights / weights.sum(axis=0)


def rows(X, group, resamples, rng):
    """For each resample, the rows whose outcomes the rows get."""
    cumulative = np.cumsum(probabilities(X, group), axis=0)
    cumulative /= cumulative[-1]
    uniform = rng.random((resamples, len(X)))
    return np.stack([np.searchsorted(cumulative[:, i], uniform[:, i]) for i in range(len(X))], axis=1)
