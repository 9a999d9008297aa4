"""statsmodels: least squares with the label and its products with the covariates; a Wald test of both, HC3 errors."""

import numpy as np
import statsmodels.api as sm
from job import run


def test(X, Y, group, resamples, seed):  # noqa: ARG001
    X = X - X.mean(axis=0)
    design = np.column_stack([np.ones(len(X)), X, group, group[:, None] * X])
    tested = np.eye(design.shape[1])[1 + X.shape[1] :]
    fits = (sm.OLS(y, design).fit(cov_type="HC3") for y in Y.T)
    pvalues = [float(fit.wald_test(tested, use_f=True, scalar=True).pvalue) for fit in fits]
    return min(1.0, len(pvalues) * min(pvalues))


if __name__ == "__main__":
    run(test, "statsmodels", "numpy", "scipy")
