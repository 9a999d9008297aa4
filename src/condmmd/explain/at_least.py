"""How large a difference is at least: an estimation band, which holds where something differs too.

Null labels say what a difference would be if there were none, so their band marks where there is one; of how far a
difference that is there may be off it says nothing. That is seen from what every row adds to it, less the difference
itself, with a random sign for each row (or block): the bootstrap of residuals of Massiani et al. (2025).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array

__all__ = ["deviations", "lower_bounds", "multiplier_radii"]

# Multipliers for each row, a few at a time.
MULTIPLIERS, AT_ONCE = 199, 50


def deviations(phi: Array, psi: Array, tau: Array, weights: Array, ridge: float) -> Array:
    """``tau_i (psi_i - tau_i D_(-i)(x_i))``: what chance adds to a sum of ``tau_i psi_i``, at each row.

    Parameters
    ----------
    phi, psi
        Features of the covariates, and of the outcomes as they were compared.
    tau
        Labels less their propensity.
    weights
        Their variances.
    ridge
        Of the regression of the difference, in the sum over rows; each row's is predicted from the others.
    """
    S = np.linalg.inv((phi * weights[:, None]).T @ phi + ridge * np.eye(phi.shape[1]))
    smooth = phi @ S
    leverage = np.einsum("ij,ij->i", smooth, phi)
    predicted = smooth @ (phi.T @ (tau[:, None] * psi)) - (tau * leverage)[:, None] * psi
    predicted /= np.maximum(1.0 - weights * leverage, 0.01)[:, None]
    return np.asarray(tau[:, None] * (psi - tau[:, None] * predicted))


def multiplier_radii(
    squares: Callable[[Array], Array], signs: Array, of_row: npt.NDArray[np.int64], significance: float
) -> tuple[Array, float]:
    """How far each estimate may be off: a scale for each of them, and the factor that holds for all at once.

    ``squares`` gives the squared norms of all estimates, (B, places), for multipliers of the rows, (B, rows): random
    ``signs``, of which ``of_row`` says which is that of each row.
    """
    count = min(len(signs), max(MULTIPLIERS, int(np.ceil(1 / significance)) - 1))
    off = np.concatenate([squares(signs[start : start + AT_ONCE][:, of_row]) for start in range(0, count, AT_ONCE)])
    off = off[:count]
    scale = np.sqrt(off.mean(axis=0))
    largest = np.sort(np.max(np.sqrt(off) / np.where(scale > 0, scale, np.inf), axis=1))
    return scale, float(largest[min(count - 1, int(np.ceil((1 - significance) * (count + 1))) - 1)])


def lower_bounds(size: Array, radii: tuple[Array, float]) -> Array:
    """What the sizes are at least, all at once; 0 where a size might be due to chance."""
    scale, factor = radii
    return np.maximum(size - factor * scale, 0.0)
