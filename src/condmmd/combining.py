"""From statistics of observed and null labels to p-values, for one statistic or for many at once."""

from __future__ import annotations

import numpy as np

from condmmd.samples import Array

__all__ = ["combine", "pvalue", "pvalues"]

# Two statistics that differ by less than this, relatively, are a tie: equal but for the order of a sum.
TIE = 1e-10


def pvalue(observed: float, null: Array) -> float:
    """``(1 + #{null >= observed}) / (1 + B)``, ties counted."""
    return float((1 + np.sum(null >= observed - TIE * abs(observed))) / (1 + len(null)))


def pvalues(statistics: Array) -> Array:
    """The p-value of each column of ``statistics``, whose first row is the observed one."""
    return np.array([pvalue(column[0], column[1:]) for column in statistics.T])


def combine(statistics: Array) -> Array:
    """One statistic for each row out of many columns: the largest studentised logarithm.

    The logarithm of a sum of squares is near normal, so the largest of the studentised logarithms weighs the columns as
    the smallest p-value would, without its ties. Means and deviations are over all rows, observed and null alike: a
    symmetric function of them, so that the rows stay exchangeable and the p-value exact.
    """
    floor = 1e-12 * statistics.mean(axis=0) + np.finfo(float).tiny
    logs = np.log(np.maximum(statistics, floor))
    deviations = logs.std(axis=0)
    scores = (logs - logs.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
    return np.round(scores.max(axis=1), 10)
