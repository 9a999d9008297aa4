"""A propensity that knows edges and interactions: the logistic regression, mixed with trees where these predict better.

An error of the propensity does harm where the regression of the outcomes is wrong in the same place. With some hundred
rows of each group trees see what main effects and squares do not; with fewer they only add noise.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from condmmd.backend import Rows, map_rows, n_rows, namespace, sum_rows, to_host, total
from condmmd.data import Table
from condmmd.nuisance.bagging import bagged
from condmmd.nuisance.trees import Growth

__all__ = ["mixed_with_trees"]

# Rows of each group, at least.
MIN_ROWS = 300
GROWTH = Growth(trees=60, leaf=20)
# Shares of the trees that are tried.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
# No tree says that a label is certain: a leaf has few rows.
SURE = 0.01


def mixed_with_trees(x: Table, t: Rows, e: Rows) -> tuple[Rows, float]:
    """The estimate ``e`` mixed with that of trees, and their share: 0 unless their loss on unseen rows is smaller.

    Smaller: by more than one standard error of the difference.
    """
    ones = float(total(t))
    if not x.columns or min(ones, n_rows(t) - ones) < MIN_ROWS:
        return e, 0.0
    target = map_rows(_as_column, t, columns=1)
    by_trees = map_rows(_first, bagged(x, target, GROWTH)(target))
    sums, squares = (to_host(part) for part in sum_rows(_losses, t, e, by_trees))
    gain = -sums / n_rows(t)
    error = np.sqrt(np.maximum(squares / n_rows(t) - gain**2, 0.0) / n_rows(t))
    best = int(np.argmax(gain))
    if gain[best] <= error[best]:
        return e, 0.0
    return map_rows(partial(_mixed, share=SHARES[best]), e, by_trees), SHARES[best]


def _as_column(t: Rows) -> Rows:
    column: Rows = 1.0 * t[:, None]
    return column


def _first(rows: Rows) -> Rows:
    first: Rows = namespace(rows).clip(rows[:, 0], SURE, 1 - SURE)
    return first


def _mixed(e: Rows, by_trees: Rows, share: float) -> Rows:
    return (1 - share) * e + share * by_trees


def _losses(t: Rows, e: Rows, by_trees: Rows) -> tuple[Any, Any]:
    """Sums over rows of the log-loss of each mixture less that of ``e``, and of its square."""
    xp = namespace(e)
    mixtures = [_mixed(e, by_trees, share) for share in SHARES]
    losses = [-(t * xp.log(p) + (1 - t) * xp.log(1 - p)) for p in mixtures]
    differences = xp.stack([loss - losses[0] for loss in losses], axis=0)
    return xp.sum(differences, axis=1), xp.sum(differences**2, axis=1)
