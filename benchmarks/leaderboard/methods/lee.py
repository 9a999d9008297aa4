"""The density-ratio tests of Lee, Cha and Kim (2024), repository Cond2ST.

With ratios g from one half, r = 1 / g at rows of Q, V = (x, y) and groups of one size n on the other half,

    H_ij = k(V^P_i, V^P_j) + r_i r_j k(V^Q_i, V^Q_j) - r_i k(V^Q_i, V^P_j) - r_j k(V^P_i, V^Q_j);

linear:     H_{i, i + n/2}, studentised, N(0, 1), upper tail;
block:      means of H over the pairs of blocks of floor(sqrt n) rows, studentised over blocks;
quadratic:  sum_{i != j} H_ij / (n - 1) against xi^T H xi with xi ~ N(0, 1), p = the share that is as large (no +1);
classifier: call a row Q where v < 1; with r from four fifths of the second half, scored on the last fifth,
            sqrt(n) (mean[P called P] + mean[r 1{Q called Q}] - 1) / sqrt(var + var).

`CLF_test2` of the repository does not show its classifier Y and swaps the classes; this is `CLF_test`.
"""

import numpy as np
from scipy.stats import norm

from benchmarks.leaderboard.methods import density_ratio
from condmmd import Gaussian
from condmmd.kernels import median_distance


def joint_gram(XA, YA, XB, YB, scales):
    return Gaussian(scales[0]).gram(XA, XB) * Gaussian(scales[1]).gram(YA, YB)


def pair_matrix(X_P, Y_P, X_Q, Y_Q, r, scales):
    """H; the groups have one size."""
    PP = joint_gram(X_P, Y_P, X_P, Y_P, scales)
    QQ = joint_gram(X_Q, Y_Q, X_Q, Y_Q, scales)
    QP = r[:, None] * joint_gram(X_Q, Y_Q, X_P, Y_P, scales)
    return PP + np.outer(r, r) * QQ - QP - QP.T


def linear(H):
    m = len(H) // 2
    return _studentised(H[np.arange(m), np.arange(m) + m])


def block(H, size=None):
    size = size or int(np.sqrt(len(H)))
    pairs = np.triu_indices(size, 1)
    starts = range(0, len(H) - size + 1, size)
    return _studentised(np.array([H[s : s + size, s : s + size][pairs].mean() for s in starts]))


def _studentised(values):
    return np.sqrt(len(values)) * values.mean() / values.std(ddof=1)


def quadratic(H):
    return (H.sum() - np.trace(H)) / (len(H) - 1)


def quadratic_null(H, resamples, rng):
    bare = H - np.diag(np.diag(H))
    xi = rng.normal(size=(resamples, len(H)))
    return np.sum((xi @ bare) * xi, axis=1) / (len(H) - 1)


def classifier(called_P, called_Q, r):
    """The statistic, from rows of P called P, and rows of Q called Q with their ratios p / q."""
    right_P, right_Q = called_P.astype(float), r * called_Q
    excess = right_P.mean() + right_Q.mean() - 1
    return np.sqrt(len(right_P)) * excess / np.sqrt(right_P.var(ddof=1) + right_Q.var(ddof=1))


def equal_sizes(halves):
    n = min(len(halves.test_p), len(halves.test_q))
    return halves._replace(test_p=halves.test_p[:n], test_q=halves.test_q[:n])


def _prepared(data, rng):
    X, Y, group = data.numbers()
    halves = equal_sizes(density_ratio.split(group, rng))
    P, Q = halves.test_p, halves.test_q
    scales = median_distance(X[np.concatenate([P, Q])]), median_distance(Y[np.concatenate([P, Q])])
    r = 1 / density_ratio.ratios(X, Y, halves).g_q
    return pair_matrix(X[P], Y[P], X[Q], Y[Q], r, scales)


def linear_test(data, resamples, rng):  # noqa: ARG001
    return float(norm.sf(linear(_prepared(data, rng))))


def block_test(data, resamples, rng):  # noqa: ARG001
    return float(norm.sf(block(_prepared(data, rng))))


def quadratic_test(data, resamples, rng):
    H = _prepared(data, rng)
    return float(np.mean(quadratic_null(H, resamples, rng) >= quadratic(H)))


def fifths(halves):
    """Of the rows that are tested: those that give the ratio again, and those that are scored."""
    cuts = [round(0.8 * len(rows)) for rows in (halves.test_p, halves.test_q)]
    return density_ratio.Halves(
        halves.test_p[: cuts[0]], halves.test_q[: cuts[1]], halves.test_p[cuts[0] :], halves.test_q[cuts[1] :]
    )


def classifier_statistic(X, Y, halves):
    """The statistic, the share of P called P, and the weighted share of Q called Q."""
    last = fifths(halves)
    found = density_ratio.ratios(X, Y, halves._replace(test_p=last.test_p, test_q=last.test_q))
    r = 1 / density_ratio.ratios(X, Y, last).g_q
    called_P, called_Q = found.v_p >= 1, found.v_q < 1
    return classifier(called_P, called_Q, r), called_P.mean(), np.mean(r * called_Q)


def classifier_test(data, resamples, rng):  # noqa: ARG001
    X, Y, group = data.numbers()
    statistic, _, _ = classifier_statistic(X, Y, equal_sizes(density_ratio.split(group, rng)))
    return float(norm.sf(statistic)) if np.isfinite(statistic) else 1.0
