"""Intervals for one number, and for many at once: what random signs do to the parts that rows have in it.

The signs are those of the test (`condmmd.Signs`), so that a p-value and an interval of the same quantity agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from condmmd.backend import Array, cached_property
from condmmd.inference import SignDraws
from condmmd.inference.joining import TIE, pvalue

__all__ = ["Band", "Ratios", "band_of"]


@dataclass(frozen=True, eq=False)
class Ratios:
    """Estimates ``A / B`` that are linear in the multipliers a, as ``sum a_i r_i / sum a_i s_i``: tests turned round.

    A difference delta is in the interval if the test of ``sum a_i (r_i - delta s_i)`` among random signs does not
    reject it: so zero is in it if and only if the p-value of the test of r is larger than one less the confidence.

    Attributes
    ----------
    A, B
        Numerators, and the denominator.
    parts
        What each unit adds to them by chance: (units, estimates + 1).
    draws
        Random signs.
    """

    A: Array
    B: float
    parts: Array
    draws: SignDraws

    @property
    def influence(self) -> Array:
        """What each unit adds to the estimates: (units, estimates)."""
        return np.asarray((self.parts[:, :-1] - self.parts[:, -1:] * (self.A / self.B)) / self.B)

    @cached_property
    def _drawn(self) -> tuple[Array, Array]:
        """Numerators and denominator with random signs: (draws, estimates) and (draws, 1)."""
        found = self.draws(self.parts)
        return found[:, :-1], found[:, -1:]

    def intervals(self, confidence: float) -> list[tuple[float, float]]:
        """Of each estimate alone."""
        (a, b), B = self._drawn, self.B
        count = len(a)
        outside = int(np.floor((1 - confidence) * (count + 1) * (1 + TIE)))
        if outside < 1:
            return [(-np.inf, np.inf)] * len(self.A)
        bounded = np.abs(b) < abs(B)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([(self.A - a) / (B - b), (self.A + a) / (B + b)])
        low, high = np.where(bounded, ends.min(axis=0), -np.inf), np.where(bounded, ends.max(axis=0), np.inf)
        lows = np.partition(low, outside - 1, axis=0)[outside - 1]
        highs = np.partition(high, count - outside, axis=0)[count - outside]
        return list(zip(lows.tolist(), highs.tolist(), strict=True))

    @property
    def pvalue(self) -> float:
        """For the hypothesis that all are 0, by the one that is farthest from it in its standard errors."""
        errors = np.sqrt(np.sum(self.parts[:, :-1] ** 2, axis=0))
        known = errors > 0
        if not known.any():
            return 1.0
        draws = np.abs(self._drawn[0][:, known]) / errors[known]
        return pvalue(float(np.max(np.abs(self.A[known]) / errors[known])), draws.max(axis=1))


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


def band_of(influence: Array, confidence: float, df: float, draws: SignDraws) -> Band:
    """From what each unit adds to each estimate: shape units x estimates."""
    errors = np.sqrt(np.sum(influence**2, axis=0))
    alone = float(stdtrit(df, (1 + confidence) / 2))
    known = errors > 0
    if known.sum() < 2:
        return Band(errors, alone, alone, np.empty(0), df)
    drawn = draws(influence[:, known])
    scale = np.sqrt(np.random.default_rng([draws.seed, 15]).chisquare(df, size=len(drawn)) / df)
    largest = np.sort(np.max(np.abs(drawn) / errors[known], axis=1) / scale)
    return Band(errors, alone, max(alone, float(np.quantile(largest, confidence))), largest, df)
