"""KCD, the kernel conditional discrepancy of Park et al. (2021), as pywhy-stats 0.1 computes it.

    (1/N) sum_i |mu_1(x_i) - mu_0(x_i)|^2,    mu_g the ridge embedding of group g,

which is our plug-in at level 1 on their Gram matrices: z-scores, Gaussians of the median positive distance, both
matrices centred, and a ridge r that is added as it is, chosen anew for every label vector. The propensity is a logistic
regression on the rows of the centred Gram matrix; null labels are drawn independently, so that group sizes vary.

Their z-scores leave integers and single precision as they are, though documented otherwise; here all are floats.
hyppo's version keeps the ridges of the observed labels for all null labels, so that these are not treated alike.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression

from condmmd import Gaussian
from condmmd.kernels import median_distance


def standardised(A):
    scale = A.std(axis=0)
    return (A - A.mean(axis=0)) / np.where(scale > 0, scale, 1.0)


def centred(K):
    rows = K.mean(axis=0)
    return K - rows - rows[:, None] + rows.mean()


def gram(A):
    """The matrix that the test works on, and its lengthscale."""
    A = standardised(A)
    lengthscale = median_distance(A)
    return centred(Gaussian(lengthscale).gram(A, A)), lengthscale


def ridge_of(eigenvalues):
    """argmin over [1e-4, 1000] of sum_i s_i^2 / (s_i + r)^2 / n + r, as far as a bounded search goes."""
    found = minimize_scalar(
        lambda r: np.sum(eigenvalues**2 / (eigenvalues + r) ** 2) / len(eigenvalues) + r,
        bounds=(1e-4, 1000),
        method="bounded",
    )
    return float(found.x)


def statistic(K, L, group, ridges=None):
    """The discrepancy, and the ridges of groups 0 and 1: those given, or their rule's."""
    smoothed, used = [], []
    for label in (0, 1):
        rows = np.flatnonzero(group == label)
        values, vectors = np.linalg.eigh(K[np.ix_(rows, rows)])
        r = ridge_of(np.abs(values)) if ridges is None else ridges[label]
        weights = (K[:, rows] @ vectors / (values + r)) @ vectors.T
        smoothed.append(np.zeros((len(K), len(K))))
        smoothed[-1][:, rows] = weights
        used.append(r)
    D = smoothed[1] - smoothed[0]
    return float(np.sum((D @ L) * D) / len(K)), used


def propensity(K, group):
    """Probabilities of group 1, and the inverse penalty."""
    C = 1 / (2 * ridge_of(np.linalg.svd(K, compute_uv=False, hermitian=True)))
    return LogisticRegression(C=C, max_iter=100).fit(K, group).predict_proba(K)[:, 1], C


def two_sample_test(data, resamples, rng):
    X, Y, group = data.numbers()
    (K, _), (L, _) = gram(X), gram(Y)
    observed, _ = statistic(K, L, group)
    e, _ = propensity(K, group)
    null = [statistic(K, L, (rng.random(len(e)) < e).astype(int))[0] for _ in range(resamples)]
    return (1 + np.sum(np.array(null) >= observed)) / (1 + resamples)
