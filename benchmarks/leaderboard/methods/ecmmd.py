"""ECMMD of Chatterjee, Niu and Bhattacharya (2024): pairs, or outcomes against draws of a model, by nearest neighbours.

With H_ij = <psi(y_i) - psi(y'_i), psi(y_j) - psi(y'_j)> and an edge from i to each of its k nearest neighbours in X,

    stat = (1 / n k) sum_{i -> j} H_ij,
    var  = (1 / n k) (sum_{i -> j} H_ij^2 + sum_{i <-> j} H_ij^2),    z = sqrt(n k) stat / sqrt(var) ~ N(0, 1).

Their kernel is exp(-d^2 / l^2), with l^2 the median of (y_i - y'_i)^2: narrow, and without a factor of two, which
costs much of the power. Against a model H is averaged over draws ("derandomised"); the exact form ranks the observed
outcomes among draws, all compared with one reference draw. Their package (NNCDT) gives two-sided p-values although only
large values speak against equality; both are here. Its multivariate outcomes are read as one vector, which is a fault.
"""

import numpy as np
from scipy.spatial import KDTree
from scipy.stats import norm


def neighbours(X, k):
    """Edges (from, to) to the k nearest other rows; ties by the order of the rows."""
    n = len(X)
    _, found = KDTree(X).query(X, k=k + 1)
    others = np.empty((n, k), dtype=int)
    for i, row in enumerate(found):
        others[i] = row[row != i][:k]
    return np.repeat(np.arange(n), k), others.ravel()


def columns(Y):
    return np.asarray(Y, dtype=float).reshape(len(Y), -1)


def squares(A, B):
    """Squared distances between rows that stand beside each other."""
    return ((A - B) ** 2).sum(axis=1)


def width(Y1, Y2):
    """Their squared width: the median squared distance within a pair."""
    return float(np.median(squares(columns(Y1), columns(Y2))))


def inner_products(Y1, Y2, edges, squared_width=None):
    """H along the edges: of the Gaussian kernel of that width, or of the linear one."""
    i, j = edges
    Y1, Y2 = columns(Y1), columns(Y2)
    if squared_width is None:
        D = Y1 - Y2
        return np.sum(D[i] * D[j], axis=1)

    def kernel(A, B):
        return np.exp(-squares(A, B) / squared_width)

    return kernel(Y1[i], Y1[j]) + kernel(Y2[i], Y2[j]) - kernel(Y1[i], Y2[j]) - kernel(Y2[i], Y1[j])


def studentised(H, edges, n):
    """The statistic, its variance, and z."""
    i, j = edges
    both = np.isin(i * n + j, j * n + i)  # the edge goes back too
    statistic = H.mean()
    variance = (np.sum(H**2) + np.sum(H[both] ** 2)) / len(H)
    return statistic, variance, np.sqrt(len(H)) * statistic / np.sqrt(variance)


def pvalue(z, *, two_sided):
    return float(2 * norm.sf(abs(z)) if two_sided else norm.sf(z))


def paired_test(data, resamples, rng, *, k=15, two_sided=False):  # noqa: ARG001
    X, Y1, Y2 = data
    edges = neighbours(X, k)
    return pvalue(studentised(inner_products(Y1, Y2, edges, width(Y1, Y2)), edges, len(X))[2], two_sided=two_sided)


def model_test(data, resamples, rng, *, k=20, draws=20, two_sided=False, linear=False):  # noqa: ARG001
    """Derandomised: H is averaged over draws of the model, each with its own width; of classes linear in indicators."""
    edges = neighbours(data.X, k)
    drawn = data.sample(rng, draws)
    H = np.mean([inner_products(data.Y, y, edges, None if linear else width(data.Y, y)) for y in drawn], axis=0)
    return pvalue(studentised(H, edges, len(data.X))[2], two_sided=two_sided)


def exact_model_test(data, resamples, rng, *, k=20):
    """The observed outcomes among draws: exact in finite samples, at the price of noise from the reference draw."""
    edges = neighbours(data.X, k)
    reference, *drawn = data.sample(rng, resamples + 1)
    candidates = [data.Y, *drawn]
    found = np.array([abs(inner_products(y, reference, edges, width(y, reference)).mean()) for y in candidates])
    return float(np.mean(found >= found[0]))
