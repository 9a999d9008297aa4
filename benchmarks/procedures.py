"""What `real_tables` compares: functions of X, Y, the labels and a seed, which give a p-value.

Ours with 199 null labels, and two that look at means alone: the family's first column by itself, and least squares.
"""

from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import t as student

from condmmd import CMMD, Family, PooledRidge, cmmd_test

N_RESAMPLES = 199


# Of these the level is asked, and power is compared. The first is whatever the default is at the time, the second what
# it was in the first version.
SETTINGS = {
    "default": {},
    "plug-in": {"statistic": CMMD(), "residualize": PooledRidge()},
    "family": {"statistic": Family(), "residualize": PooledRidge()},
}


def ours(X, Y, group, seed, name):
    return cmmd_test(X, Y, group, n_resamples=N_RESAMPLES, rng=seed, **SETTINGS[name]).pvalue


def mean_of_residuals(X, Y, group, seed):
    """The family's column of the mean (of categories: the shares) over all rows, by itself."""
    result = cmmd_test(X, Y, group, n_resamples=N_RESAMPLES, rng=seed, **SETTINGS["family"])
    coarse = [column for column in result.by_level if column.name.endswith("over all rows")]
    return min(column.pvalue for column in coarse if not column.name.startswith(("the spread", "the distribution")))


def as_numbers(table, *, drop_first):
    """Numbers as they are, categories as indicators."""
    frame = pd.DataFrame(np.asarray(table)) if not isinstance(table, pd.DataFrame) else table
    return pd.get_dummies(frame, drop_first=drop_first, dtype=float).to_numpy(dtype=float)


def least_squares(X, Y, group, seed):  # noqa: ARG001
    """The group's coefficient beside main effects, with HC3 errors; several outcomes or classes by Bonferroni."""
    X, outcomes = as_numbers(X, drop_first=True), as_numbers(Y, drop_first=False)
    if np.asarray(Y).size == len(X) and outcomes.shape[1] == 2:  # of two classes one says it all
        outcomes = outcomes[:, 1:]
    scale = X.std(axis=0)
    X = (X - X.mean(axis=0))[:, scale > 0] / scale[scale > 0]
    U, sizes, _ = np.linalg.svd(np.column_stack([np.ones(len(X)), X]), full_matrices=False)
    Q = U[:, sizes > 1e-8 * sizes[0]]
    own = group - Q @ (Q.T @ group)  # what the covariates do not say of the label
    own_square = own @ own
    outcomes = outcomes - Q @ (Q.T @ outcomes)
    coefficients = own @ outcomes / own_square
    residuals = outcomes - np.outer(own, coefficients)
    free = np.maximum(1 - (Q**2).sum(axis=1) - own**2 / own_square, 1e-8)  # one less the leverage
    errors = np.sqrt(((own / free) ** 2) @ residuals**2) / own_square
    pvalues = 2 * student.sf(np.abs(coefficients / errors), len(X) - Q.shape[1] - 1)
    return min(1.0, float(pvalues.min()) * len(pvalues))


PROCEDURES = {
    **{name: partial(ours, name=name) for name in SETTINGS},
    "mean of residuals": mean_of_residuals,
    "least squares": least_squares,
}
