"""The difference of the groups as a function of x: one number, or a ridge regression on main effects (R-learner)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array

__all__ = ["constant_effect", "varying_effects"]

# The ridge on directions of the covariates, in units of their mean square; the largest leaves nothing but a constant.
PENALTIES = 10.0 ** np.arange(-3.0, 4.1)
# Numbers in the matrices of left-out blocks that are solved at once.
AT_ONCE = 2_000_000


def constant_effect(left: Array, labels_left: Array, tau: Array) -> Array:
    """``sum tau r / sum tau s`` of each column: tau are labels less propensity, s what the smoother of r left of them.

    Robinson's estimator, weighted to where both groups are. A model of how the effect varies would drop out of it.
    """
    total = float(tau @ labels_left)
    return np.asarray(tau @ left / total) if total != 0 else np.zeros(left.shape[1])


def varying_effects(left: Array, labels_left: Array, Z: Array, blocks: npt.NDArray[np.int64] | None) -> Array:
    """The effect at every row by ``min_b sum (r - s (1, z) b)^2 + lambda |b|^2`` over the other rows (or blocks).

    Lambda is chosen for each column by the error at the rows left out.
    """
    design = np.column_stack([np.ones(len(Z)), _standard(Z, labels_left)])
    D = design * labels_left[:, None]
    second, cross = D.T @ D, D.T @ left
    penalty = np.concatenate([[0.0], np.full(Z.shape[1], 1.0)]) * float((labels_left**2).sum())
    best, found = np.full(left.shape[1], np.inf), np.zeros_like(left)
    for scale in PENALTIES if Z.shape[1] else PENALTIES[:1]:
        A = second + np.diag(scale * penalty) + 1e-12 * np.eye(len(second)) * max(second[0, 0], 1e-300)
        effects = _left_out(A, cross, D, design, left, blocks)
        error = np.sum((left - effects * labels_left[:, None]) ** 2, axis=0)
        better = error < best
        best, found = np.where(better, error, best), np.where(better, effects, found)
    return found


def _standard(Z: Array, labels_left: Array) -> Array:
    """Columns of mean 0 and variance 1 where labels are random, so that the constant needs no penalty."""
    weight = labels_left**2
    total = max(float(weight.sum()), 1e-300)
    centred = Z - weight @ Z / total
    spread = np.sqrt(weight @ centred**2 / total)
    return np.asarray(centred / np.where(spread > 1e-9, spread, np.inf))


def _left_out(
    A: Array, cross: Array, D: Array, design: Array, left: Array, blocks: npt.NDArray[np.int64] | None
) -> Array:
    """Predictions of each row by the fit without it, or without its block."""
    if blocks is None:
        inverse = np.linalg.inv(A)
        beta = inverse @ cross
        DA = D @ inverse
        leverage = np.minimum(np.sum(DA * D, axis=1), 0.99)
        misfit = (left - D @ beta) / (1 - leverage)[:, None]
        return np.asarray(design @ beta - np.sum(DA * design, axis=1)[:, None] * misfit)
    order = np.argsort(blocks, kind="stable")
    starts = np.flatnonzero(np.diff(blocks[order], prepend=-1))
    found = np.empty_like(left)
    step = max(1, AT_ONCE // A.size)
    ends = np.append(starts[1:], len(order))
    for first in range(0, len(starts), step):
        some = range(first, min(first + step, len(starts)))
        rows = [order[starts[b] : ends[b]] for b in some]
        matrices = np.stack([A - D[r].T @ D[r] for r in rows])
        sides = np.stack([cross - D[r].T @ left[r] for r in rows])
        for r, beta in zip(rows, np.linalg.solve(matrices, sides), strict=True):
            found[r] = design[r] @ beta
    return found
