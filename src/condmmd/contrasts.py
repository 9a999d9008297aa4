"""Step 5 of the flow: the difference D of the two conditional mean operators, for each label vector.

An estimator of CMMD is a way to make D, of shape (r, q), from labels and features. To add one, write such a class.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg.blas import dsymm
from scipy.linalg.lapack import dposv, spotrf, spotrs

from condmmd.arrays import (
    Rows,
    home,
    is_host,
    n_rows,
    namespace,
    put_rows,
    solve_positive,
    square_sums,
    steps_of,
    sum_rows,
    take,
    to_host,
    work_size,
)
from condmmd.embedding import Embedding
from condmmd.moments import (
    AnyWeights,
    both_moments,
    cross_moments,
    goes_one_by_one,
    group_moments,
    label_sums,
    one_vector,
    second_moments,
    total_moments,
    weigh,
)
from condmmd.resampling import Drawn
from condmmd.samples import Array, Weights
from condmmd.threads import calm_blas, for_each, one_blas_thread

__all__ = ["Contrast", "DoublyRobust", "Joint", "Orthogonal", "PlugIn", "ridge_models"]

# Single precision is used where a solution in it has this many digits, and refined until there are so many.
FLOAT32_ROUNDING = 6e-8
MIN_DIGITS, DIGITS = 4.0, 12.0
# Matrices smaller than this are solved faster as a batch than one by one.
MIN_CHOLESKY = 48
# Gram matrices of fewer rows are factored faster in one thread: between two calls each has to wait for Python.
MIN_THREADED = 800


class Contrast(Protocol):
    """A way to make D. It may contain a ``power`` of C already: level s then weights by ``sigma^(s - power)``."""

    @property
    def power(self) -> int:
        """The lowest level that this contrast can give."""

    def __call__(self, T: AnyWeights, x: Embedding, y: Embedding) -> Array:
        """D for every label vector, a row of ``T``: shape (B, r, q)."""


def ridge_models(T: AnyWeights, phi: Rows, psi: Rows, reg: tuple[float, float]) -> tuple[Array, Array]:
    """``B_P = (A(t) + lam_p n I)^-1 M(t)`` and B_Q likewise, for each label vector: the conditional mean embeddings."""
    if goes_one_by_one(T, phi, psi):
        return _models_one_by_one(T, phi, psi, reg)
    if (len(T) if isinstance(T, Drawn) else T.shape[0]) == 1:
        # the difference from the total would lose the smaller group's digits
        (A_p, M_p), (A_q, M_q) = both_moments(T, phi, psi), both_moments(weigh(T, _others), phi, psi)
        ones = label_sums(T)
    else:
        A_p, M_p, ones, A, M = group_moments(T, phi, psi)
        A_q, M_q = A - A_p, M - M_p
    n, m = _sizes(ones, phi)
    return _ridge(A_p, M_p, reg[0] * n), _ridge(A_q, M_q, reg[1] * m)


def _models_one_by_one(T: Weights, phi: Array, psi: Array, reg: tuple[float, float]) -> tuple[Array, Array]:
    """The same, a label vector at a time from its sums to its models, while these are near the processor."""
    A, M = total_moments(phi, psi)
    n, m = _sizes(label_sums(T), phi)
    B_p, B_q = np.empty((len(T), *M.shape)), np.empty((len(T), *M.shape))

    def solve(b: int) -> None:
        A_p, M_p = one_vector(T[b], phi, psi)
        A_q, M_q = A - A_p, M - M_p
        B_p[b], B_q[b] = _positive(A_p, M_p, reg[0] * n[b]), _positive(A_q, M_q, reg[1] * m[b])

    for_each(solve, range(len(T)))
    return B_p, B_q


def _others(T: Weights) -> Weights:
    return 1 - T


def _sizes(n: Array, rows: Rows) -> tuple[Array, Array]:
    """Rows of P and of Q, or 1 where a group has none, from those of P."""
    xp = namespace(n)
    return xp.clip(n, min=1.0), xp.clip(n_rows(rows) - n, min=1.0)


def _ridge(A: Array, M: Array, ridge: Array) -> Array:
    """``(A + ridge I)^-1 M`` for a batch; overwrites A."""
    xp, where = home(A)
    if not is_host(A) or A.shape[-1] < MIN_CHOLESKY:
        A += ridge[:, None, None] * xp.eye(A.shape[-1], dtype=xp.float64, **where)
        return solve_positive(A, M)
    with calm_blas(A.shape[-1] ** 3):
        return np.stack([_positive(*one) for one in zip(A, M, ridge, strict=True)])


def _positive(A: Array, b: Array, ridge: float = 0.0) -> Array:
    """``(A + ridge I)^-1 b`` for a positive definite A in row order, which is overwritten."""
    if ridge:
        A.reshape(-1)[:: len(A) + 1] += ridge
    _, solution, failed = dposv(A.T, b, lower=1, overwrite_a=1)  # symmetric: its transpose is itself in column order
    if failed:
        raise np.linalg.LinAlgError("`reg` is too small for this kernel matrix; increase it.")
    return solution


@dataclass(frozen=True)
class PlugIn:
    """``D = B_P - B_Q`` with ``B_P = (A(t) + lam_p n I)^-1 M(t)`` and B_Q likewise (paper, Theorem cmmd_s_est_closed).

    Where the Gram matrix was formed, the same from it: ``B_P = phi_P^T (K_PP + lam_p n I)^-1 psi_P``.
    """

    reg: tuple[float, float]
    power: ClassVar[int] = 0

    def __call__(self, T: AnyWeights, x: Embedding, y: Embedding) -> Array:
        if x.gram is not None and not isinstance(T, Drawn):
            return (self._dual if is_host(x.gram) else self._dual_on_device)(T, x.phi, y.phi, x.gram)
        B_p, B_q = ridge_models(T, x.phi, y.phi, self.reg)
        return B_p - B_q

    def _dual(self, T: Weights, phi: Array, psi: Array, K: Array) -> Array:
        """One factorisation for each group and label vector, then one product for all label vectors.

        Nothing but SciPy's LAPACK inside the loop: NumPy brings a BLAS of its own, and the threads of the two fight.
        """
        (N, q), B = psi.shape, len(T)
        largest = float(K.diagonal().max())
        weighted = np.empty((N, B, q))

        def solve(b: int) -> None:
            for rows, lam, sign in ((T[b] > 0, self.reg[0], 1.0), (T[b] == 0, self.reg[1], -1.0)):
                index = np.flatnonzero(rows)
                K_group = K.take(index, axis=0).take(index, axis=1)
                K_group[np.diag_indices(len(index))] += lam * len(index)
                weighted[index, b] = sign * _solve(K_group.T, psi[index], largest / lam)

        with one_blas_thread() if N < MIN_THREADED else nullcontext():
            for_each(solve, range(B))
        D = (phi.T @ weighted.reshape(N, B * q)).reshape(-1, B, q)
        return np.ascontiguousarray(D.transpose(1, 0, 2))

    def _dual_on_device(self, T: Weights, phi: Rows, psi: Rows, K: Rows) -> Array:
        """The same, groups of one size solved at once."""
        xp, where = home(K)
        labels = to_host(T) > 0
        (N, q), B = psi.shape, len(labels)
        weighted = xp.zeros((B * N, q), dtype=xp.float64, **where)
        for lam, sign, members in ((self.reg[0], 1.0, labels), (self.reg[1], -1.0, ~labels)):
            sizes = members.sum(axis=1)
            for size in np.unique(sizes[sizes > 0]).tolist():
                ridge = lam * size * xp.eye(size, dtype=xp.float64, **where)
                same = np.flatnonzero(sizes == size)
                for part in steps_of(len(same), max(1, work_size(K) // (2 * size**2))):
                    some = same[part]
                    index = np.stack([np.flatnonzero(members[b]) for b in some])
                    K_groups = xp.stack([take(take(K, i), i, axis=1) for i in index]) + ridge
                    outcomes = xp.reshape(take(psi, index.reshape(-1)), (len(some), size, q))
                    solved = xp.reshape(sign * solve_positive(K_groups, outcomes), (-1, q))
                    put_rows(weighted, (some[:, None] * N + index).reshape(-1), solved)
        return phi.T @ xp.reshape(weighted, (B, N, q))


def _solve(A: Array, b: Array, condition: float) -> Array:
    """``A^-1 b`` for a positive definite A in column order, which may be overwritten.

    Where A is well conditioned the factor is made in single precision, in half the time, and the solution refined with
    residuals in double precision: each step gains the digits that a single-precision solution has.
    """
    digits = -np.log10(FLOAT32_ROUNDING * condition)
    if digits < MIN_DIGITS:
        return _positive(A.T, b)
    factor, failed = spotrf(A.astype(np.float32, order="F"), lower=1, overwrite_a=1)
    if failed:
        return _positive(A.T, b)
    solution, left = np.zeros(b.shape, order="F"), b
    for step in range(int(np.ceil(DIGITS / digits))):
        if step:
            left = dsymm(-1.0, A, solution, 1.0, b, lower=1)
        solution += spotrs(factor, left.astype(np.float32), lower=1)[0]
    return solution


@dataclass(frozen=True)
class Joint:
    """``M(t) / n - M(1 - t) / m``, which estimates ``C D`` if P_X = Q_X (paper, equation jmmd_est).

    So level 2 is the squared MMD of the two joint distributions, and there is no level below.
    """

    power: ClassVar[int] = 2

    def __call__(self, T: AnyWeights, x: Embedding, y: Embedding) -> Array:
        n, m = _sizes(label_sums(T), x.phi)
        return cross_moments(weigh(T, partial(_mean_weights, n=n, m=m)), x.phi, y.phi)


def _mean_weights(T: Weights, n: Array, m: Array) -> Weights:
    return T / n[:, None] - (1 - T) / m[:, None]


@dataclass(frozen=True, eq=False)
class Orthogonal:
    """``(A(1) + lam N I)^-1 M(tau)`` with ``tau_i = (t_i - e_i) / (e_i (1 - e_i))``, on residualised outcomes.

    The doubly robust estimator with one label-blind outcome model for both groups. It is linear in the labels, so a
    label vector costs one product and no solve. ``x`` must be in the eigenbasis of C, where A(1) is diagonal.
    """

    reg: float
    e: Array
    power: ClassVar[int] = 0

    def __call__(self, T: AnyWeights, x: Embedding, y: Embedding) -> Array:
        return cross_moments(weigh(T, inverse_weights, self.e), x.phi, y.phi) * self.shrinkage(x)[:, None]

    def shrinkage(self, x: Embedding) -> Array:
        """Diagonal of ``(A(1) + lam N I)^-1``."""
        return _shrinkage(x, self.reg)


def _shrinkage(x: Embedding, lam: float) -> Array:
    return 1.0 / (sum_rows(square_sums, x.phi) + lam * n_rows(x.phi))


def inverse_weights(T: Weights, e: Rows) -> Weights:
    """``(t_i - e_i) / (e_i (1 - e_i))``."""
    return (T - e) / (e * (1 - e))


def _weights_of_p(T: Weights, e: Rows) -> Weights:
    return inverse_weights(T, e) * (1 - e)


def _weights_of_q(T: Weights, e: Rows) -> Weights:
    return inverse_weights(T, e) * e


@dataclass(frozen=True, eq=False)
class DoublyRobust:
    """Ridge regression of pseudo-outcomes on x (paper, section Doubly Robust Estimator).

    With ``a_i = (t_i - e_i) / (e_i (1 - e_i))`` the pseudo-outcome is
    ``a_i [psi_i - (1 - e_i) mu_P(x_i) - e_i mu_Q(x_i)]``, and ``D = (A(1) + lam N I)^-1 sum_i phi_i pseudo_i^T``.
    ``x`` must be in the eigenbasis of C, where A(1) is diagonal.

    Attributes
    ----------
    reg
        Lambda of the difference.
    e
        Propensity at the rows.
    outcome_reg
        Lambdas of the two groups' ridge embeddings mu_P and mu_Q, which are refitted for every label vector.
    folds
        With folds, the models for a fold's rows are fitted on the other folds.
    predictions
        mu_P and mu_Q at the rows, fixed for every label vector; in place of ridge embeddings.
    """

    reg: float
    e: Array
    outcome_reg: tuple[float, float] = (0.1, 0.1)
    folds: npt.NDArray[np.int64] | None = None
    predictions: tuple[Array, Array] | None = None
    power: ClassVar[int] = 0

    def __call__(self, T: AnyWeights, x: Embedding, y: Embedding) -> Array:
        phi, psi, e = x.phi, y.phi, self.e
        right = cross_moments(weigh(T, inverse_weights, e), phi, psi)
        of_p, of_q = weigh(T, _weights_of_p, e), weigh(T, _weights_of_q, e)
        if self.predictions is not None:
            mu_p, mu_q = self.predictions
            right -= cross_moments(of_p, phi, mu_p) + cross_moments(of_q, phi, mu_q)
        elif self.folds is None:
            B_p, B_q = ridge_models(T, phi, psi, self.outcome_reg)
            right -= second_moments(of_p, phi) @ B_p + second_moments(of_q, phi) @ B_q
        else:
            for rows, train in self._parts(n_rows(e)):
                some, fit_on = take(phi, rows), take(phi, train)
                B_p, B_q = ridge_models(take(T, train, axis=1), fit_on, take(psi, train), self.outcome_reg)
                right -= second_moments(take(of_p, rows, axis=1), some) @ B_p
                right -= second_moments(take(of_q, rows, axis=1), some) @ B_q
        return right * _shrinkage(x, self.reg)[:, None]

    def models(self, t: Array, x: Embedding, y: Embedding) -> tuple[Array, Array]:
        """mu_P and mu_Q at the rows for one label vector."""
        if self.predictions is not None:
            return self.predictions
        xp = namespace(y.phi)
        mu_p, mu_q = xp.empty_like(y.phi), xp.empty_like(y.phi)
        for rows, train in self._parts(n_rows(t)):
            fit_on = (take(t, train)[None, :], take(x.phi, train), take(y.phi, train))
            B_p, B_q = ridge_models(*fit_on, self.outcome_reg)
            put_rows(mu_p, rows, take(x.phi, rows) @ B_p[0, ...])
            put_rows(mu_q, rows, take(x.phi, rows) @ B_q[0, ...])
        return mu_p, mu_q

    def pseudo_outcomes(self, t: Array, x: Embedding, y: Embedding) -> Array:
        """What is regressed on x, in the coordinates of the outcomes' features."""
        mu_p, mu_q = self.models(t, x, y)
        e = self.e[:, None]
        return ((t - self.e) / (self.e * (1 - self.e)))[:, None] * (y.phi - (1 - e) * mu_p - e * mu_q)

    def _parts(self, n_rows: int) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Rows to predict, and rows to fit on."""
        if self.folds is None:
            every = np.arange(n_rows)
            yield every, every
        else:
            for fold in np.unique(self.folds):
                yield np.flatnonzero(self.folds == fold), np.flatnonzero(self.folds != fold)
