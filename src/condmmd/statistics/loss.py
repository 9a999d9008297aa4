"""Losses for a conditional generator: how far its draws are from the outcomes, as something to differentiate.

Every one is ``<V_yy, L_yy> - 2 <V_yz, L_yz> + <V_zz, L_zz>``: similarities L of outcomes and draws, weighted by what
the covariates say of each pair of rows. Gradients pass through the similarities, by the array library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from condmmd.backend import AnyArray, Rows, n_rows, namespace, place_of, solve_positive, take
from condmmd.kernels import Kernel

__all__ = ["PairWeights", "joint_weights", "kernel_score", "ridge_weights", "weighted_distance"]


@dataclass(frozen=True, eq=False)
class PairWeights:
    """How much a pair of rows counts: both observed, one of each kind, both generated."""

    yy: AnyArray
    yz: AnyArray
    zz: AnyArray


def kernel_score(kernel: Kernel, y: Rows, z: Rows, *, unbiased: bool) -> AnyArray:
    """The mean over rows of ``mean_ab l(z_a, z_b) - 2 mean_a l(y, z_a)``, draws a and b of one row.

    Unbiased, a and b differ: the expectation is then the squared MMD of the two conditional distributions, averaged
    over X, less a term in which no draw occurs. This is level 1 without any regression.

    Parameters
    ----------
    y, z
        Outcomes, n x q, and R draws for each of them, n x R x q.
    """
    xp, (n, R, _) = namespace(z), z.shape
    draws = _flat(z)
    outcomes = take(y, [row for row in range(n) for _ in range(R)])
    score: AnyArray = xp.mean(_own(kernel, z, unbiased=unbiased)) - 2 * xp.mean(kernel.pairs(outcomes, draws))
    return score


def joint_weights(kernel: Kernel, x: Rows, x_z: Rows | None, *, unbiased: bool) -> PairWeights:
    """Level 2: MMD of the joint distributions, ``V = K / n^2``; unbiased, no row meets itself.

    Parameters
    ----------
    x, x_z
        Covariates of the outcomes and of the draws; None if they are the same rows.
    """

    def within(rows: Rows) -> AnyArray:
        count, K = n_rows(rows), kernel.gram(rows, rows)
        return _off_diagonal(K) / (count * (count - 1)) if unbiased else K / count**2

    own = within(x)
    if x_z is None:
        return PairWeights(own, own, own)
    return PairWeights(own, kernel.gram(x, x_z) / (n_rows(x) * n_rows(x_z)), within(x_z))


def ridge_weights(kernel: Kernel, x: Rows, x_z: Rows | None, *, lam: float, level: int) -> PairWeights:
    """Level 0 or 1 of the plug-in: ``W K W`` or ``W K^2 W / n``, with ``W = (K + lam n I)^-1`` of each sample.

    Parameters
    ----------
    x, x_z
        As in `joint_weights`. With two samples, ``K^2 / n`` runs over the rows of both.
    """
    samples = [x] if x_z is None else [x, x_z]
    pooled = namespace(x).concat(samples)
    smooth = [_inverse(kernel, own, lam) for own in samples]  # W of each sample
    if level == 0:
        between = [
            [smooth[a] @ kernel.gram(p, q) @ smooth[b] for b, q in enumerate(samples)] for a, p in enumerate(samples)
        ]
    else:
        fitted = [W @ kernel.gram(own, pooled) for W, own in zip(smooth, samples, strict=True)]
        between = [[first @ second.T / n_rows(pooled) for second in fitted] for first in fitted]
    return PairWeights(between[0][0], between[0][-1], between[-1][-1])


def weighted_distance(weights: PairWeights, kernel: Kernel, y: Rows, z: Rows, *, unbiased: bool) -> AnyArray:
    """The weighted similarities; draws of one row count as their mean, unbiased without a draw meeting itself.

    Parameters
    ----------
    y, z
        Outcomes, n x q, and R draws for each row of covariates, m x R x q.
    """
    xp, (m, R, _) = namespace(z), z.shape
    draws = _flat(z)
    between = xp.mean(xp.reshape(kernel.gram(y, draws), (n_rows(y), m, R)), axis=2)
    others = xp.mean(xp.mean(xp.reshape(kernel.gram(draws, draws), (m, R, m, R)), axis=3), axis=1)
    own = _own(kernel, z, unbiased=unbiased and R > 1)
    found: AnyArray = (
        xp.sum(weights.yy * kernel.gram(y, y))
        - 2 * xp.sum(weights.yz * between)
        + xp.sum(_off_diagonal(weights.zz) * others)
        + xp.sum(xp.linalg.diagonal(weights.zz) * own)
    )
    return found


def _own(kernel: Kernel, z: Rows, *, unbiased: bool) -> AnyArray:
    """The mean similarity of the draws of each row with one another; unbiased, not of a draw with itself."""
    xp, (n, R, q) = namespace(z), z.shape
    first, second = [a for a in range(R) for _ in range(a)], [b for a in range(R) for b in range(a)]
    total: Any = 0.0
    if first:
        similar = kernel.pairs(*(xp.reshape(take(z, which, axis=1), (-1, q)) for which in (first, second)))
        total = 2 * xp.sum(xp.reshape(similar, (n, len(first))), axis=1)
    if unbiased:
        mean: AnyArray = total / (R * (R - 1))
        return mean
    return (total + xp.sum(xp.reshape(kernel.diagonal(_flat(z)), (n, R)), axis=1)) / R**2


def _flat(z: Rows) -> Rows:
    """All draws in rows, those of one row of covariates together."""
    draws: Rows = namespace(z).reshape(z, (-1, z.shape[2]))
    return draws


def _off_diagonal(K: AnyArray) -> AnyArray:
    return K * (1.0 - _identity(K))


def _identity(K: AnyArray) -> Any:
    xp, where = place_of(K)
    return xp.eye(n_rows(K), dtype=K.dtype, **where)


def _inverse(kernel: Kernel, x: Rows, lam: float) -> AnyArray:
    """``(K + lam n I)^-1``."""
    K = kernel.gram(x, x)
    inverse: AnyArray = solve_positive(K + lam * n_rows(x) * _identity(K), _identity(K))
    return inverse
