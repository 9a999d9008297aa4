"""Do predictions mean what they say, at a glance: what was predicted against how often it happened, in one band.

Of classes the probability of one of them (of more than two, of the most probable) against its share, in bins of about
as many rows; of numbers a level against the share of outcomes below the predicted quantile of that level. The band is
where all of these would be at once if the predictions were calibrated, from outcomes drawn anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from condmmd.backend import Array
from condmmd.data.frames import frame_of
from condmmd.data.on_screen import on_screen
from condmmd.embedding.models import ClassRows, DrawRows, LawRows
from condmmd.embedding.rowwise import ComparedRows, some_rows
from condmmd.inference.joining import critical_value, standard_scores

__all__ = ["Reliability", "reliability_of"]

# Rows that are looked at, draws of the null, bins with at least so many rows, and levels of numbers.
MAX_ROWS = 20_000
DRAWS = 499
MAX_BINS, BIN_ROWS = 15, 20
LEVELS = np.arange(1, 20) / 20


@dataclass(frozen=True, eq=False)
class Reliability:
    """What was predicted against what was observed; made by ``result.reliability()``.

    Attributes
    ----------
    what
        Of what: the share of a class, or of outcomes below a predicted quantile.
    predicted, observed
        Shares, one for each bin or level.
    low, high
        Where the observed ones would all be if predictions were calibrated.
    n_obs
        Rows behind each.
    significance
        One less the chance that calibrated predictions stay within the band.
    """

    what: str
    predicted: Array
    observed: Array
    low: Array
    high: Array
    n_obs: npt.NDArray[np.int64]
    significance: float

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Bins or levels outside the band."""
        return (self.observed < self.low) | (self.observed > self.high)

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        names = ("predicted", "observed", "low", "high", "n_obs", "outside")
        return {
            "what": self.what, "significance": self.significance,
            **{name: getattr(self, name).tolist() for name in names},
        }  # fmt: skip

    def to_frame(self) -> Any:
        """A line for each bin or level, as a pandas data frame; needs pandas."""
        plain = self.to_dict()
        names = ("predicted", "observed", "low", "high", "n_obs", "outside")
        lines = [dict(zip(names, line, strict=True)) for line in zip(*(plain[n] for n in names), strict=True)]
        return frame_of(lines, "to_dict()", names)

    def __repr__(self) -> str:
        return on_screen(
            f"Reliability({self.what}: {int(self.outside.sum())} of {len(self.observed)} outside the band)"
        )


def reliability_of(rows: ComparedRows, significance: float, seed: int) -> Reliability:
    """The picture of rows that have predictions."""
    rng = np.random.default_rng([seed, 21])
    if isinstance(rows, ClassRows) and rows.told is None:
        return _of_classes(rows, significance, rng)
    if isinstance(rows, ClassRows):
        levels = np.asarray(rows.differences().second.mean(axis=0), dtype=np.float64)
        return _of_levels(levels, rows.differences().first, significance, rng)
    if isinstance(rows, LawRows):
        ranks = _ranks_in_laws(rows)
        return _of_levels(LEVELS, (ranks[:, None] <= LEVELS).astype(np.float64), significance, rng)
    if isinstance(rows, DrawRows):
        return _of_draws(rows, significance, rng)
    raise TypeError("there is a picture of reliability for predictions alone.")


def _of_classes(rows: ClassRows, significance: float, rng: np.random.Generator) -> Reliability:
    y, P = some_rows(rows.y.values, MAX_ROWS)[:, 0].astype(int), some_rows(rows.probabilities, MAX_ROWS)
    two = len(rows.names) == 2
    best = np.ones(len(P), dtype=int) if two else P.argmax(axis=1)
    p, hits = P[np.arange(len(P)), best], 1.0 * (y == best)
    name = rows.outcomes[0]
    what = f"{name} = {rows.names[1]}" if two else f"the most probable class of {name}"
    count = int(np.clip(len(p) // BIN_ROWS, 2, MAX_BINS))
    of_row = np.unique(np.searchsorted(np.quantile(p, np.arange(1, count) / count), p), return_inverse=True)[1]
    n_obs = np.bincount(of_row)

    def shares(values: Array) -> Array:
        return np.stack([np.bincount(of_row, weights=one) for one in values]) / n_obs

    null = np.concatenate([shares(1.0 * (rng.random((1, len(p))) < p)) for _ in range(DRAWS)])
    low, high = _band(shares(hits[None])[0], null, significance)
    return Reliability(what, shares(p[None])[0], shares(hits[None])[0], low, high, n_obs, significance)


def _of_levels(
    levels: Array,
    below: Array,
    significance: float,
    rng: np.random.Generator,
    draw: Callable[[np.random.Generator, int], Array] | None = None,
) -> Reliability:
    """Levels against shares below: under calibration an outcome is below its quantile with the chance of the level."""
    n = len(below)
    ranks = (lambda rng, n: rng.random(n)) if draw is None else draw
    null = np.stack([(ranks(rng, n)[:, None] <= levels).mean(axis=0) for _ in range(DRAWS)])
    observed = below.mean(axis=0)
    low, high = _band(observed, null, significance)
    what = "outcomes below the predicted quantile"
    return Reliability(what, levels, observed, low, high, np.full(len(levels), n), significance)


def _of_draws(rows: DrawRows, significance: float, rng: np.random.Generator) -> Reliability:
    """The rank of an outcome among its draws; of one numeric outcome."""
    if len(rows.y.columns) != 1:
        raise TypeError("there is a picture of reliability for one numeric outcome.")
    y, draws = some_rows(rows.y.values, MAX_ROWS), some_rows(rows.draws, MAX_ROWS)
    count = rows.count
    ranks = ((draws < y).sum(axis=1) + 1) / (count + 1)
    levels = np.unique(np.round(LEVELS * (count + 1))) / (count + 1)
    levels = levels[(levels > 0) & (levels < 1)]

    def draw(rng: np.random.Generator, n: int) -> Array:
        return np.asarray(rng.integers(1, count + 2, size=n) / (count + 1))

    slack = 1e-9
    return _of_levels(levels + slack, 1.0 * (ranks[:, None] <= levels + slack), significance, rng, draw)


def _ranks_in_laws(rows: LawRows) -> Array:
    if len(rows.y.columns) != 1:
        raise TypeError("there is a picture of reliability for one numeric outcome.")
    y, laws, c = some_rows(rows.y.values, MAX_ROWS), some_rows(rows.laws, MAX_ROWS), rows.components
    weight, mean, deviation = laws[:, :c], laws[:, c : 2 * c], laws[:, 2 * c :]
    return np.asarray(np.sum(weight * ndtr((y - mean) / deviation), axis=1))


def _band(observed: Array, null: Array, significance: float) -> tuple[Array, Array]:
    """Around the mean of the null, as wide for all of it at once as draws of the null are apart."""
    z, mean, deviation = standard_scores(np.concatenate([observed[None], null]), slice(1, None))
    wide = critical_value(np.abs(z), significance)
    return np.maximum(mean - wide * deviation, 0.0), np.minimum(mean + wide * deviation, 1.0)
