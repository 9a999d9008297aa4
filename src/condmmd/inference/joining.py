"""From statistics at the observed labels and at null draws to p-values, for one column or for many at once.

Everything that ranks something observed among its like does it here, with one rule for ties: two values that differ by
less than 1e-10 of their unit are equal but for the order of a sum, and count as a tie. What is NaN or infinite has no
rank (``null >= nan`` is False, which would be the smallest p-value there is), so everything here refuses it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, logsumexp

from condmmd.backend import Array
from condmmd.statistics.base import Fitted

__all__ = [
    "StandardScores",
    "cauchy_combination",
    "check_finite",
    "column_weights",
    "critical_value",
    "join",
    "join_by_gamma",
    "join_columns",
    "largest_pvalues",
    "pvalue",
    "pvalues",
    "standard_scores",
]

TIE = 1e-10
# A column is taken to be at least so skewed: at that a gamma law is normal but for what does not matter.
LEAST_SKEWED = 0.05


def check_finite(values: Array, what: str) -> Array:
    """The same values, if all of them are numbers."""
    bad = int(np.sum(~np.isfinite(values)))
    if bad:
        raise ValueError(f"{what}: {bad} of {np.size(values)} are NaN or infinite, so there is no p-value.")
    return values


def pvalue(observed: float, null: Array, unit: float | None = None) -> float:
    """``(1 + #{null >= observed}) / (1 + B)``, ties counted.

    Parameters
    ----------
    observed, null
        The statistic at the observed labels and at null draws.
    unit
        What a tie is measured in; None: the observed value, which is right for a sum of squares.
    """
    return float(_ranked(np.atleast_1d(observed), null, unit)[0])


def pvalues(statistics: Array) -> Array:
    """The p-value of each column of ``statistics``, whose first row is the observed one."""
    return np.array([pvalue(column[0], column[1:]) for column in statistics.T])


def _ranked(observed: Array, null: Array, unit: float | None) -> Array:
    check_finite(observed, "observed statistics")
    check_finite(null, "statistics at null draws")
    slack = TIE * (np.abs(observed) if unit is None else np.full(len(observed), unit))
    return np.asarray((1 + np.sum(null[:, None] >= observed - slack, axis=0)) / (1 + len(null)))


class StandardScores(NamedTuple):
    """Columns in units of their deviation from their mean, and these two."""

    z: Array
    mean: Array
    deviation: Array


def standard_scores(values: Array, over: Any = slice(None)) -> StandardScores:
    """Subtract each column's mean and divide by its standard deviation.

    Both are over all rows, observed and null alike: a symmetric function of them, so that the rows stay exchangeable
    and a p-value that ranks the observed row among them exact. ``over`` takes them over some rows, for null rows that
    are not exchangeable with the observed one.
    """
    check_finite(values, "values to be standardised")
    mean, deviation = values[over].mean(axis=0), values[over].std(axis=0)
    moves = deviation > TIE * np.abs(mean)
    z = np.where(moves, (values - mean) / np.where(moves, deviation, 1.0), 0.0)
    return StandardScores(z, mean, deviation)


def _in_units(*parts: Array) -> list[Array]:
    """Columns divided by a power of two near their largest value, which is exact: squares of any scale can be taken."""
    largest = np.abs(np.concatenate(parts)).max(axis=0)
    exponent = np.clip(np.frexp(largest)[1], -1000, 1000)
    return [np.asarray(np.ldexp(part, -exponent)) for part in parts]


def _among(statistics: Array, like: Array | None) -> tuple[Array, Array]:
    """The statistics and those that they are judged by, in the same units."""
    check_finite(statistics, "statistics to be joined")
    if like is None:
        own = _in_units(statistics)[0]
        return own, own
    own, known = _in_units(statistics, check_finite(like, "statistics to be joined"))
    return own, known


def join(statistics: Array, like: Array | None = None) -> Array:
    """One statistic for each row out of many columns of sums of squares: the largest standard score of a logarithm.

    The logarithm of a sum of squares is near normal, so the largest of the scores weighs the columns as the smallest
    p-value would, without its ties. With ``like`` the scores are among those rows, and not among the rows themselves.
    """
    statistics, known = _among(statistics, like)
    floor = 1e-12 * known.mean(axis=0) + np.finfo(float).tiny
    both = known if like is None else np.concatenate([known, statistics])
    z = standard_scores(np.log(np.maximum(both, floor)), slice(len(known))).z
    return np.asarray(z[len(both) - len(statistics) :].max(axis=1))


def join_columns(fitted: Fitted, statistics: Array, like: Array | None = None) -> Array:
    """One statistic for each row by the rule of what was fitted; of one column, the column itself."""
    if statistics.shape[1] == 1:
        return statistics[:, 0]
    if fitted.joining == "logarithms":
        return join(statistics, like)
    own = _from_zero(statistics, statistics if like is None else like, fitted)
    known = None if like is None else _from_zero(like, like, fitted)
    return join_by_gamma(own, known, column_weights(fitted))


def _from_zero(statistics: Array, like: Array, fitted: Fitted) -> Array:
    """Columns that are no sums of squares moved so that the gamma law of their mean and variance has their skewness.

    A quadratic form without its diagonal is a sum of squares less a constant, and has the same tail.
    """
    signed = np.array([column.signed for column in fitted.columns])
    if not signed.any():
        return statistics
    z, mean, deviation = standard_scores(like)
    skewness = np.maximum((z**3).mean(axis=0), LEAST_SKEWED)
    return np.where(signed, np.maximum(statistics - mean + 2 * deviation / skewness, 0.0), statistics)


def column_weights(fitted: Fitted) -> Array:
    """What each column counts."""
    return np.array([column.weight for column in fitted.columns])


def join_by_gamma(statistics: Array, like: Array | None = None, weights: Array | None = None) -> Array:
    """One statistic for each row out of columns of any numbers of degrees of freedom: the log of the sum of 1 / p.

    Each column gets the gamma law of its mean and variance over all rows, observed and null alike, so the rows stay
    exchangeable; its upper tail p is on one scale for one degree of freedom and for a hundred. (The logarithm of one
    square has a deviation of 2.2, which weighs such a column far too little.) The sum of 1 / p is near that of the
    smallest p alone, and larger where several columns agree; a column of twice the ``weights`` counts as two. With
    ``like`` the laws are those of other rows.
    """
    statistics, known = _among(statistics, like)
    mean, variance = known.mean(axis=0), known.var(axis=0)
    moves = variance > (TIE * mean) ** 2
    mean, variance = np.where(moves, mean, 1.0), np.where(moves, variance, 1.0)
    shape, at = mean**2 / variance, statistics * (mean / variance)
    upper, lower = gammaincc(shape, at), gammainc(shape, at)
    far = (shape - 1) * np.log(np.maximum(at, 1e-300)) - at - gammaln(shape)  # of a tail that underflows
    log_tail = np.where(upper > 0.5, np.log1p(-np.minimum(lower, 0.5)), np.log(np.maximum(upper, 1e-300)))
    log_tail = np.where(upper > 1e-290, log_tail, np.minimum(far, -660.0))
    counts = np.ones(statistics.shape[1]) if weights is None else weights
    return np.asarray(logsumexp(np.where(moves, -log_tail, 0.0), axis=1, b=counts))


def cauchy_combination(pvalues: Array, weights: Array | None = None) -> Array:
    """One p-value out of each row of several, whatever their dependence: the tail of the mean of Cauchy scores.

    The tail of a mean of Cauchy variables is that of one of them, and far out it hardly depends on how they go together
    (Liu and Xie, 2020): where Bonferroni's inequality pays for each column, columns that say the same are paid for
    once. A p-value of 1 is that of a column which nothing can move, and does not count; one of twice the ``weights``
    counts as two.
    """
    moves = check_finite(pvalues, "p-values to be combined") < 1.0
    counts = moves * (1.0 if weights is None else weights)
    p = np.clip(pvalues, 1e-300, 1 - 1e-15)
    scores = np.where(p < 1e-8, 1 / (np.pi * p), 1 / np.tan(np.pi * p))
    some = np.sum(counts, axis=-1)
    mean = np.where(some > 0, np.sum(scores * counts, axis=-1) / np.where(some > 0, some, 1.0), -1e15)
    return np.asarray(np.where(mean > 1e8, 1 / (np.pi * np.maximum(mean, 1.0)), 0.5 - np.arctan(mean) / np.pi))


def largest_pvalues(z: Array) -> Array:
    """For each column the p-value of its first row among the largest of every other row: simultaneous over columns."""
    return _ranked(z[0], z[1:].max(axis=1), 1.0)


def critical_value(z: Array, significance: float) -> float:
    """What the largest of a row's scores exceeds in at most a share ``significance`` of the null rows and the first."""
    largest = check_finite(z, "scores")[1:].max(axis=1)
    count = len(largest)
    allowed = int(np.floor(significance * (count + 1) * (1 + TIE)))
    return float(np.partition(largest, count - allowed)[count - allowed])
