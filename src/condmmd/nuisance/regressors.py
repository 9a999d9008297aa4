"""What the labels may depend on: the columns on which the propensity is regressed."""

from __future__ import annotations

from functools import partial

import numpy as np

from condmmd.backend import Array, Rows, map_rows, move_to, n_rows, namespace, sum_rows, to_host
from condmmd.data import Table
from condmmd.nuisance.pooled import PooledRegression
from condmmd.nuisance.scores import Scores, one_hot

__all__ = ["propensity_regressors"]

# Features of the pooled regression's kernel that the estimate takes.
MAX_FEATURES = 40
# Main effects and the directions in which outcomes depend on X are penalised this much (squared) less than the rest.
LESS_PENALISED = 3.0


def propensity_regressors(x: Table, pooled: PooledRegression) -> Rows:
    """What the labels may depend on: main effects, squares, and the directions in which outcomes depend on X.

    Balance matters only where the outcomes depend on x, so the fitted outcomes themselves (prognostic scores) and the
    features of the kernel that fits them best are the columns to have.
    """
    numeric, prognostic = pooled.scores, pooled.prognostic()
    d = len(numeric.columns)
    moments = [to_host(part) / n_rows(x.values) for part in sum_rows(partial(_score_sums, numeric=numeric), x.values)]
    make = partial(_columns, x=x.head(), numeric=numeric, standard=_standard(moments))
    width = (
        2 * d + prognostic.shape[1] + one_hot(x.sample[:1], x).shape[1] + min(MAX_FEATURES, pooled.features.shape[1])
    )
    return map_rows(make, x.values, prognostic, pooled.features, columns=width)


def _score_sums(values: Rows, numeric: Scores) -> tuple[Array, ...]:
    """Sums of the first four powers of the scores."""
    scores, xp = numeric(values), namespace(values)
    return tuple(xp.sum(scores**power, axis=0) for power in (1, 2, 3, 4))


def _standard(means: list[Array]) -> tuple[Array, ...]:
    """Mean and spread of the scores, and of their squares once they are standardised, from means of their powers."""
    first, second, third, fourth = means
    spread = np.sqrt(np.maximum(second - first**2, 0.0))
    spread = np.where(spread > 0, spread, 1.0)
    square = (second - first**2) / spread**2
    central = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
    of_square = np.sqrt(np.maximum(central / spread**4 - square**2, 0.0))
    return first, spread, square, np.where(of_square > 1e-8, of_square, 1.0)


def _columns(
    values: Rows, prognostic: Rows, features: Rows, x: Table, numeric: Scores, standard: tuple[Array, ...]
) -> Rows:
    mean, spread, square, of_square = (move_to(part, values) for part in standard)
    scores = (numeric(values) - mean) / spread
    parts = [
        LESS_PENALISED * scores,
        LESS_PENALISED * prognostic,
        (scores**2 - square) / of_square,
        one_hot(values, x),
        features[:, : min(MAX_FEATURES, features.shape[1])],
    ]
    return namespace(values).concat(parts, axis=1)
