"""Small tests that were trained, for those who put effects into them."""

import numpy as np

from condmmd import cmmd_test
from condmmd.inference import Compute


def trained(X, Y, group, **options):
    """The plan of a test and what it was trained to."""
    settings = {"n_resamples": 99, "rng": 0, "compute": Compute(keep_fits=True), **options}
    result = cmmd_test(X, Y, group, **settings)
    return result._plan, result._trained


def table(count=120, seed=0, d=2):
    """Covariates, a numeric outcome and groups in which nothing differs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, d))
    return X, X[:, 0] + rng.normal(size=count), np.repeat([1, 0], count // 2)
