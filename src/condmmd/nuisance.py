"""The pooled regression of the outcomes' features on X: what both the residuals and the propensity estimate rest on.

A single kernel cannot be right for every table: one of 20 columns may matter through its square, a column may have
heavy tails, or structure on a scale far below its spread. So leave-one-out chooses among kernels of several kinds, on
normal scores (ranks, which no tail disturbs) and on the columns as they are. No labels are involved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from condmmd.arrays import (
    Rows,
    as_float,
    is_host,
    map_rows,
    matching,
    n_rows,
    namespace,
    pick_rows,
    sample_rows,
    sum_rows,
    take,
    to_host,
    total,
)
from condmmd.embedding import Embedding, affordable_rank, embed
from condmmd.kernels import (
    Additive,
    Delta,
    Gaussian,
    Kernel,
    Polynomial,
    Precomputed,
    median_distance,
    share_distances,
    standard_units,
    subsample,
)
from condmmd.regularization import GRID, cross_sums, cross_validation_error
from condmmd.samples import SAMPLE_ROWS, Array, Table
from condmmd.threads import in_two_steps

__all__ = ["PooledRegression", "Scores", "one_hot", "regress_pooled"]

MAX_RANK = 200
TOL = 1e-6
# Kernels are compared on this many rows at most, the same every time; the chosen one is fitted on all.
SELECTION_ROWS = 1000
# Lengthscales in units of the median distance: of normal scores, and of the columns as they are.
SCORE_SCALES = (2.0, 1.0, 0.5, 0.25)
RAW_SCALES = (1.0, 0.25, 0.06, 0.015)
# An additive kernel has a term for each column; beyond this many it is left out.
MAX_ADDITIVE = 60
# Leading directions of the fitted outcomes that the propensity must balance.
MAX_PROGNOSTIC = 8


@dataclass(frozen=True, eq=False)
class PooledRegression:
    """Ridge regression on the features of the chosen kernel.

    Attributes
    ----------
    fitted
        ``E[psi | x]`` at the rows, N x q.
    features
        Principal features of the kernel, N x r.
    shrink
        The ridge in their coordinates: ``features * shrink @ features^T`` is the smoother.
    mean
        Of the outcomes.
    scores
        Normal scores of the numeric columns of X.
    model
        The kernel and lambda, in words.
    explained
        Share of the outcomes' features that is explained, by leave-one-out (of the best of the kernels tried).
    """

    fitted: Array
    features: Array
    shrink: Array
    mean: Array
    scores: Scores
    model: str
    explained: float

    def residuals(self, y: Array) -> Array:
        """Leave-one-out residuals of any one outcome: in sample they are too small by what each row explains itself."""
        features, shrink = to_host(self.features), to_host(self.shrink)
        centred = y - y.mean()
        misfit = centred - features @ (shrink * (features.T @ centred))
        return misfit / np.maximum(1.0 - features**2 @ shrink, 0.01)

    def prognostic(self) -> Rows:
        """Leading directions of the fitted outcomes, each with mean 0 and mean square 1."""
        count = n_rows(self.fitted)
        sums, second = sum_rows(partial(_spread, near=self.mean), self.fitted)
        shift = sums / count  # the mean of the fitted values is near that of the outcomes
        mean = self.mean + shift
        variances, V = np.linalg.eigh(to_host(second / count - shift[:, None] * shift[None, :]))
        variances, V = variances[::-1][:MAX_PROGNOSTIC], V[:, ::-1][:, :MAX_PROGNOSTIC]
        keep = variances > max(1e-6 * float(variances[0]), 1e-24)
        along = V[:, keep] / variances[keep] ** 0.5
        return map_rows(partial(_centred_along, mean=mean, V=along), self.fitted, columns=along.shape[1])


def regress_pooled(psi: Array, x: Table, kernel_x: Kernel | None = None) -> PooledRegression:
    """Regress the outcomes' features on X, pooled over the groups.

    Parameters
    ----------
    psi
        Features of the outcomes.
    x
        The covariates.
    kernel_x
        A precomputed kernel, where X is known through it alone.
    """
    count = n_rows(psi)
    mean = total(psi) / count
    centred = map_rows(partial(_minus, mean=mean), psi, columns=psi.shape[1])
    raw = float(sum_rows(_square_sum, psi)) / count
    spread = float(sum_rows(_square_sum, centred)) / count
    if isinstance(kernel_x, Precomputed):
        given: list[Kernel] = [kernel_x]
        points, candidates, names = x.values, given, ["the given Gram matrix"]
        scores = Scores((), (), ())
    else:
        scores = Scores.of(x)
        points, candidates, names = _candidates(x, scores)
    if spread <= 1e-20 * max(raw, 1e-300):  # constant outcomes: nothing to regress
        nothing = map_rows(_one_zero, psi, columns=1)
        return PooledRegression(
            psi, nothing, 0.0 * mean[:1], mean, scores, "nothing, as the outcomes are constant", 1.0
        )
    best = 0
    if len(candidates) > 1:
        some = _selection_rows(count)
        few, own = to_host(pick_rows(points, some)), to_host(pick_rows(centred, some))
        compared = share_distances(candidates, few)
        errors = in_two_steps(lambda pair: _embed(*pair), lambda found: _fit(found, own, GRID[::2]).error, compared)
        best = int(np.argmin(errors))
    error, lam, embedding, sigma, M = _fit(_embed(candidates[best], points), centred, GRID)
    shrunk = M / (count * (sigma + lam))[:, None]
    scale = float(namespace(sigma).sum(sigma)) ** 0.5
    return PooledRegression(
        map_rows(partial(_fitted, B=shrunk, mean=mean), embedding.phi, columns=psi.shape[1]),
        map_rows(partial(_divide, scale=scale), embedding.phi, columns=embedding.rank),
        scale**2 / (count * (sigma + lam)),
        mean,
        scores,
        f"pooled ridge, {names[best]}, lambda {lam:.2g}",
        1.0 - error / spread,
    )


def _selection_rows(count: int) -> npt.NDArray[np.int64]:
    """Rows on which the kernels are compared, in order."""
    if count > SAMPLE_ROWS:
        return sample_rows(count, SELECTION_ROWS)
    return np.sort(np.random.default_rng(0).permutation(count)[:SELECTION_ROWS])


def _square_sum(rows: Rows) -> Array:
    return namespace(rows).sum(rows**2)


def _minus(rows: Rows, mean: Array) -> Rows:
    return rows - mean


def _spread(rows: Rows, near: Array) -> tuple[Array, Array]:
    """Sums of the rows and of their squares, both from a point near the mean."""
    centred = rows - near
    return namespace(rows).sum(centred, axis=0), centred.T @ centred


def _centred_along(rows: Rows, mean: Array, V: Array) -> Rows:
    return (rows - mean) @ matching(V, rows)


def _one_zero(rows: Rows) -> Rows:
    return 0.0 * rows[:, :1]


def _fitted(phi: Rows, B: Array, mean: Array) -> Rows:
    return phi @ B + mean


def _divide(rows: Rows, scale: float) -> Rows:
    return rows / scale


class _Fit(NamedTuple):
    error: float
    lam: float
    embedding: Embedding
    sigma: Array
    M: Array


def _embed(kernel: Kernel, points: Rows) -> Embedding:
    rank = min(affordable_rank(n_rows(points), MAX_RANK), n_rows(points))
    return embed(kernel, points, tol=TOL, max_rank=rank)


def _fit(embedding: Embedding, psi: Rows, grid: Array) -> _Fit:
    embedding, sigma = embedding.principal()
    lambdas = grid * float(namespace(sigma).sum(sigma))
    M = cross_sums(embedding.phi, psi)
    errors = cross_validation_error(lambdas, embedding.phi, psi, sigma, M)[0]
    at = int(np.argmin(errors))
    return _Fit(float(errors[at]), float(lambdas[at]), embedding, sigma, M)


def _candidates(x: Table, scores: Scores) -> tuple[Rows, list[Kernel], list[str]]:
    """Points (scores, columns in robust units, codes of categories), and kernels on them with their names."""
    numeric, categorical = list(x.numeric), list(x.categorical)
    d, c = len(numeric), len(categorical)
    spread, distance = x.once(standard_units) if d else (np.ones(0), 1.0)
    points = map_rows(
        partial(_points, scores=scores, scale=spread, categorical=tuple(categorical)), x.values, columns=2 * d + c
    )
    cats: list[Kernel] = [Delta().on(2 * d + j) for j in range(c)]
    every = [] if not c else [Delta().on(*range(2 * d, 2 * d + c))]
    kernels: list[Kernel] = []
    names: list[str] = []

    def add(kernel: Kernel, name: str) -> None:
        kernels.append(kernel)
        names.append(name)

    if d:
        on_scores, on_raw = tuple(range(d)), tuple(range(d, 2 * d))
        of_scores = median_distance(scores(subsample(x.sample)))
        for positions, length, scales, name in (
            (on_scores, of_scores, SCORE_SCALES, "scores"), (on_raw, distance, RAW_SCALES, "columns")
        ):  # fmt: skip
            for scale in scales:
                add(_times([Gaussian(length * scale).on(*positions), *every]), f"Gaussian ({scale:g} median) of {name}")
    if d + c > 1:
        linear: list[Kernel] = [Polynomial(1, 1.0, 1.0 / d).on(*range(d))] if d else []
        square: list[Kernel] = [Polynomial(2, 1.0, 1.0 / d).on(*range(d))] if d else []
        add(_plus([*linear, *cats]), "linear")
        if d:
            add(_plus([*square, *cats]), "quadratic")
        if d <= MAX_ADDITIVE:
            each: list[Kernel] = [Additive(1.0).on(*range(d))] if d else []
            add(_plus([*each, *cats]), "additive")
            if d:
                add(_plus([*each, *cats, *square]), "additive and quadratic")
    if not d:
        add(every[0], "cells of the categories")
    return points, kernels, names


def _times(parts: list[Kernel]) -> Kernel:
    return reduce(lambda a, b: a * b, parts)


def _plus(parts: list[Kernel]) -> Kernel:
    return reduce(lambda a, b: a + b, parts)


def _points(values: Rows, scores: Scores, scale: Array, categorical: tuple[int, ...]) -> Rows:
    raw = take(values, scores.columns, axis=1) / matching(scale, values)
    return namespace(values).concat([scores(values), raw, take(values, categorical, axis=1)], axis=1)


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
        if is_host(values):
            return np.interp(values, self.knots[k], self.scores[k])
        xp = namespace(values)
        knots, scores = matching(self.knots[k], values), matching(self.scores[k], values)
        if knots.shape[0] == 1:
            return xp.zeros_like(values) + scores[0]
        left = xp.clip(xp.searchsorted(knots, values, side="right") - 1, 0, knots.shape[0] - 2)
        low, high = xp.take(knots, left), xp.take(knots, left + 1)
        share = xp.clip((values - low) / (high - low), 0.0, 1.0)
        return xp.take(scores, left) * (1 - share) + xp.take(scores, left + 1) * share


def one_hot(values: Rows, x: Table, max_levels: int = 20) -> Rows:
    """Indicators of the categories of each categorical column that has few."""
    columns = [
        as_float(values[:, j : j + 1] == matching(np.arange(len(categories), dtype=np.float64), values)[None, :])
        for j in x.categorical
        if (categories := x.columns[j].categories) is not None and len(categories) <= max_levels
    ]
    return namespace(values).concat(columns, axis=1) if columns else values[:, :0]
