"""What `rejections` compares: functions of a draw, its name and a seed, which give a p-value, or None if they cannot.

Ours with 199 null draws, told nothing or what the paper's tests are told; the paper's tests; and two that look at means
alone: the family's first column by itself, and least squares.
"""

from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import t as student

from condmmd import CMMD, Family, Gaussian, Linear, Polynomial, PooledRidge, Resampling, cmmd_test
from condmmd.kernels import median_distance

N_RESAMPLES = 199


# Of these the level is asked, and power is compared. The first is whatever the default is at the time, the second what
# it was in the first version.
SETTINGS = {
    "default": {},
    "plug-in": {"statistic": CMMD(), "residualize": PooledRidge()},
    "family": {"statistic": Family(), "residualize": PooledRidge()},
}


def tested(draw, seed, **settings):
    return cmmd_test(draw.X, draw.Y, draw.t, n_resamples=N_RESAMPLES, rng=seed, **settings)


def ours(draw, name, seed, procedure):  # noqa: ARG001
    return tested(draw, seed, blocks=draw.blocks, **SETTINGS[procedure]).pvalue


def told(draw, name, seed):  # noqa: ARG001
    """The default, told what the paper's tests are told: that X is distributed alike, or its propensity."""
    if draw.e is None:
        return None
    return tested(draw, seed, blocks=draw.blocks, propensity=None if draw.equal else draw.e).pvalue


def paper(draw, name, seed, level):
    """The paper's test: lambda 0.1, its kernels, Bernoulli labels or shuffled ones.

    Level 2 is the joint estimator where X has equal distributions, but for the levels' settings; the precision of the
    kernels comes from the covariates of P, for both (errata 7).
    """
    if draw.e is None or draw.blocks is not None:
        return None
    if name.startswith("doubly robust"):
        kernels = {"kernel_x": Polynomial(2, 1.0), "kernel_y": Linear()}
    else:
        own = name.startswith(("theta", "levels", "dimension"))
        scale = median_distance(np.asarray(draw.X).reshape(len(draw.t), -1)[draw.t == 1]) if own else 0.1**-0.5
        kernels = {"kernel_x": Gaussian(scale), "kernel_y": Gaussian(scale)}
    joint = level == 2 and draw.equal and not name.startswith("levels")
    estimator = {"estimator": "joint"} if joint else {"reg": 0.1}
    known = {"propensity": None} if draw.equal else {"propensity": draw.e, "null": Resampling("bernoulli")}
    return tested(draw, seed, statistic=CMMD(level=level, **estimator, **kernels), residualize=False, **known).pvalue


def mean_of_residuals(draw, name, seed):  # noqa: ARG001
    """The family's column of the mean (of categories: the shares) over all rows, by itself."""
    result = tested(draw, seed, blocks=draw.blocks, **SETTINGS["family"])
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
    **{name: partial(ours, procedure=name) for name in SETTINGS},
    "told the same": told,
    **{f"paper {level}": partial(paper, level=level) for level in (0, 1, 2)},
    "mean of residuals": mean_of_residuals,
    "least squares": lambda draw, name, seed: least_squares(draw.X, draw.Y, draw.t, seed),  # noqa: ARG005
}
