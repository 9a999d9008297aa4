"""What people use where they do not use a kernel: regressions, probability integral transforms, a Brier score.

Pairs: the Wald test, with HC3 errors, that least squares of y_1 - y_2 on 1 and x finds nothing. Model: the
Kolmogorov-Smirnov test that Phi((y - mean) / sd) is uniform, which is blind to where a model is wrong. Calibration:
Spiegelhalter's (1986) z,

    sum_i (|e_{y_i} - p_i|^2 - E_i) / sqrt(sum_i V_i),    E_i = 1 - |p_i|^2,    V_i = 4 (sum_c p_ic^3 - |p_i|^4),

two-sided: the Brier score against what the predictions themselves make of it.
"""

import numpy as np
from scipy.stats import f, kstest, norm

from benchmarks.procedures import least_squares


def two_sample_test(data, resamples, rng):  # noqa: ARG001
    """The group's coefficient with HC3 errors."""
    return least_squares(data.X, data.Y, data.group, None)


def paired_test(data, resamples, rng):  # noqa: ARG001
    D = data.Y1 - data.Y2
    Z = np.column_stack([np.ones(len(D)), data.X])
    bread = np.linalg.inv(Z.T @ Z)
    beta = bread @ Z.T @ D
    scaled = (D - Z @ beta) / (1 - np.einsum("ij,jk,ik->i", Z, bread, Z))  # by one less the leverage
    variance = bread @ (Z * (scaled**2)[:, None]).T @ Z @ bread
    return float(f.sf(beta @ np.linalg.solve(variance, beta) / len(beta), len(beta), len(D) - len(beta)))


def model_test(data, resamples, rng):  # noqa: ARG001
    return float(kstest((data.Y - data.mean) / data.sd, norm.cdf).pvalue)


def spiegelhalter(P, labels):
    chosen, square = P[np.arange(len(P)), labels], (P**2).sum(axis=1)
    excess = np.sum(1 - 2 * chosen + square - (1 - square))
    variance = np.sum(4 * ((P**3).sum(axis=1) - square**2))
    return excess / np.sqrt(max(variance, 1e-300))


def calibration_test(data, resamples, rng):  # noqa: ARG001
    return float(2 * norm.sf(abs(spiegelhalter(data.P, data.labels))))
