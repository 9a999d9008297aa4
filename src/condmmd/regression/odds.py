"""Odds and prevalences: a propensity is known up to a factor in the odds, which the sizes of the groups fix."""

from __future__ import annotations

from functools import partial

from condmmd.backend import Rows, column_span, map_rows, namespace, sigmoid, sum_rows

__all__ = ["balanced", "inverse_weights", "log_odds", "overlap", "tilt", "total_overlap"]


def log_odds(e: Rows) -> Rows:
    """The logarithm of e / (1 - e)."""
    xp = namespace(e)
    logarithm: Rows = xp.log(e) - xp.log1p(-e)
    return logarithm


def balanced(e: Rows, share: float) -> Rows:
    """The probability of P that the same x would have if the two samples were of one size; ``share`` of rows are P."""
    odds = e / (1 - e) * (1 - share) / share
    return odds / (1 + odds)


def overlap(e: Rows) -> Rows:
    """``e (1 - e)``: how random the label of a row is, so how much it tells of a difference."""
    return e * (1 - e)


def total_overlap(e: Rows) -> float:
    """The sum of e (1 - e): the variance of the number of rows of P."""
    return float(sum_rows(_sum_of_overlap, e))


def _sum_of_overlap(e: Rows) -> Rows:
    total: Rows = namespace(e).sum(overlap(e))
    return total


def inverse_weights(T: Rows, e: Rows) -> Rows:
    """``(t_i - e_i) / (e_i (1 - e_i))``: inverse-propensity weights, negative for Q."""
    return (T - e) / overlap(e)


def tilt(log_odds: Rows, n: int) -> Rows:
    """Probabilities with these odds up to a factor and with sum n: where the conditional law is best represented."""

    def excess(shift: float) -> float:
        return float(sum_rows(partial(_total, shift=shift), log_odds)) - n

    shift = 0.0
    if abs(excess(0.0)) > 1e-9 * n:
        low, high = column_span(log_odds)
        near = -0.01, 0.01  # a fitted propensity has almost the right sum
        if not excess(near[0]) <= 0 <= excess(near[1]):
            near = -float(high) - 40.0, -float(low) + 40.0
        from scipy.optimize import brentq  # noqa: PLC0415 - a slow import that a fitted propensity rarely needs

        shift = float(brentq(excess, *near, xtol=1e-12))
    return map_rows(partial(_shifted, shift=shift), log_odds)


def _shifted(log_odds: Rows, shift: float) -> Rows:
    shifted: Rows = sigmoid(log_odds + shift)
    return shifted


def _total(log_odds: Rows, shift: float) -> Rows:
    total: Rows = namespace(log_odds).sum(_shifted(log_odds, shift))
    return total
