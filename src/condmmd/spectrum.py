"""Step 6 of the flow: the difference along the eigenvectors of the covariates' covariance, and the levels."""

from __future__ import annotations

from functools import partial

import numpy as np

from condmmd.arrays import Rows, matching, n_rows, namespace
from condmmd.moments import AnyWeights, label_sums, second_moments, weigh
from condmmd.samples import Array, Weights

__all__ = ["level_values", "mixture_spectrum"]


def mixture_spectrum(T: AnyWeights, phi: Rows, mixture: float) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of ``C = alpha A(t)/n + (1 - alpha) A(1 - t)/m`` (paper, equation cov_op_est).

    Shapes (B, r) and (B, r, r), the largest eigenvalue first.
    """
    n = label_sums(T)
    xp = namespace(n)
    shares = mixture / xp.clip(n, min=1.0), (1 - mixture) / xp.clip(n_rows(phi) - n, min=1.0)
    C = second_moments(weigh(T, partial(_mixed, shares=shares)), phi)
    sigma, U = xp.linalg.eigh(C)
    rounding = phi.shape[1] * float(np.finfo(float).eps) * sigma[:, -1:]
    return xp.flip(xp.where(sigma > rounding, sigma, 0.0 * sigma), axis=1), xp.flip(U, axis=2)


def _mixed(T: Weights, shares: tuple[Array, Array]) -> Weights:
    return T * shares[0][:, None] + (1 - T) * shares[1][:, None]


def level_values(sigma: Array, energies: Array, s: Array, power: int) -> Array:
    """``sum_j sigma_j^(s - power) energy_j`` for each row of ``energies`` and each s; sigma is shared or one a row."""
    weights = sigma[..., None] ** matching(s - power, sigma)
    values: Array = energies @ weights if sigma.ndim == 1 else (energies[:, None, :] @ weights)[:, 0, :]
    return values
