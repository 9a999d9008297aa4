"""Null labels as random as labels were before a propensity was fitted to them.

An estimate bends towards the labels that it is fitted to. Labels that are drawn from it therefore vary less than those
were free to, by the leverage of each row, and a test that ranks the observed labels among them rejects too often: with
26 columns and 200 rows a true null 7 times in 100 at a level of 5. So they are drawn from odds nearer to those of the
whole sample, by as much as makes up for that; what this moves of their means, the refit of the propensity to each of
them takes away, as it does with all else in the columns of the fit.
"""

from __future__ import annotations

import numpy as np

from condmmd.backend import Array
from condmmd.regression.odds import log_odds, overlap, tilt, total_overlap

__all__ = ["as_random_as_before", "randomness_before"]

# A row's own part in what is fitted to it is taken out up to here.
MOST_LEVERAGE = 0.95


def as_random_as_before(e: Array, Z: Array, held: Array, n: int) -> Array:
    """Probabilities nearer to their mean, with sum ``n``, that leave labels as random as before the fit.

    Parameters
    ----------
    e
        Fitted probabilities of the labels.
    Z
        The columns of the fit, the intercept's first.
    held
        What holds the coefficients beside these labels: a Hessian, of the penalty.
    n
        The number of ones.
    """
    summed = np.asarray(tilt(log_odds(e), n))
    wanted = randomness_before(np.asarray(overlap(summed)), Z, held)
    odds, base = log_odds(summed), np.log(n / (len(e) - n))

    def nearer(share: float) -> Array:
        return np.asarray(tilt(base + share * (odds - base), n))

    if total_overlap(nearer(0.0)) <= wanted:
        return nearer(0.0)
    from scipy.optimize import brentq  # noqa: PLC0415 - a slow import

    return nearer(float(brentq(lambda share: total_overlap(nearer(share)) - wanted, 0.0, 1.0, xtol=1e-3)))


def randomness_before(w: Array, Z: Array, held: Array) -> float:
    """What the sum of ``w = e (1 - e)`` was on average before the fit, which takes of each row's its leverage."""
    hessian = (Z * w[:, None]).T @ Z + held
    leverage = w * np.sum(Z * np.linalg.solve(hessian, Z.T).T, axis=1)
    return float(np.sum(w / (1 - np.clip(leverage, 0.0, MOST_LEVERAGE))))
