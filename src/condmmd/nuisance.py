"""The pooled regression of the outcomes' features on X: what both the residuals and the propensity estimate rest on.

A single kernel cannot be right for every table: one of 20 columns may matter through its square, a column may have
heavy tails, or structure on a scale far below its spread. So leave-one-out chooses among kernels of several kinds, on
normal scores (ranks, which no tail disturbs) and on the columns as they are. No labels are involved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from condmmd.embedding import Embedding, affordable_rank, embed
from condmmd.kernels import Delta, Gaussian, Kernel, Polynomial, Precomputed, median_distance, robust_scale
from condmmd.regularization import GRID, cross_validation_error
from condmmd.samples import Array, Table

__all__ = ["PooledRegression", "normal_scores", "one_hot", "regress_pooled"]

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
    model
        The kernel and lambda, in words.
    explained
        Share of the outcomes' features that is explained, by leave-one-out (of the best of the kernels tried).
    """

    fitted: Array
    features: Array
    shrink: Array
    model: str
    explained: float

    def residuals(self, y: Array) -> Array:
        """Leave-one-out residuals of any one outcome: in sample they are too small by what each row explains itself."""
        centred = y - y.mean()
        misfit = centred - self.features @ (self.shrink * (self.features.T @ centred))
        return misfit / np.maximum(1.0 - self.features**2 @ self.shrink, 0.01)

    def prognostic(self) -> Array:
        """Leading directions of the fitted outcomes, each with mean 0 and mean square 1."""
        U, s, _ = np.linalg.svd(self.fitted - self.fitted.mean(axis=0), full_matrices=False)
        keep = s[:MAX_PROGNOSTIC] > 1e-3 * max(float(s[0]), 1e-12)
        return U[:, :MAX_PROGNOSTIC][:, keep] * len(U) ** 0.5


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
    centred = psi - psi.mean(axis=0)
    total = float(np.mean(np.sum(centred**2, axis=1)))
    if isinstance(kernel_x, Precomputed):
        given: list[Kernel] = [kernel_x]
        points, candidates, names = x.values, given, ["the given Gram matrix"]
    else:
        points, candidates, names = _candidates(x)
    if total <= 1e-20 * max(float(np.mean(np.sum(psi**2, axis=1))), 1e-300):  # constant outcomes: nothing to regress
        return PooledRegression(psi, np.zeros((len(psi), 1)), np.zeros(1), "nothing, as the outcomes are constant", 1.0)
    best = 0
    if len(candidates) > 1:
        some = np.random.default_rng(0).permutation(len(points))[:SELECTION_ROWS]
        errors = [_fit(kernel, points[some], centred[some], GRID[::2])[0] for kernel in candidates]
        best = int(np.argmin(errors))
    error, lam, embedding, sigma = _fit(candidates[best], points, centred, GRID)
    shrunk = (embedding.phi.T @ centred) / (len(psi) * (sigma + lam))[:, None]
    scale = float(sigma.sum()) ** 0.5
    return PooledRegression(
        embedding.phi @ shrunk + psi.mean(axis=0),
        embedding.phi / scale,
        scale**2 / (len(psi) * (sigma + lam)),
        f"pooled ridge, {names[best]}, lambda {lam:.2g}",
        1.0 - error / total,
    )


def _fit(kernel: Kernel, points: Array, psi: Array, grid: Array) -> tuple[float, float, Embedding, Array]:
    rank = min(affordable_rank(len(psi), MAX_RANK), len(psi))
    embedding, sigma = embed(kernel, points, tol=TOL, max_rank=rank).principal()
    lambdas = grid * sigma.sum()
    errors = cross_validation_error(lambdas, embedding.phi, psi, sigma)[0]
    at = int(np.argmin(errors))
    return float(errors[at]), float(lambdas[at]), embedding, sigma


def _candidates(x: Table) -> tuple[Array, list[Kernel], list[str]]:
    """Points (scores, columns in robust units, codes of categories), and kernels on them with their names."""
    numeric, categorical = list(x.numeric), list(x.categorical)
    d, c = len(numeric), len(categorical)
    raw = x.values[:, numeric]
    scores = normal_scores(raw)
    points = np.column_stack([scores, raw / robust_scale(raw), x.values[:, categorical]])
    cats: list[Kernel] = [Delta().on(2 * d + j) for j in range(c)]
    every = [] if not c else [Delta().on(*range(2 * d, 2 * d + c))]
    kernels: list[Kernel] = []
    names: list[str] = []

    def add(kernel: Kernel, name: str) -> None:
        kernels.append(kernel)
        names.append(name)

    if d:
        on_scores, on_raw = tuple(range(d)), tuple(range(d, 2 * d))
        for positions, scales, name in ((on_scores, SCORE_SCALES, "scores"), (on_raw, RAW_SCALES, "columns")):
            length = median_distance(points[:, list(positions)])
            for scale in scales:
                add(_times([Gaussian(length * scale).on(*positions), *every]), f"Gaussian ({scale:g} median) of {name}")
    if d + c > 1:
        linear: list[Kernel] = [Polynomial(1, 1.0, 1.0 / d).on(*range(d))] if d else []
        square: list[Kernel] = [Polynomial(2, 1.0, 1.0 / d).on(*range(d))] if d else []
        add(_plus([*linear, *cats]), "linear")
        if d:
            add(_plus([*square, *cats]), "quadratic")
        if d <= MAX_ADDITIVE:
            each: list[Kernel] = [Gaussian(1.0).on(j) for j in range(d)]
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


def normal_scores(values: Array) -> Array:
    """Each column's ranks as quantiles of the normal law, ties at their mean: no tail or unit matters."""
    if not values.shape[1]:
        return values
    ranks = np.apply_along_axis(rankdata, 0, values)
    return np.asarray(ndtri((ranks - 0.5) / len(values)))


def one_hot(x: Table, max_levels: int = 20) -> Array:
    """Indicators of the categories of each categorical column that has few."""
    columns = [
        (x.values[:, [j]] == np.arange(len(categories))).astype(np.float64)
        for j in x.categorical
        if (categories := x.columns[j].categories) is not None and len(categories) <= max_levels
    ]
    return np.column_stack(columns) if columns else np.empty((len(x.values), 0))
