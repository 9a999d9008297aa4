"""Step 6 of the flow: the difference along the eigenvectors of the covariates' covariance, and the levels."""

from __future__ import annotations

from functools import partial

import numpy as np

from condmmd.backend import AnyArray, Array, LabelBatch, Rows, Weights, label_sums, move_to, namespace
from condmmd.regression.moments import second_moments
from condmmd.regression.ridge import group_sizes

__all__ = ["level_values", "mixture_spectrum"]


def mixture_spectrum(T: LabelBatch, phi: Rows, mixture: float) -> tuple[AnyArray, AnyArray]:
    """Eigenvalues and eigenvectors of ``C = alpha A(t)/n + (1 - alpha) A(1 - t)/m`` (paper, equation cov_op_est).

    Shapes (B, r) and (B, r, r), the largest eigenvalue first.
    """
    n, m = group_sizes(label_sums(T), phi)
    xp = namespace(n)
    C = second_moments(T.reweighted(partial(_mixed, shares=(mixture / n, (1 - mixture) / m))), phi)
    sigma, U = xp.linalg.eigh(C)
    rounding = phi.shape[1] * float(np.finfo(float).eps) * sigma[:, -1:]
    return xp.flip(xp.where(sigma > rounding, sigma, 0.0 * sigma), axis=1), xp.flip(U, axis=2)


def _mixed(T: Weights, shares: tuple[AnyArray, AnyArray]) -> Weights:
    return T * shares[0][:, None] + (1 - T) * shares[1][:, None]


def level_values(sigma: AnyArray, energies: AnyArray, s: Array, power: int) -> AnyArray:
    """``sum_j sigma_j^(s - power) energy_j`` for each row of ``energies`` and each s; sigma is shared or one a row."""
    with np.errstate(over="ignore"):  # what is infinite is refused, with its reason, where all statistics are
        weights = sigma[..., None] ** move_to(s - power, sigma)
    return energies @ weights if sigma.ndim == 1 else (energies[:, None, :] @ weights)[:, 0, :]
