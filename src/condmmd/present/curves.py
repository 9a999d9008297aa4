"""The outcome given one covariate in each group: curves that are fitted once and drawn as often as wanted."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.explain import Evidence

__all__ = ["Curve", "group_curves"]

# Rows of a group behind its curves and in a scatter, at most.
MAX_ROWS = 2000
QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True, eq=False)
class Curve:
    """Some rows of a group, and its conditional quantiles over a grid; no grid where X has one value only."""

    x: Array
    y: Array
    grid: Array
    lower: Array
    middle: Array
    upper: Array


# As long as somebody holds what they were fitted to.
_fitted: WeakKeyDictionary[Evidence, tuple[Curve, Curve]] = WeakKeyDictionary()


def group_curves(evidence: Evidence) -> tuple[Curve, Curve]:
    """The curves of P and of Q, by a conditional mean embedding of each."""
    if evidence not in _fitted:
        _fitted[evidence] = _fit(evidence)
    return _fitted[evidence]


def _fit(evidence: Evidence) -> tuple[Curve, Curve]:
    x, y = _scalar_pair(evidence)
    low, high = np.quantile(x, [0.01, 0.99]).tolist()
    of_p, of_q = (_curve(x, y, np.flatnonzero(evidence.t == group), (low, high)) for group in (1, 0))
    return of_p, of_q


def _curve(x: Array, y: Array, rows: npt.NDArray[np.intp], span: tuple[float, float]) -> Curve:
    from condmmd.regression.conditional import ConditionalMeanEmbedding  # noqa: PLC0415 - scikit-learn is slow to import

    rows = np.random.default_rng(0).permutation(rows)[:MAX_ROWS]
    x, y = x[rows], y[rows]
    if len(np.unique(x)) < 2:
        return Curve(x, y, *np.empty((4, 0)))
    grid = np.linspace(*span, 60)
    grid = grid[(grid >= x.min()) & (grid <= x.max())]
    model = ConditionalMeanEmbedding().fit(x[:, None], y)
    return Curve(x, y, grid, *model.quantile(QUANTILES, grid[:, None]).T)


def _scalar_pair(evidence: Evidence) -> tuple[Array, Array]:
    samples = evidence.samples
    for table, what in ((samples.x, "covariate"), (samples.y, "outcome")):
        if len(table.columns) != 1 or table.categorical or samples.gram_x is not None or samples.gram_y is not None:
            raise ValueError(f"kind='curves' needs one numeric {what}; use kind='where' for several.")
    return to_host(samples.x.values)[:, 0], to_host(samples.y.values)[:, 0]
