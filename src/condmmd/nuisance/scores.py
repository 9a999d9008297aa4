"""Columns in units in which no tail matters: normal scores of numbers, indicators of categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from condmmd.backend import Array, Rows, as_float, interpolate, move_to, namespace, take
from condmmd.data import Table

__all__ = ["Scores", "one_hot"]


@dataclass(frozen=True, eq=False)
class Scores:
    """Numeric columns as normal scores: a value's rank, as a quantile of the normal law. No tail or unit matters.

    Attributes
    ----------
    columns
        Their positions.
    knots, scores
        For each: the different values seen, in order, and the score of each; between them, in proportion.
    """

    columns: tuple[int, ...]
    knots: tuple[Array, ...]
    scores: tuple[Array, ...]

    @classmethod
    def of(cls, x: Table) -> Scores:
        """Scores by ranks among the rows, or among some of them if they are many."""
        knots, scores = [], []
        for j in x.numeric:
            values, counts = np.unique(x.sample[:, j], return_counts=True)
            rank = np.cumsum(counts) - (counts - 1) / 2  # ties at their mean
            knots.append(values)
            scores.append(np.asarray(ndtri((rank - 0.5) / len(x.sample))))
        return cls(x.numeric, tuple(knots), tuple(scores))

    def __call__(self, values: Rows) -> Rows:
        """Scores of the rows, a column for each numeric one."""
        if not self.columns:
            return values[:, :0]
        found = [self._column(take(values, [j], axis=1)[:, 0], k) for k, j in enumerate(self.columns)]
        return namespace(values).stack(found, axis=1)

    def _column(self, values: Rows, k: int) -> Rows:
        scores: Rows = interpolate(values, self.knots[k], self.scores[k])
        return scores


def one_hot(values: Rows, x: Table, max_levels: int = 20) -> Rows:
    """Indicators of the categories of each categorical column that has few."""
    columns = [
        as_float(values[:, j : j + 1] == move_to(np.arange(len(categories), dtype=np.float64), values)[None, :])
        for j in x.categorical
        if (categories := x.columns[j].categories) is not None and len(categories) <= max_levels
    ]
    return namespace(values).concat(columns, axis=1) if columns else values[:, :0]
