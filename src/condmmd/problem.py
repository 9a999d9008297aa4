"""A comparison with everything fixed but the labels. What the measure and the test both evaluate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from condmmd.contrasts import Contrast, Joint, PlugIn
from condmmd.embedding import Embedding, Solver, embed_covariates, embed_outcomes
from condmmd.kernels import KernelLike, resolve_kernel
from condmmd.regularization import Regularization, choose_reg
from condmmd.samples import Array, Samples
from condmmd.spectrum import level_values, mixture_spectrum

__all__ = ["Estimator", "Problem", "pose"]

Estimator: TypeAlias = Literal["plugin", "joint"]

# Numbers in the moments of one batch of label vectors (256 MB).
BATCH_NUMBERS = 2**25


@dataclass(frozen=True, eq=False)
class Problem:
    """Features of covariates and outcomes, and the contrast between the two groups.

    Attributes
    ----------
    x
        Covariates, with features in the eigenbasis of the pooled covariance C.
    sigma
        The eigenvalues of C.
    y
        Outcomes.
    contrast
        How D is made.
    mixture
        Weight of P in C (alpha of the paper); None: the pooled sample, n / (n + m).
    """

    x: Embedding
    sigma: Array
    y: Embedding
    contrast: Contrast
    mixture: float | None = None

    def spectra(self, T: Array) -> tuple[Array, Array, Array]:
        """Eigenvalues (r or B x r), energies (B x r) and D (B x r x q) for each label vector, a row of ``T``."""
        D = self.contrast(T, self.x, self.y)
        if self.mixture is None:
            return self.sigma, np.einsum("bjk,bjk->bj", D, D), D
        sigma, U = mixture_spectrum(T, self.x.phi, self.mixture)
        along = U.transpose(0, 2, 1) @ D
        return sigma, np.einsum("bjk,bjk->bj", along, along), D

    def levels(self, T: Array, s: Array, *, batch: int | None = None) -> Array:
        """CMMD_s^2 for each label vector (a row of ``T``) and each level: shape (B, len(s))."""
        r, q = self.x.rank, self.y.rank
        step = batch or max(1, BATCH_NUMBERS // (2 * r * (r + q)))
        values = np.empty((len(T), len(s)))
        for start in range(0, len(T), step):
            labels = slice(start, start + step)
            sigma, energies, _ = self.spectra(T[labels])
            values[labels] = level_values(sigma, energies, s, self.contrast.power)
        return values


def pose(
    samples: Samples,
    *,
    kernel_x: KernelLike,
    kernel_y: KernelLike,
    reg: Regularization | Literal["loo", "gcv"],
    estimator: Estimator,
    mixture: float | None,
    tol: float,
    max_rank: int | None,
    solver: Solver,
) -> tuple[Problem, Regularization | None]:
    """Fix kernels, features and lambda from the pooled rows. The labels are not looked at."""
    k = resolve_kernel(kernel_x, samples.x, samples.gram_x)
    l = resolve_kernel(kernel_y, samples.y, samples.gram_y)  # noqa: E741 - the paper's letter
    y = embed_outcomes(l, samples.y, tol=tol, max_rank=max_rank)
    x, sigma = embed_covariates(k, samples.x, tol=tol, max_rank=max_rank, solver=solver, outcomes=y.rank).principal()
    if estimator == "joint":
        return Problem(x, sigma, y, Joint(), mixture), None
    chosen = choose_reg(reg, x.phi, y.phi, sigma)
    return Problem(x, sigma, y, PlugIn(chosen.pair), mixture), chosen
