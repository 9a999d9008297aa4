"""SKCE, the squared kernel calibration error of Widmann, Lindsten and Zachariah (2019, 2021), and CKCE.

    K * H over pairs of rows,    H_ij = <e_{y_i} - p_i, e_{y_j} - p_j> for classes, K a kernel between predictions;

biased: the mean of all; unbiased: off the diagonal; block: of blocks of rows. For normal forecasts H is that of
`acmmd` and K = exp(-W_2). CKCE (Moskvichev and Sejdinovic 2025) is tr(W K W H), W = (K + lam n I)^-1: our level 0.
Null: labels drawn from the predictions, which is exact. NNCDT does that for classes; its version for regression weighs
by w_i where it should by w_i w_j, and its null is hardly ever rejected.
"""

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.leaderboard.methods.acmmd import against_gaussian, unbiased
from condmmd import Gaussian
from condmmd.kernels import median_distance


def label_matrix(P, labels):
    """H of classes."""
    rho = np.eye(P.shape[1])[labels] - P
    return rho @ rho.T


def between_predictions(P):
    """exp(-|p - p'|), the kernel of NNCDT."""
    return np.exp(-cdist(P, P))


def between_normals(mean, sd):
    """exp(-W_2) of two normal forecasts."""
    forecasts = np.column_stack([mean, sd])
    return np.exp(-cdist(forecasts, forecasts))


def block(M, size=2):
    """The mean over blocks of rows of the unbiased estimate in each."""
    return float(np.mean([unbiased(M[s : s + size, s : s + size]) for s in range(0, len(M) - size + 1, size)]))


def covariance_weights(K, lam):
    """The weights W K W of CKCE."""
    W = np.linalg.inv(K + lam * len(K) * np.eye(len(K)))
    return W @ K @ W


def redrawn_pvalue(weights, data, resamples, rng):
    """Of the sum of weights times H, among labels drawn from the predictions."""
    residuals = (indicators - data.P for indicators in [data.Y, *data.sample(rng, resamples)])
    found = np.array([np.sum((weights @ rho) * rho) for rho in residuals])
    return float(np.mean(found >= found[0] - 1e-12 * abs(found[0])))


def calibration_test(data, resamples, rng):
    return redrawn_pvalue(between_predictions(data.P), data, resamples, rng)


def ckce_test(data, resamples, rng, *, lam=0.1):
    weights = covariance_weights(Gaussian(median_distance(data.P)).gram(data.P, data.P), lam)
    return redrawn_pvalue(weights, data, resamples, rng)


def normal_test(data, resamples, rng):
    """The reliability of normal forecasts; outcomes drawn from them."""
    K = between_normals(data.mean, data.sd)
    lengthscale = median_distance(data.Y)
    found = np.array([
        unbiased(K * against_gaussian(y, data.mean, data.sd, lengthscale))
        for y in [data.Y, *data.sample(rng, resamples)]
    ])  # fmt: skip
    return float(np.mean(found >= found[0]))
