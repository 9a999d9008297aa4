"""Bounds of a mean difference when the odds of the labels may be off by a factor, by a covariate not measured.

The model (Tan's marginal sensitivity model): given X, the outcome and whatever was not measured, the odds of P are
within ``[1 / G, G]`` times ``e / (1 - e)``. The overlap-weighted mean of P weights its rows by ``(1 - e) (e + (1 - e)
lam)``, where lam, the factor by which the odds of Q are off, is 1 on average at every x. The largest mean has ``lam =
G`` above the quantile ``G / (1 + G)`` of the outcome given x and group, and ``1 / G`` below (Dorn and Guo, 2023), so
with any function q of x

    mean of (1 - e) (r + (1 - e) (lam - 1) (r - q)),  lam = G where r > q, else 1 / G,

is at least the largest mean, and is it where q is that quantile: a wrong q makes the bounds wider, never wrong.
Nothing that X predicts is part of the bounds, as r are residuals. Q has e in place of 1 - e. Rows of a block have one
label, and so one lam.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, cached_property

__all__ = ["Difference", "End", "LocationScale", "OddsBounds", "TwoValues", "largest_factor"]

# Factors are looked for in steps of 1 / 100, up to here.
LARGEST = 100.0
STEPS = 100


class Quantiles(Protocol):
    """Quantiles of what a group's residuals are at each row, given its covariates."""

    def __call__(self, arm: _Arm, factor: float) -> Array: ...


@dataclass(frozen=True, eq=False)
class LocationScale:
    """Residuals of one shape, around ``location`` and as wide as ``spread`` says: at ``location + c spread``.

    c makes the bound as narrow as it can be, which is a weighted quantile of the standardised residuals: then lam is 1
    on average, weighted by the spread.
    """

    location: Array
    spread: Array

    def __call__(self, arm: _Arm, factor: float) -> Array:
        around, width = arm.sign * self.location, self.spread
        A, D = arm.sums(arm.reach * (arm.r - around)), arm.sums(arm.reach * width)
        some = np.flatnonzero(D > 0)
        if not len(some):
            return around
        z = A[some] / D[some]
        order = np.argsort(z, kind="stable")
        share = np.cumsum(D[some][order])
        at = np.searchsorted(share, share[-1] * factor / (1 + factor))
        return np.asarray(around + z[order][min(int(at), len(some) - 1)] * width)


@dataclass(frozen=True, eq=False)
class TwoValues:
    """Residuals of an indicator: its quantile is 1 where that has a probability above ``1 / (1 + G)``, else 0."""

    predicted: Array
    probability: Array

    def __call__(self, arm: _Arm, factor: float) -> Array:
        if arm.sign > 0:
            return (self.probability > 1 / (1 + factor)) - self.predicted
        return self.predicted - (1 - self.probability <= 1 / (1 + factor))


@dataclass(frozen=True, eq=False)
class _Arm:
    """The mean of one group, times a sign: its residuals, weights, and what of the weights lam moves."""

    r: Array
    weight: Array
    reach: Array
    sign: float
    blocks: npt.NDArray[np.int64]
    quantiles: Quantiles

    def sums(self, values: Array) -> Array:
        """Over the rows of each block."""
        return np.asarray(np.bincount(self.blocks, weights=values), dtype=np.float64)

    @cached_property
    def own(self) -> Array:
        """The weight of each block."""
        return self.sums(self.weight)

    @cached_property
    def moments(self) -> Array:
        """The weighted residuals of each block."""
        return self.sums(self.weight * self.r)

    def largest(self, factor: float) -> tuple[float, float]:
        """The largest mean, and its variance with the weights held as they are."""
        gain = np.zeros(1)
        if factor > 1:
            R = self.sums(self.reach * (self.r - self.quantiles(self, factor)))
            gain = np.maximum((factor - 1) * R, (1 / factor - 1) * R)
        total = self.own.sum()
        mean = float((self.moments.sum() + gain.sum()) / total)
        without = np.maximum(total - self.own, 0.01 * total)  # each block is judged by the mean of the others
        deviation = (self.moments + gain - self.own * mean) / without
        return mean, float(deviation @ deviation)


class End(NamedTuple):
    """One end of the bounds, and its standard error."""

    value: float
    error: float


@dataclass(frozen=True, eq=False)
class Difference:
    """What is bounded: residuals of one outcome, labels, propensity, blocks, and a model of the quantiles by group."""

    r: Array
    t: Array
    e: Array
    blocks: npt.NDArray[np.int64]

    @cached_property
    def shift(self) -> float:
        """The overlap-weighted mean of P less that of Q, with the odds as they are."""
        p, q = self.t * (1 - self.e), (1 - self.t) * self.e
        return float(p @ self.r / p.sum() - q @ self.r / q.sum())

    @cached_property
    def location(self) -> Array:
        """Where the residuals of each row's group are, if the shift is the same everywhere."""
        return (self.t - self.e) * self.shift

    def bounds(self, quantiles: Quantiles) -> OddsBounds:
        """Bounds with these quantiles."""
        p, q = self.t * (1 - self.e), (1 - self.t) * self.e

        def arm(weight: Array, moved: Array, sign: float) -> _Arm:
            return _Arm(sign * self.r, weight, weight * moved, sign, self.blocks, quantiles)

        return OddsBounds(
            high=(arm(p, 1 - self.e, 1.0), arm(q, self.e, -1.0)), low=(arm(p, 1 - self.e, -1.0), arm(q, self.e, 1.0))
        )


@dataclass(frozen=True, eq=False)
class OddsBounds:
    """The largest and the smallest difference that odds within a factor allow."""

    high: tuple[_Arm, _Arm]
    low: tuple[_Arm, _Arm]

    def largest(self, factor: float) -> End:
        """The largest difference, and its standard error."""
        (one, first), (other, second) = (arm.largest(factor) for arm in self.high)
        return End(one + other, (first + second) ** 0.5)

    def smallest(self, factor: float) -> End:
        """The smallest difference, and its standard error."""
        (one, first), (other, second) = (arm.largest(factor) for arm in self.low)
        return End(-one - other, (first + second) ** 0.5)


def largest_factor(holds: Callable[[float], bool]) -> float | None:
    """The largest factor, in hundredths, at which something that ends once still holds; None if it never does."""
    if not holds(1.0):
        return None
    low, high = STEPS, STEPS + 25
    while high < LARGEST * STEPS and holds(high / STEPS):  # most are small, and small ones are soon found
        low, high = high, min(2 * high, int(LARGEST) * STEPS)
    if high >= LARGEST * STEPS and holds(LARGEST):
        return LARGEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle / STEPS) else (low, middle)
    return low / STEPS
