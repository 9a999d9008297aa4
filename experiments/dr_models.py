"""What the authors fit in the doubly robust experiments (errata 10): ridge by cross-validation, clipped propensity."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold

from condmmd import CMMD, DoublyRobust, Linear, PerGroup, Polynomial, cmmd

KERNELS = {"kernel_x": Polynomial(2, 1.0), "kernel_y": Linear()}
ALPHAS = np.logspace(-4, 1, 5)


def features(x):
    """phi with <phi(x), phi(x')> = (x x' + 1)^2: ridge on it is kernel ridge."""
    return np.column_stack([np.ones_like(x), np.sqrt(2) * x, x**2])


def cross_validated(x, y):
    """Lambda of kernel ridge, in our scale, by 5 folds in the order of the rows."""
    search = GridSearchCV(Ridge(fit_intercept=False), {"alpha": ALPHAS}, cv=KFold(5), scoring="neg_mean_squared_error")
    return search.fit(features(x), y).best_params_["alpha"] / len(x)


def nuisances(draw):
    """Fitted once on the observed labels: propensity, lambdas of the groups, and lambda of the difference."""
    t, e = draw.t, np.clip(draw.e, 0.1, 0.9)
    pair = PerGroup(*(cross_validated(draw.X[t == k], draw.Y[t == k]) for k in (1, 0)))
    first = robust(draw, e, pair, 0.1)
    return e, pair, cross_validated(draw.X, first.pseudo_outcomes[:, 0])


def plain(draw, pair):
    return cmmd(draw.X, draw.Y, draw.t, statistic=CMMD(reg=pair, **KERNELS))


def robust(draw, e, pair, lam):
    statistic = CMMD(estimator=DoublyRobust(reg=pair), reg=lam, **KERNELS)
    return cmmd(draw.X, draw.Y, draw.t, statistic=statistic, propensity=e)
