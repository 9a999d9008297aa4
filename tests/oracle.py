"""The paper, written literally: every estimator in Gram matrices, one function for each lemma or theorem.

Nothing here is shared with the package. The letters are the paper's: K on covariates, L on outcomes; X and Y are the
sample of P, X' (Xq) and Z that of Q; W is the regularised inverse. ``tests/test_oracle.py`` holds it against the values
that were computed with 60 digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

# ---- kernels --------------------------------------------------------------------------------------------------------


def gaussian(h):
    """exp(-h/2 |x - x'|^2); h is the paper's bandwidth."""
    return lambda A, B: np.exp(-h / 2 * ((A[:, None, :] - B[None, :, :]) ** 2).sum(-1))


def laplacian(lengthscale):
    return lambda A, B: np.exp(-np.abs(A[:, None, :] - B[None, :, :]).sum(-1) / lengthscale)


def matern(lengthscale, nu):
    def k(A, B):
        r = np.sqrt(((A[:, None, :] - B[None, :, :]) ** 2).sum(-1)) / lengthscale
        if nu == 0.5:
            return np.exp(-r)
        if nu == 1.5:
            return (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r)
        return (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r)

    return k


def polynomial(degree, coef0, gamma=1.0):
    return lambda A, B: (gamma * A @ B.T + coef0) ** degree


def linear():
    return lambda A, B: A @ B.T


def kronecker():
    return lambda A, B: (A[:, None, :] == B[None, :, :]).all(-1).astype(float)


def median_heuristic(X):
    """Return the precision h: one over the squared median of the distances that are not zero."""
    distances = np.sqrt(((X[:, None, :] - X[None, :, :]) ** 2).sum(-1))
    return 1 / np.median(distances[distances > 0]) ** 2


# ---- background: mean embeddings and conditional mean embeddings ----------------------------------------------------


def mmd_biased(K_pp, K_pq, K_qq):
    """Eq. mmd with empirical embeddings."""
    return K_pp.mean() - 2 * K_pq.mean() + K_qq.mean()


def mmd_unbiased(K_pp, K_pq, K_qq):
    """The appendix's unbiased estimator."""
    n, m = len(K_pp), len(K_qq)
    within_p = (K_pp.sum() - np.trace(K_pp)) / (n * (n - 1))
    within_q = (K_qq.sum() - np.trace(K_qq)) / (m * (m - 1))
    return within_p - 2 * K_pq.mean() + within_q


def cme_weights(K_XX, K_Xx, lam):
    """Eq. cme_est: column j has the weights on l(., y_i) of the embedding at the j-th point."""
    n = len(K_XX)
    return np.linalg.inv(K_XX + lam * n * np.eye(n)) @ K_Xx


def fractional_power(K, s):
    """By spectral decomposition; a symmetric matrix with eigenvalues that are zero up to rounding set to zero."""
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    values = np.where(values > len(K) * np.finfo(float).eps * values[-1], values, 0.0)
    powers = np.where(values > 0, np.where(values > 0, values, 1.0) ** s, 0.0)
    return vectors * powers @ vectors.T


# ---- naive estimators (section Estimation) --------------------------------------------------------------------------


@dataclass
class Naive:
    """The two samples, the kernels k and l, and lambda_p, lambda_q."""

    X: np.ndarray
    Y: np.ndarray
    Xq: np.ndarray
    Z: np.ndarray
    k: object
    l: object
    lam_p: float = 0.1
    lam_q: float = 0.1

    def __post_init__(self):
        self.n, self.m = len(self.X), len(self.Xq)
        self.Xt = np.concatenate([self.X, self.Xq])
        self.K_XX, self.K_qX, self.K_qq = (
            self.k(self.X, self.X),
            self.k(self.Xq, self.X),
            self.k(self.Xq, self.Xq),
        )
        self.L_YY, self.L_YZ, self.L_ZZ = (
            self.l(self.Y, self.Y),
            self.l(self.Y, self.Z),
            self.l(self.Z, self.Z),
        )

    @cached_property
    def W_X(self):
        return np.linalg.inv(self.K_XX + self.lam_p * self.n * np.eye(self.n))

    @cached_property
    def W_q(self):
        return np.linalg.inv(self.K_qq + self.lam_q * self.m * np.eye(self.m))

    @cached_property
    def K_tt(self):
        return self.k(self.Xt, self.Xt)

    def _three_traces(self, middle_XX, middle_qX, middle_qq):
        return (
            np.trace(self.W_X @ self.L_YY @ self.W_X @ middle_XX)
            - 2 * np.trace(self.W_X @ self.L_YZ @ self.W_q @ middle_qX)
            + np.trace(self.W_q @ self.L_ZZ @ self.W_q @ middle_qq)
        )

    def cmmd0(self):
        """Lemma cmmd0_est_closed."""
        return self._three_traces(self.K_XX, self.K_qX, self.K_qq)

    def cmmd1(self):
        """Lemma cmmd1_est_closed."""
        K_Xt, K_qt = self.k(self.X, self.Xt), self.k(self.Xq, self.Xt)
        return self._three_traces(K_Xt @ K_Xt.T, K_qt @ K_Xt.T, K_qt @ K_qt.T) / (self.n + self.m)

    def cmmd2(self):
        """Lemma cmmd2_est_closed."""
        K_Xt, K_qt, K_tt = self.k(self.X, self.Xt), self.k(self.Xq, self.Xt), self.K_tt
        traces = self._three_traces(K_Xt @ K_tt @ K_Xt.T, K_qt @ K_tt @ K_Xt.T, K_qt @ K_tt @ K_qt.T)
        return traces / (self.n + self.m) ** 2

    def cmmd_s(self, s):
        """Theorem cmmd_s_est_closed."""
        power = fractional_power(self.K_tt, s + 1)
        n = self.n
        return self._three_traces(power[:n, :n], power[n:, :n], power[n:, n:]) / (self.n + self.m) ** s

    def cmmd1_as_mean(self):
        """Eq. cmmd1_est: the mean over pooled points of the squared distance of the embeddings."""
        a = self.W_X @ self.k(self.X, self.Xt)
        b = self.W_q @ self.k(self.Xq, self.Xt)
        return np.mean(
            np.sum(a * (self.L_YY @ a), 0) - 2 * np.sum(a * (self.L_YZ @ b), 0) + np.sum(b * (self.L_ZZ @ b), 0)
        )

    def cmmd_s_mixture(self, s, alpha):
        """tr(Delta* Delta (C_XX^R)^s) with eq. cov_op_est, for s > 0.

        With C^R = Phi a Phi^* (a diagonal), (C^R)^s = Phi a^1/2 (a^1/2 K a^1/2)^(s-1) a^1/2 Phi^*.
        """
        root = np.sqrt(np.repeat([alpha / self.n, (1 - alpha) / self.m], [self.n, self.m]))
        inner = fractional_power(root[:, None] * self.K_tt * root, s - 1)
        middle = self.K_tt @ (root[:, None] * inner * root) @ self.K_tt
        n = self.n
        return self._three_traces(middle[:n, :n], middle[n:, :n], middle[n:, n:])

    def joint(self):
        """Eq. jmmd_est_closed."""
        return (
            np.trace(self.L_YY @ self.K_XX) / self.n**2
            - 2 * np.trace(self.L_YZ @ self.K_qX) / (self.n * self.m)
            + np.trace(self.L_ZZ @ self.K_qq) / self.m**2
        )

    def witness(self, x):
        """Squared norm of the difference of the two embeddings at each x."""
        a, b = self.W_X @ self.k(self.X, x), self.W_q @ self.k(self.Xq, x)
        return np.sum(a * (self.L_YY @ a), 0) - 2 * np.sum(a * (self.L_YZ @ b), 0) + np.sum(b * (self.L_ZZ @ b), 0)

    def signed_witness(self, x, y):
        """Difference of the two embeddings at x, evaluated at y."""
        a, b = self.W_X @ self.k(self.X, x), self.W_q @ self.k(self.Xq, x)
        return np.sum(a * self.l(self.Y, y), 0) - np.sum(b * self.l(self.Z, y), 0)


# ---- doubly robust estimator (section Doubly Robust, and its appendix) ----------------------------------------------


def pseudo_outcomes_scalar(t, e, w, mu_Y, mu_Z):
    """[Psi_DR]_i for a linear kernel on scalar outcomes, first form."""
    return t / e * (w - mu_Y) + mu_Y - (1 - t) / (1 - e) * (w - mu_Z) - mu_Z


def pseudo_gram(t, e, L_WW, L_WY, L_WZ, L_YY, L_YZ, L_ZZ):
    """Psi_DR^* Psi_DR by the appendix's expansion, with (I - E) where it prints (I + E)."""
    E, I = np.diag(e), np.eye(len(e))
    Et = np.diag((t - e) / (e * (1 - e)))
    inner = (
        L_WW
        - L_WY @ (I - E)
        - L_WZ @ E
        - (I - E) @ L_WY.T
        + (I - E) @ L_YY @ (I - E)
        + (I - E) @ L_YZ @ E
        - E @ L_WZ.T
        + E @ L_YZ.T @ (I - E)
        + E @ L_ZZ @ E
    )
    return Et @ inner @ Et


def cmmd_s_dr(s, gram_of_pseudo_outcomes, K_tt, lam):
    """tr(Delta_DR^* Delta_DR C^s) = tr(Psi^* Psi W K^(s+1) W) / N^s."""
    N = len(K_tt)
    W = np.linalg.inv(K_tt + N * lam * np.eye(N))
    return np.trace(gram_of_pseudo_outcomes @ W @ fractional_power(K_tt, s + 1) @ W) / N**s


# ---- regularisation -------------------------------------------------------------------------------------------------


def doubly_robust_cme_weights(K, K_at, t, e, lam_model, lam):
    """Of the outcomes of P in the doubly robust embedding at some x (paper, Theorem cme_dr); rows with t = 1 are P."""
    N, p = len(t), np.flatnonzero(t == 1)
    beta = np.linalg.inv(K + lam * N * np.eye(N)) @ K_at
    model = np.linalg.inv(K[np.ix_(p, p)] + lam_model * len(p) * np.eye(len(p))) @ K[p]  # mu at every row
    weights = np.zeros((len(p), K_at.shape[1]))
    for i in range(N):
        own = (p == i) / e[i] if t[i] else np.zeros(len(p))
        weights += np.outer(own + (1 - t[i] / e[i]) * model[:, i], beta[i])
    return weights


def marginal_likelihood_loss(K, L, lam):
    """Minus twice the logarithm of the Gaussian density of each of q outcome features, with the best variance.

    The kernel is ``s^2 k / (N lam)``, the noise has the variance ``s^2``; without what does not depend on lam.
    """
    N = len(K)
    V = np.eye(N) + K / (N * lam)
    return N * np.log(np.trace(np.linalg.inv(V) @ L)) + np.log(np.linalg.det(V))


def leave_one_out_error(K, L, lam):
    """Refit the ridge N times, each time without one row (the ridge stays lam N)."""
    N = len(K)
    errors = []
    for i in range(N):
        rest = np.delete(np.arange(N), i)
        w = np.linalg.solve(K[np.ix_(rest, rest)] + lam * N * np.eye(N - 1), K[rest, i])
        errors.append(L[i, i] - 2 * w @ L[rest, i] + w @ L[np.ix_(rest, rest)] @ w)
    return np.mean(errors)


# ---- population values of the illustrative example ------------------------------------------------------------------

TOY_MU_X = np.array([0.3, 0.6, 0.1])
TOY_P = np.array([[0.4, 0.5, 0.6], [0.6, 0.5, 0.4]])
TOY_Q = {
    "Q1": np.array([[0.4, 0.5, 0.9], [0.6, 0.5, 0.1]]),
    "Q2": np.array([[0.3, 0.4, 0.5], [0.7, 0.6, 0.5]]),
    "Q3": np.array([[0.3, 0.5, 0.8], [0.7, 0.5, 0.2]]),
}
