"""Intervals for one number, and for many at once: what random weights on the rows' influence would do to them.

With normal weights (one for each row or block) the sums of the influences are normal with the covariance of the
influences, so that the multiplier bootstrap needs no resampling of rows: vectors are drawn from that law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from condmmd.backend import Array

__all__ = ["Band", "band_of"]

DRAWS = 10_000


@dataclass(frozen=True, eq=False)
class Band:
    """Standard errors of some estimates, and what they are multiplied by.

    Attributes
    ----------
    errors
        One for each estimate.
    alone, together
        Multiples for an interval that covers its own number, and for intervals that cover all at once.
    largest
        Largest standardised value of each draw, in order.
    df
        Degrees of freedom.
    """

    errors: Array
    alone: float
    together: float
    largest: Array
    df: float

    def pvalue(self, estimates: Array) -> float:
        """For the hypothesis that all are 0, by the one that is farthest from it."""
        known = self.errors > 0
        if not known.any():
            return 1.0
        farthest = float(np.max(np.abs(estimates[known]) / self.errors[known]))
        if known.sum() == 1:
            return float(2 * stdtr(self.df, -farthest))
        above = len(self.largest) - int(np.searchsorted(self.largest, farthest, side="left"))
        return (1 + above) / (1 + len(self.largest))


def band_of(influence: Array, confidence: float, df: float, seed: int) -> Band:
    """From what each row (or block) adds to each estimate: shape rows x estimates."""
    covariance = influence.T @ influence
    errors = np.sqrt(np.diag(covariance))
    alone = float(stdtrit(df, (1 + confidence) / 2))
    known = errors > 0
    if known.sum() < 2:
        return Band(errors, alone, alone, np.empty(0), df)
    correlation = covariance[np.ix_(known, known)] / np.outer(errors[known], errors[known])
    values, U = np.linalg.eigh(correlation)
    rng = np.random.default_rng([seed, 15])
    normal = rng.normal(size=(DRAWS, len(values))) * np.sqrt(np.maximum(values, 0.0))
    scale = np.sqrt(rng.chisquare(df, size=DRAWS) / df)
    largest = np.sort(np.abs(normal @ U.T).max(axis=1) / scale)
    together = float(np.quantile(largest, confidence))
    return Band(errors, alone, max(alone, together), largest, df)
