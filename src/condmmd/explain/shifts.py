"""Mean shifts of an outcome and how they vary: estimates that hold when there is a difference, unlike null labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.explain.evidence import Evidence
from condmmd.explain.windows import BinSums, Windows, make_windows
from condmmd.inference.joining import largest_pvalues, standard_scores
from condmmd.nuisance.scores import Scores
from condmmd.regression.odds import overlap

__all__ = ["Means", "variation_of", "wide_windows"]

# Along which covariates does the difference vary? Random signs behind the answer, bins at most, rows of the smaller
# group for each bin, and rows of each group that a bin must have.
WILD = 199
MAX_WIDE_BINS = 8
WIDE_BIN_ROWS = 12
MIN_GROUP_ROWS = 5


@dataclass(frozen=True, eq=False)
class Means:
    """Mean shift of one outcome in any part of the rows: a difference of weighted means, each over its own weights.

    P is weighted by 1 - e and Q by e, which makes their covariates alike and favours rows that both groups have.
    """

    residual: Array
    p_weight: Array
    q_weight: Array
    blocks: npt.NDArray[np.int64]

    @classmethod
    def of(cls, evidence: Evidence) -> Means | None:
        """Of the one numeric outcome; None where there is none, or several."""
        t, e, residuals = evidence.t, evidence.e, evidence.outcome_residuals
        return None if residuals is None else cls(residuals, t * (1 - e), (1 - t) * e, evidence.blocks)

    def of_column(self, residual: Array) -> Means:
        """The same of another column."""
        return replace(self, residual=residual)

    def deviations(self, t: Array, e: Array) -> Array:
        """How far each row is from what X says, beside the difference over all rows."""
        constant = self.shift(np.arange(len(t)))[0]
        return np.abs(self.residual - (t - e) * (constant if np.isfinite(constant) else 0.0))

    def views(self, t: Array, e: Array) -> Array:
        """The residual and its deviation, in units of their own spread."""
        both = np.stack([self.residual, self.deviations(t, e)], axis=1)
        both = both - both.mean(axis=0)
        spread = both.std(axis=0)
        return np.asarray(both / np.where(spread > 0, spread, 1.0))

    def levels(
        self, rows: npt.NDArray[np.int64], weights: Array | float = 1.0
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """Mean in P and mean in Q over some rows, each with its standard error; NaN without rows of the group."""
        of_p, of_q = (self._level(rows, own[rows] * weights) for own in (self.p_weight, self.q_weight))
        return of_p, of_q

    def _level(self, rows: npt.NDArray[np.int64], own: Array) -> tuple[float, float]:
        total = own.sum()
        if total <= 0:
            return float("nan"), float("nan")
        r = self.residual[rows]
        mean = float(own @ r / total)
        without = np.maximum(total - own, 0.01 * total)  # each row is judged by the mean of the others
        by_block = np.bincount(self.blocks[rows], weights=own * (r - mean) / without)
        return mean, float(np.sqrt(np.sum(by_block**2)))

    def shift(self, rows: npt.NDArray[np.int64], weights: Array | float = 1.0) -> tuple[float, float]:
        """Mean in P minus mean in Q over some rows, and its standard error; NaN without rows of both."""
        (of_p, p_error), (of_q, q_error) = self.levels(rows, weights)  # a block has rows of one group only
        return of_p - of_q, float(np.hypot(p_error, q_error))


def wide_windows(evidence: Evidence, position: int) -> Windows:
    """A few bins of one covariate."""
    x, t = evidence.samples.x, evidence.t
    count = int(np.clip(min(t.sum(), (1 - t).sum()) // WIDE_BIN_ROWS, 2, MAX_WIDE_BINS))
    return make_windows(to_host(x.values)[:, position], x.columns[position], count)


def variation_of(values: Array, evidence: Evidence) -> list[tuple[float, float]]:
    """How much the difference varies along each covariate, and its p-value over all covariates.

    Over a few bins, where a difference of weighted means is taken in each, or along its normal scores, where it is one
    of weighted slopes: of many covariates, with few rows, a slope is seen that bins would lose. What chance does to
    both, whatever the difference itself, is seen by giving the rows' deviations random signs.
    """
    t, e, of_row = evidence.t, evidence.e, evidence.sign_of_row
    windows = [wide_windows(evidence, j) for j in range(len(evidence.samples.x.columns))]
    signs = evidence.signs.signs[:WILD]
    statistics = np.zeros((len(signs) + 1, len(windows)))
    for j, bins in enumerate(windows):
        total = np.zeros((bins.count, values.shape[1]))
        deviation, enough = np.zeros_like(values), np.ones(bins.count, dtype=bool)
        for own, sign in ((t * (1 - e), 1.0), ((1 - t) * e, -1.0)):
            weight = np.bincount(bins.of_row, weights=own, minlength=bins.count)
            enough &= np.bincount(bins.of_row, weights=own > 0, minlength=bins.count) >= MIN_GROUP_ROWS
            share = own / np.maximum(weight, 1e-12)[bins.of_row]
            mean = _sum_by_bin(share[:, None] * values, bins)
            total += sign * mean
            deviation += sign * (share / np.maximum(1 - share, 0.01))[:, None] * (values - mean[bins.of_row])
        if enough.sum() < 2:
            continue
        weight = np.bincount(bins.of_row, weights=to_host(overlap(e)), minlength=bins.count) * enough
        weight = weight / weight.sum()
        by_bin = BinSums.of(bins, deviation, e)
        draws = [total[None], *(by_bin(part[:, of_row]) for part in np.array_split(signs, 8))]
        differences = np.concatenate(draws)
        centred = differences - np.einsum("g,bgk->bk", weight, differences)[:, None]
        statistics[:, j] = np.einsum("g,bgk->b", weight, centred**2)
    z = _among_signs(statistics)
    x = evidence.samples.x
    if x.numeric:
        slopes = _among_signs(_slopes(values, evidence, signs))
        z[:, list(x.numeric)] = np.maximum(z[:, list(x.numeric)], slopes)
    return [(float(score), float(p)) for score, p in zip(z[0], largest_pvalues(z), strict=True)]


def _among_signs(statistics: Array) -> Array:
    """Sums of squares on a scale near normal, in units of what random signs give: these give no labels as observed."""
    return standard_scores(np.cbrt(statistics), over=slice(1, None)).z


def _slopes(values: Array, evidence: Evidence, signs: Array) -> Array:
    """The squared difference of the groups' slopes along each numeric covariate, observed and with random signs."""
    t, e, of_row, x = evidence.t, evidence.e, evidence.sign_of_row, evidence.samples.x
    scores = to_host(Scores.of(x)(to_host(x.values)))
    found = np.zeros((len(signs) + 1, scores.shape[1]))
    for j, score in enumerate(scores.T):
        observed, deviation = np.zeros(values.shape[1]), np.zeros_like(values)
        for own, sign in ((t * (1 - e), 1.0), ((1 - t) * e, -1.0)):
            share = own / max(float(own.sum()), 1e-12)
            centred = score - share @ score
            spread = float(share @ centred**2)
            if spread <= 1e-12:  # a group that has one value only
                observed[:], deviation[:] = 0.0, 0.0
                break
            lever, apart = share * centred / spread, values - share @ values
            slope = lever @ apart
            observed += sign * slope
            without = np.maximum(1 - share * (1 + centred**2 / spread), 0.01)  # by the line of the other rows
            deviation += sign * (lever / without)[:, None] * (apart - np.outer(centred, slope))
        count = signs.shape[1]
        by_sign = np.stack([np.bincount(of_row, weights=column, minlength=count) for column in deviation.T], axis=1)
        draws = np.concatenate([observed[None], signs @ by_sign])
        found[:, j] = np.einsum("bk,bk->b", draws, draws)
    return found


def _sum_by_bin(values: Array, bins: Windows) -> Array:
    columns = [np.bincount(bins.of_row, weights=column, minlength=bins.count) for column in values.T]
    return np.stack(columns, axis=1)
