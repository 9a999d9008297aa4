"""causal-learn: KCI, are Y and the label independent given X? Its null is a gamma distribution, without resamples."""

import numpy as np
from causallearn.utils.cit import CIT
from job import run


def test(X, Y, group, resamples, seed):  # noqa: ARG001
    columns = np.column_stack([Y, group, X])
    outcomes, label, covariates = np.split(np.arange(columns.shape[1]), [Y.shape[1], Y.shape[1] + 1])
    return CIT(columns, "kci")(outcomes, label, covariates)


if __name__ == "__main__":
    run(test, "causal-learn", "numpy", "scipy")
