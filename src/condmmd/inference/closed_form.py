"""The null distribution of the orthogonal statistic without resampling, for screening.

Under independent labels ``S = tau^T H tau`` with a matrix H that never sees labels: its mean and variance are known
exactly, and a gamma law with the same two gives a p-value.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc

from condmmd.backend import Array, to_host
from condmmd.data.warning_types import ApproximationWarning, warn_user
from condmmd.statistics import Comparison, OrthogonalContrast

__all__ = ["gamma_pvalues", "null_moments"]

CHUNK_NUMBERS = 2**22


def null_moments(comparison: Comparison, levels: Array) -> tuple[Array, Array]:
    """Mean and variance of each level's statistic over independent labels with the propensity of the contrast.

    With ``v_i = 1 / (e_i (1 - e_i))`` and ``kappa_i = e_i^-3 + (1 - e_i)^-3``, the second and fourth moments of tau_i,
    the mean is ``sum_i H_ii v_i`` and the variance
    ``2 sum_{i != j} H_ij^2 v_i v_j + sum_i H_ii^2 (kappa_i - v_i^2)``.
    """
    contrast = comparison.contrast
    if not isinstance(contrast, OrthogonalContrast):
        raise TypeError("closed-form null moments need the orthogonal contrast.")
    phi, psi, e, sigma, shrinkage = (
        to_host(part)
        for part in (comparison.x.phi, comparison.y.phi, contrast.e, comparison.sigma, contrast.shrinkage(comparison.x))
    )
    v, kappa = 1 / (e * (1 - e)), e**-3 + (1 - e) ** -3
    weights = sigma[:, None] ** levels * shrinkage[:, None] ** 2
    diagonal = (phi**2 @ weights) * np.einsum("ij,ij->i", psi, psi)[:, None]
    squares = np.zeros(len(levels))
    step = max(1, CHUNK_NUMBERS // len(phi))
    for start in range(0, len(phi), step):
        rows = slice(start, start + step)
        outcomes = psi[rows] @ psi.T
        for s in range(len(levels)):
            H = (phi[rows] * weights[:, s]) @ phi.T * outcomes
            squares[s] += v[rows] @ (H**2 @ v)
    mean = v @ diagonal
    off_diagonal = squares - v**2 @ diagonal**2
    return mean, 2 * off_diagonal + (kappa - v**2) @ diagonal**2


def gamma_pvalues(comparison: Comparison, observed: Array, levels: Array) -> Array:
    """Upper tail of the gamma law with the null mean and variance, for each level."""
    mean, variance = null_moments(comparison, levels)
    shape = mean**2 / variance
    if shape.min() < 1:
        warn_user(
            f"null=Gamma(): the gamma law fits badly where propensities are extreme (shape {shape.min():.2g} at level "
            f"{levels[int(np.argmin(shape))]:g}); use null=Resampling().",
            ApproximationWarning,
        )
    return np.asarray(gammaincc(shape, observed * mean / variance))
