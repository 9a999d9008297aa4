"""The paper's closed forms as they stand, on slices of Gram matrices made once: the baseline of the benchmarks."""

import numpy as np


def all_levels(K, L, t, lam):
    """Lemmas cmmd0, cmmd1 and cmmd2_est_closed for one label vector; the two inverses are shared by the levels."""
    P, Q = np.flatnonzero(t == 1), np.flatnonzero(t == 0)
    n, m = len(P), len(Q)
    W_X = np.linalg.inv(K[np.ix_(P, P)] + lam * n * np.eye(n))
    W_q = np.linalg.inv(K[np.ix_(Q, Q)] + lam * m * np.eye(m))
    L_YY, L_YZ, L_ZZ = L[np.ix_(P, P)], L[np.ix_(P, Q)], L[np.ix_(Q, Q)]
    K_Xt, K_qt = K[P], K[Q]

    def traces(XX, qX, qq):
        return np.trace(W_X @ L_YY @ W_X @ XX) - 2 * np.trace(W_X @ L_YZ @ W_q @ qX) + np.trace(W_q @ L_ZZ @ W_q @ qq)

    return np.array(
        [
            traces(K[np.ix_(P, P)], K[np.ix_(Q, P)], K[np.ix_(Q, Q)]),
            traces(K_Xt @ K_Xt.T, K_qt @ K_Xt.T, K_qt @ K_qt.T) / (n + m),
            traces(K_Xt @ K @ K_Xt.T, K_qt @ K @ K_Xt.T, K_qt @ K @ K_qt.T) / (n + m) ** 2,
        ]
    )
