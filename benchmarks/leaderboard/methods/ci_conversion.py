"""Any test of conditional independence as a conditional two-sample test, by the conversion of Lee, Cha and Kim (2024).

Samples of fixed sizes n_1, n_2 become a sample with random labels by leaving rows out: with eps = 1 / log N,

    b = 1 - 3 log(eps) / (2 n_1),    k = b - sqrt(b^2 - 1),    n~ = floor(k N),    n~_1 ~ Binomial(n~, n_1 / N);

accept where a group has not that many rows, else test whether Y and the label are independent given X on that many
rows of each. Here with GCM. In the repository Cond2ST most of its tests draw the rows of x and of y by *different*
permutations in its default ``alg1=TRUE``, which breaks the pairs: a true null with X moved by one deviation was
rejected always. Here pairs stay together.
"""

import numpy as np

from benchmarks.leaderboard.methods import gcm


def rows_kept(n1, n2):
    """eps, k and the number of rows that are kept of both groups together."""
    epsilon = 1 / np.log(n1 + n2)
    b = 1 - 3 * np.log(epsilon) / (2 * n1)
    k = b - np.sqrt(b**2 - 1)
    return epsilon, k, int(np.floor(k * (n1 + n2)))


def two_sample_test(data, resamples, rng):  # noqa: ARG001
    X, Y, group = data.numbers()
    P, Q = (rng.permutation(np.flatnonzero(group == label)) for label in (1, 0))
    _, _, kept = rows_kept(len(P), len(Q))
    of_P = rng.binomial(kept, len(P) / len(group))
    if of_P > len(P) or kept - of_P > len(Q):
        return 1.0
    rows = np.concatenate([P[:of_P], Q[: kept - of_P]])
    return gcm.pvalue(X[rows], Y[rows], group[rows])
