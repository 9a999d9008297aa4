"""Quantiles of both groups after adjusting for X, by inverting adjusted distribution functions and their bands.

An interval for a quantile is the outcomes at which the distribution function is the wanted share, give or take its
error there: no density is estimated, and piles of equal outcomes do no harm. Of a difference, the intervals of the two
groups are put together by their squares (Zou and Donner's MOVER), with the correlation of the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from condmmd.backend import Array, to_host
from condmmd.effects.adjusted import Adjusted, Smoothed
from condmmd.effects.scores import Weights

__all__ = ["SHARES", "Curve", "QuantileShifts", "quantile_shifts"]

SHARES = np.arange(1, 10) / 10


@dataclass(frozen=True, eq=False)
class Curve:
    """A distribution function that rises at ``points``."""

    points: Array
    heights: Array

    def quantile(self, shares: Array) -> Array:
        """The smallest point at which it is at least so high."""
        place = np.searchsorted(self.heights, shares - 1e-12, side="left")
        return np.asarray(self.points[np.minimum(place, len(self.points) - 1)])


@dataclass(frozen=True, eq=False)
class QuantileShifts:
    """Quantiles of one outcome in P and in Q, and what their intervals are made of.

    Attributes
    ----------
    p, q
        The quantiles.
    curves
        The two distribution functions.
    errors
        Of the two functions at these quantiles.
    correlation
        Between the two.
    influence
        What each row (or block) adds to the differences, to first order.
    """

    p: Array
    q: Array
    curves: tuple[Curve, Curve]
    errors: tuple[Array, Array]
    correlation: Array
    influence: Array

    def interval(self, multiple: float) -> tuple[Array, Array]:
        """Of the differences, with so many standard errors."""
        p_low, p_high = _inverted(self.curves[0], self.errors[0], multiple)
        q_low, q_high = _inverted(self.curves[1], self.errors[1], multiple)
        down = _together(self.p - p_low, q_high - self.q, self.correlation)
        up = _together(p_high - self.p, self.q - q_low, self.correlation)
        return self.p - self.q - down, self.p - self.q + up


def quantile_shifts(adjusted: Adjusted, k: int, weights: Weights) -> QuantileShifts:
    """Of outcome k, which must have thresholds."""
    curves = _curves(adjusted, k, weights)
    p, q = (curve.quantile(SHARES) for curve in curves)
    found = weights.levels(adjusted, adjusted.at_thresholds(k, np.concatenate([p, q])))
    of_p, of_q = found.of_p[:, : len(SHARES)], found.of_q[:, len(SHARES) :]
    errors = tuple(np.sqrt(np.sum(part**2, axis=0)) for part in (of_p, of_q))
    scale = errors[0] * errors[1]
    correlation = np.sum(of_p * of_q, axis=0) / np.where(scale > 0, scale, 1.0)
    slopes = []
    for curve, error in zip(curves, errors, strict=True):
        low, high = _inverted(curve, error, 1.0)
        slopes.append((high - low) / np.where(error > 0, 2 * error, 1.0))
    return QuantileShifts(p, q, curves, (errors[0], errors[1]), correlation, of_q * slopes[1] - of_p * slopes[0])


def _inverted(curve: Curve, errors: Array, multiple: float) -> tuple[Array, Array]:
    """Where the function is between two shares, each so many standard errors away on the scale of log-odds."""
    away = multiple * errors / (SHARES * (1 - SHARES))
    return curve.quantile(expit(logit(SHARES) - away)), curve.quantile(expit(logit(SHARES) + away))


def _together(one: Array, other: Array, correlation: Array) -> Array:
    return np.sqrt(np.maximum(one**2 + other**2 - 2 * correlation * one * other, 0.0))


def _curves(adjusted: Adjusted, k: int, weights: Weights) -> tuple[Curve, Curve]:
    """Weighted shares of each group at every outcome, and what the models add to them between the thresholds."""
    outcome, grid = adjusted.outcomes[k], adjusted.below[k]
    if grid is None:
        raise ValueError(f"no quantiles of {outcome.name} were asked for.")
    y = to_host(adjusted.samples.y.values)[:, outcome.position]
    points, of_row, counts = np.unique(y, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) / len(y)
    is_below = (y[:, None] <= outcome.thresholds).astype(np.float64)
    found = weights.levels(adjusted, Smoothed(is_below, is_below - grid, adjusted.below_left))
    at = np.searchsorted(points, outcome.thresholds)
    curves = []
    for own, level in ((weights.p, found.p), (weights.q, found.q)):
        share = own / (weights.counts.sum() if weights.name == "overlap" else own.sum())
        heights = np.cumsum(np.bincount(of_row.reshape(-1), weights=share))
        added = np.concatenate([[0.0], level - heights[at], [1.0 - heights[-1]]])
        heights = heights + np.interp(ranks, np.concatenate([[0.0], ranks[at], [1.0]]), added)
        curves.append(Curve(points, np.sort(np.clip(heights, 0.0, 1.0))))  # rearranged, so that it rises
    return curves[0], curves[1]
