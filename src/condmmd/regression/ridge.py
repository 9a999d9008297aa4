"""The conditional mean embeddings of the two groups by ridge regression, for every label vector."""

from __future__ import annotations

import numpy as np

from condmmd.backend import (
    AnyArray,
    LabelBatch,
    Rows,
    Weights,
    at_least,
    for_each,
    label_sums,
    n_rows,
    solve_in_groups,
    solve_one,
    solve_ridge,
    times_each,
    to_host,
)
from condmmd.backend.linear_algebra import RowGroups
from condmmd.regression.moments import best_one_by_one, both_moments, group_moments, one_vector, total_moments

__all__ = ["group_sizes", "ridge_coefficients", "ridge_difference", "ridge_models"]


def ridge_models(T: LabelBatch, phi: Rows, psi: Rows, reg: tuple[float, float]) -> tuple[AnyArray, AnyArray]:
    """``B_P = (A(t) + lam_p n I)^-1 M(t)`` and B_Q likewise, for each label vector: the conditional mean embeddings."""
    if best_one_by_one(T, phi, psi):
        return _models_one_by_one(T, phi, psi, reg)
    if len(T) == 1:
        # the difference from the total would lose the smaller group's digits
        (A_p, M_p), (A_q, M_q) = both_moments(T, phi, psi), both_moments(T.reweighted(_others), phi, psi)
        ones = label_sums(T)
    else:
        A_p, M_p, ones, A, M = group_moments(T, phi, psi)
        A_q, M_q = A - A_p, M - M_p
    n, m = group_sizes(ones, phi)
    return solve_ridge(A_p, M_p, reg[0] * n), solve_ridge(A_q, M_q, reg[1] * m)


def _models_one_by_one(T: LabelBatch, phi: Rows, psi: Rows, reg: tuple[float, float]) -> tuple[AnyArray, AnyArray]:
    """The same, a label vector at a time from its sums to its models, while these are near the processor."""
    A, M = (to_host(part) for part in total_moments(phi, psi))
    labels = to_host(T.held)
    n, m = (to_host(size) for size in group_sizes(label_sums(T), phi))
    B_p, B_q = np.empty((len(T), *M.shape)), np.empty((len(T), *M.shape))

    def solve(b: int) -> None:
        A_p, M_p = (to_host(part) for part in one_vector(labels[b], phi, psi))
        A_q, M_q = A - A_p, M - M_p
        B_p[b], B_q[b] = solve_one(A_p, M_p, reg[0] * n[b]), solve_one(A_q, M_q, reg[1] * m[b])

    for_each(solve, range(len(T)))
    return B_p, B_q


def ridge_difference(labels: Weights, phi: Rows, psi: Rows, K: Rows, reg: tuple[float, float]) -> AnyArray:
    """``B_P - B_Q`` from the Gram matrix: ``B_P = phi_P^T (K_PP + lam_p n I)^-1 psi_P``."""
    return times_each(phi, ridge_coefficients(labels, psi, K, reg))


def ridge_coefficients(labels: Weights, psi: Rows, K: Rows, reg: tuple[float, float]) -> AnyArray:
    """What ``phi^T`` is multiplied by in that: the difference at x is ``sum_i k(x, x_i) a_i``; shape (B, N, q)."""
    of_p = to_host(labels) > 0
    both = RowGroups(of_p, reg[0], 1.0), RowGroups(~of_p, reg[1], -1.0)
    return solve_in_groups(K, psi, both)


def _others(T: Weights) -> Weights:
    return 1 - T


def group_sizes(n: AnyArray, rows: Rows) -> tuple[AnyArray, AnyArray]:
    """Rows of P and of Q, or 1 where a group has none, from those of P."""
    return at_least(n, 1.0), at_least(n_rows(rows) - n, 1.0)
