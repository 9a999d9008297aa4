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
from condmmd.nuisance.bagging import bagged, cells_of
from condmmd.nuisance.trees import Growth
from condmmd.regression.odds import log_odds

__all__ = ["mixed_with_trees"]

# Rows of each group, at least.
MIN_ROWS = 300
GROWTH = Growth(trees=60, leaf=20)
# What the log-odds of the estimate, and those of the trees, may count, both from those of all rows: trees that are
# averaged out of their bags say less than is true, so that theirs may count for more than one.
COUNTS = ((1.0, 0.0), *((own, trees) for own in (0.0, 0.5, 1.0) for trees in (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)))
# No tree says that a label is certain: a leaf has few rows.
SURE = 0.01


def mixed_with_trees(x: Table, t: Rows, e: Rows) -> tuple[Rows, float, float]:
    """The estimate ``e`` mixed with that of trees, and what each counts in log-odds.

    Trees count 0 unless the loss on unseen rows is smaller with them, by more than a standard error of the difference.
    """
    ones, count = float(total(t)), n_rows(t)
    if not x.columns or min(ones, count - ones) < MIN_ROWS:
        return e, 1.0, 0.0
    target = map_rows(_as_column, t, columns=1)
    by_trees = map_rows(_first, bagged(x, target, GROWTH, cells_of(x, target))(target))
    base = float(np.log(ones / (count - ones)))
    sums, squares = (to_host(part) for part in sum_rows(partial(_losses, base=base), t, e, by_trees))
    gain = -sums / count
    error = np.sqrt(np.maximum(squares / count - gain**2, 0.0) / count)
    best = int(np.argmax(gain))
    if gain[best] <= error[best]:
        return e, 1.0, 0.0
    own, trees = COUNTS[best]
    return map_rows(partial(_mixed, base=base, own=own, trees=trees), e, by_trees), own, trees


def _as_column(t: Rows) -> Rows:
    column: Rows = 1.0 * t[:, None]
    return column


def _first(rows: Rows) -> Rows:
    first: Rows = namespace(rows).clip(rows[:, 0], SURE, 1 - SURE)
    return first


def _mixed(e: Rows, by_trees: Rows, base: float, own: float, trees: float) -> Rows:
    odds = base + own * (log_odds(e) - base) + trees * (log_odds(by_trees) - base)
    mixed: Rows = 1 / (1 + namespace(e).exp(-odds))
    return mixed


def _losses(t: Rows, e: Rows, by_trees: Rows, base: float) -> tuple[Any, Any]:
    """Sums over rows of the log-loss of each mixture less that of ``e``, and of its square."""
    xp = namespace(e)
    mixtures = [_mixed(e, by_trees, base, *counts) for counts in COUNTS]
    losses = [-(t * xp.log(p) + (1 - t) * xp.log(1 - p)) for p in mixtures]
    differences = xp.stack([loss - losses[0] for loss in losses], axis=0)
    return xp.sum(differences, axis=1), xp.sum(differences**2, axis=1)
