"""The ridge lambda: given, or chosen on the pooled sample by leave-one-out, cross-validation or marginal likelihood.

All of them look at the vector-valued ridge regression of the outcomes' features on those of the covariates over all
rows, and never at the labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from condmmd.backend import (
    AnyArray,
    Array,
    Rows,
    move_to,
    n_rows,
    namespace,
    pick_rows,
    sample_rows,
    squared_norms,
    steps_of,
    sum_rows,
    to_host,
)
from condmmd.data.checks import PerGroup, is_number

__all__ = [
    "Lambda",
    "Regularization",
    "choose_reg",
    "cross_sums",
    "cross_validation_error",
    "largest_near_minimum",
    "marginal_likelihood_loss",
    "read_reg",
]

Chosen: TypeAlias = Literal["loo", "gcv", "marginal likelihood"]
Rule: TypeAlias = Literal["loo", "gcv", "marginal likelihood", "given", "default"]
CHOSEN: tuple[Chosen, ...] = ("loo", "gcv", "marginal likelihood")

# Lambda of a test in units of the mean of k(x, x), as in the paper.
DEFAULT_REG = 0.1
# Candidates in units of the mean of k(x, x), half a decade apart.
GRID = 10.0 ** np.arange(-9.0, 1.01, 0.5)
CHUNK_NUMBERS = 2**22
# Rows over which the error is averaged, at most.
MAX_ROWS = 50_000

_IN_WORDS: dict[Rule, str] = {
    "loo": "pooled leave-one-out",
    "gcv": "pooled generalised cross-validation",
    "marginal likelihood": "pooled marginal likelihood",
    "given": "given",
    "default": "0.1 of the mean of k(x, x)",
}


@dataclass(frozen=True)
class Regularization:
    """Lambda of P and of Q, in the paper's scale (the ridge is lambda times the group's rows), and where it is from."""

    lam_p: float
    lam_q: float
    rule: Rule

    @property
    def pair(self) -> tuple[float, float]:
        """Both, as the contrasts take them."""
        return self.lam_p, self.lam_q

    def __str__(self) -> str:
        how = _IN_WORDS[self.rule]
        if self.lam_p == self.lam_q:
            return f"{self.lam_p:.4g} ({how})"
        return f"{self.lam_p:.4g} for P, {self.lam_q:.4g} for Q ({how})"


Lambda: TypeAlias = Regularization | Literal["loo", "gcv", "marginal likelihood", "default"]


def read_reg(reg: Any) -> Lambda:
    """Read ``reg``: None for the default of a test, a positive number, a `PerGroup` of two, or a rule by its name."""
    if reg is None:
        return "default"
    if isinstance(reg, str):
        for rule in CHOSEN:
            if reg == rule:
                return rule
        raise ValueError(f"`reg` must be a positive number, PerGroup(p, q) or one of {list(CHOSEN)}; got '{reg}'.")
    given = reg.pair if isinstance(reg, PerGroup) else (reg, reg)
    if not all(is_number(lam) for lam in given):
        raise TypeError(f"`reg` must be a positive number, PerGroup(p, q) or one of {list(CHOSEN)}; got {reg!r}.")
    lam_p, lam_q = (float(lam) for lam in given)
    if not (0 < lam_p < np.inf and 0 < lam_q < np.inf):
        raise ValueError(f"`reg` must be positive; got {reg}. Use reg='loo' to choose it from the data.")
    return Regularization(lam_p, lam_q, "given")


def choose_reg(reg: Lambda, phi: Rows, psi: Rows, sigma: AnyArray) -> Regularization:
    """Choose lambda on the pooled rows, where it was not given. ``phi`` is in the eigenbasis of C."""
    if isinstance(reg, Regularization):
        return reg
    unit = float(to_host(sigma).sum())  # the sum of the eigenvalues is the mean of k(x, x)
    if reg == "default":
        return Regularization(DEFAULT_REG * unit, DEFAULT_REG * unit, "default")
    grid = GRID * unit
    if reg == "marginal likelihood":
        lam = float(grid[np.argmin(marginal_likelihood_loss(grid, phi, psi, sigma))])
        return Regularization(lam, lam, reg)
    errors = cross_validation_error(grid, phi, psi, sigma)[0 if reg == "loo" else 1]
    lam = largest_near_minimum(grid, errors)
    return Regularization(lam, lam, reg)


def marginal_likelihood_loss(grid: Array, phi: Rows, psi: Rows, sigma: AnyArray) -> Array:
    """Twice the negative logarithm of the marginal likelihood for each outcome feature, up to a constant.

    The outcomes' features are independent Gaussian processes of x with the kernel ``s^2 k / (N lam)`` and noise of the
    variance ``s^2``, whose posterior mean is the ridge regression; with the best s^2 what is left is
    ``N log tr((I + K / (N lam))^-1 L) + log det(I + K / (N lam))``, from the eigenvalues of C.
    """
    N = n_rows(phi)
    M = to_host(cross_sums(phi, psi))
    eigenvalues, along = to_host(sigma), np.sum(M**2, axis=1)
    total = float(to_host(sum_rows(_square_sum, psi)))
    misfit = total - np.sum(along / (N * (eigenvalues + grid[:, None])), axis=1)
    misfit = np.maximum(misfit, 1e-300 + 1e-15 * total)
    return np.asarray(N * np.log(misfit) + np.sum(np.log1p(np.maximum(eigenvalues, 0.0) / grid[:, None]), axis=1))


def _square_sum(rows: Rows) -> Rows:
    return namespace(rows).sum(rows**2)


def cross_validation_error(
    grid: Array, phi: Rows, psi: Rows, sigma: AnyArray, M: AnyArray | None = None
) -> tuple[Array, Array]:
    """Leave-one-out and generalised cross-validation error of the pooled ridge for each lambda of ``grid``.

    With ``H = phi (phi^T phi + lam N I)^-1 phi^T``, leave-one-out is the mean over rows of
    ``|psi_i - (H psi)_i|^2 / (1 - H_ii)^2``; generalised cross-validation has the mean of H_ii in place of H_ii.
    ``M`` is ``phi^T psi``, if it is known already.
    """
    N = n_rows(phi)
    M = cross_sums(phi, psi) if M is None else M
    some = sample_rows(N, MAX_ROWS)  # the same quantities, averaged over some rows
    phi, psi = pick_rows(phi, some), pick_rows(psi, some)
    at_once = max(1, CHUNK_NUMBERS // (phi.shape[1] * psi.shape[1]))
    sums = [_errors(move_to(grid[part], sigma), phi, psi, sigma, M, N) for part in steps_of(len(grid), at_once)]
    loo, squares, trace = np.concatenate(sums, axis=1) / len(some)
    return loo, squares / (1.0 - trace) ** 2


def _errors(lambdas: Array, phi: Rows, psi: Rows, sigma: AnyArray, M: AnyArray, N: int) -> Array:
    """Sums over these rows of leave-one-out errors, squared misfits and leverages, for several lambdas at once."""
    xp, q = namespace(phi), psi.shape[1]
    shrink = 1.0 / (N * (sigma[:, None] + lambdas[None, :]))
    weighted = xp.reshape(shrink[:, :, None] * M[:, None, :], (phi.shape[1], -1))
    total: Any = 0.0
    for rows in steps_of(n_rows(phi), max(1, CHUNK_NUMBERS // (phi.shape[1] + 2 * weighted.shape[1]))):
        leverage = phi[rows, :] ** 2 @ shrink
        fitted = xp.reshape(phi[rows, :] @ weighted, (-1, shrink.shape[1], q))
        squared = squared_norms(psi[rows, None, :] - fitted)
        own = (squared / (1.0 - leverage) ** 2, squared, leverage)
        total = total + xp.stack([xp.sum(part, axis=0) for part in own])
    return to_host(total)


def cross_sums(phi: Rows, psi: Rows) -> AnyArray:
    """``phi^T psi``."""
    found: AnyArray = sum_rows(_cross, phi, psi)
    return found


def _cross(phi: Rows, psi: Rows) -> AnyArray:
    return phi.T @ psi


def largest_near_minimum(grid: Array, errors: Array) -> float:
    """The largest lambda whose error is within a thousandth of the smallest: where nothing is learnt, regularise.

    With few features and many rows the error is flat down to lambda 0, while level 0 grows without bound.
    """
    return float(grid[np.flatnonzero(errors <= 1.001 * errors.min())[-1]])
