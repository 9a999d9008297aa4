"""The squared length of a mean that is seen with noise: an estimate without bias, and limits that hold at zero too.

Let ``S = |d + z|^2`` with d the mean and z the noise of many rows, nearly normal. Where d is zero, S is a weighted sum
of chi-squares and no normal law is near; where d is large, S is nearly normal with a spread that grows with d. Both are
kept: if the squared length is ``v``, the law of S is that of

    v exp(drift) + 2 sqrt(v) along + square

with ``along`` the noise in the direction of d, ``square`` the squared length of the noise, and ``drift`` what else
moves with v (the rows' own spread over the covariates, a scale that was estimated on them), which is small and as a
factor never turns a sign. A limit is the v at which what was seen would be too small, or too large, to be likely.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from condmmd.backend import Array

__all__ = ["NoisyNorm", "noisy_norms"]

# How often an interval is halved to find a limit in it.
HALVINGS = 50


@dataclass(frozen=True, eq=False)
class NoisyNorm:
    """A squared length as it was seen, and draws of what the noise does to it.

    Attributes
    ----------
    seen
        The squared length of mean and noise together.
    bias
        The mean of the squared length of the noise.
    along, square, drift
        Draws of the three parts of the noise.
    """

    seen: float
    bias: float
    along: Array
    square: Array
    drift: Array

    @property
    def estimate(self) -> float:
        """Without what the noise adds on average; where there is nothing it is below zero about as often as above."""
        return self.seen - self.bias

    def below(self, value: float) -> float:
        """The chance of seeing at most what was seen, if the squared length is ``value``; never 0, as draws are few."""
        return (1 + float(np.sum(self.draws(value) <= self.seen))) / (1 + len(self.square))

    def upper(self, confidence: float) -> float:
        """A limit that the squared length exceeds with a chance of at most ``1 - confidence``."""
        return self._last(lambda value: self.below(value) > 1 - confidence)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Both limits, which together err with a chance of ``1 - confidence`` whatever the squared length is.

        At zero nothing can be too small, so there all of the chance goes to seeing too much; the part for seeing too
        little grows to a half where the squared length is above its noise.
        """
        error = 1 - confidence
        noise = max(float(self.square.std()), 1e-300)

        def for_too_little(value: float) -> float:
            return 0.5 * error * (1 - float(np.exp(-value / noise)))

        low = self._last(lambda value: self.below(value) > 1 - error + for_too_little(value))
        high = self._last(lambda value: self.below(value) > for_too_little(value))
        return low, max(low, high)

    def draws(self, value: float) -> Array:
        """What would be seen, if the squared length were ``value``."""
        factor = np.exp(self.drift - 0.5 * self.drift.var())  # of mean 1
        return np.asarray(value * factor + 2 * value**0.5 * self.along + self.square)

    def _last(self, holds: Callable[[float], bool]) -> float:
        """The value up to which a condition holds that fails from there on; 0 if it never holds."""
        if not holds(0.0):
            return 0.0
        low, high = 0.0, max(self.seen, 1e-300)
        for _ in range(HALVINGS):
            if not holds(high):
                break
            low, high = high, 2 * high
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if holds(middle) else (low, middle)
        return high


def noisy_norms(
    seen: float, noise: Array, along: Array, drifts: Array, bias: float, rest: float = 0.0
) -> list[NoisyNorm]:
    """From draws of the noise, which random signs of what each row adds give.

    Parameters
    ----------
    seen
        The squared length of mean and noise.
    noise
        Draws of the noise in its leading directions.
    along
        The same along the mean.
    drifts
        The same of what moves in proportion to the squared length; a column for each of the answers.
    bias
        The mean square of the noise in the leading directions, over all signs.
    rest
        That of the noise in all other directions, which are many and small: it hardly varies.
    """
    square = np.einsum("bj,bj->b", noise, noise) + rest
    return [NoisyNorm(seen, bias + rest, along, square, drift) for drift in drifts.T]
