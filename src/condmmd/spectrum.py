"""Step 6 of the flow: the difference along the eigenvectors of the covariates' covariance, and the levels."""

from __future__ import annotations

import numpy as np

from condmmd.moments import second_moments
from condmmd.samples import Array, Weights

__all__ = ["level_values", "mixture_spectrum"]


def mixture_spectrum(T: Weights, phi: Array, mixture: float) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of ``C = alpha A(t)/n + (1 - alpha) A(1 - t)/m`` (paper, equation cov_op_est).

    Shapes (B, r) and (B, r, r), the largest eigenvalue first.
    """
    n = T.sum(axis=1)[:, None]
    m = T.shape[1] - n
    C = second_moments(mixture * T / np.maximum(n, 1) + (1 - mixture) * (1 - T) / np.maximum(m, 1), phi)
    sigma, U = np.linalg.eigh(C)
    rounding = phi.shape[1] * np.finfo(float).eps * sigma[:, -1:]
    return np.where(sigma > rounding, sigma, 0.0)[:, ::-1], U[:, :, ::-1]


def level_values(sigma: Array, energies: Array, s: Array, power: int) -> Array:
    """``sum_j sigma_j^(s - power) energy_j`` for each row of ``energies`` and each s; sigma is shared or one a row."""
    weights = sigma[..., None] ** (s - power)
    values: Array = energies @ weights if sigma.ndim == 1 else (energies[:, None, :] @ weights)[:, 0, :]
    return values
