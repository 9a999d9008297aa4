"""The pooled regression of the outcomes' features on X: what both the residuals and the propensity estimate rest on.

Leave-one-out chooses among the kernels of `candidates`. No labels are involved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    Array,
    Rows,
    content_order,
    content_sample,
    map_rows,
    move_to,
    n_rows,
    namespace,
    pick_rows,
    pipelined,
    sample_rows,
    sum_rows,
    to_host,
    total,
)
from condmmd.data import SAMPLE_ROWS, Samples, Table
from condmmd.embedding import Embedding, affordable_rank, embed
from condmmd.embedding.cholesky import WHOLE_ROWS
from condmmd.kernels import Kernel, resolve_kernel, share_distances
from condmmd.nuisance.candidates import candidate_kernels
from condmmd.nuisance.scores import Scores
from condmmd.regression.regularization import GRID, cross_sums, cross_validation_error

__all__ = ["PooledRegression", "regress_pooled"]

MAX_RANK = 200
TOL = 1e-6
# Kernels are compared on this many rows at most, the same every time; the chosen one is fitted on all.
SELECTION_ROWS = 1000
# Leading directions of the fitted outcomes that the propensity must balance.
MAX_PROGNOSTIC = 8
# Of what is fitted at the rows themselves, so much must hold for others.
MIN_SOUND = 0.5


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
    aligned
        The squared correlation of fitted and observed outcomes at these very rows, where a fit explains too much.
    """

    fitted: Rows
    features: Rows
    shrink: AnyArray
    mean: AnyArray
    scores: Scores
    model: str
    explained: float
    aligned: float

    def residuals(self, y: Array) -> Array:
        """Leave-one-out residuals of any one outcome: in sample they are too small by what each row explains itself."""
        features, shrink = to_host(self.features), to_host(self.shrink)
        centred = y - y.mean()
        misfit = centred - features @ (shrink * (features.T @ centred))
        return misfit / np.maximum(1.0 - features**2 @ shrink, 0.01)

    def less_fitted(self, values: Rows) -> Rows:
        """Other columns of the same rows less what the same ridge regression on X says of them."""
        count, width = n_rows(values), values.shape[1]
        mean = total(values) / count
        sums = sum_rows(partial(_cross_centred, mean=mean), self.features, values)
        B = sums * self.shrink[:, None]
        return map_rows(partial(_less, B=B, mean=mean), self.features, values, columns=width)

    def on_rows(self, index: npt.NDArray[np.int64]) -> PooledRegression:
        """The same features and lambda at some of the rows, for what is to be regressed there."""
        features, shrink = to_host(self.features), to_host(self.shrink)
        part, fitted = features[index], to_host(self.fitted)[index]
        if not shrink.any():  # of constant outcomes
            return replace(self, fitted=fitted, features=part)
        ridge = float(np.mean(1 / shrink - np.sum(features**2, axis=0))) * len(part) / len(features)
        values, U = np.linalg.eigh(part.T @ part)
        return replace(self, fitted=fitted, features=part @ U, shrink=1 / (np.maximum(values, 0.0) + ridge))

    def prognostic(self) -> Rows:
        """Leading directions of the fitted outcomes, each with mean 0 and mean square 1.

        None where most of what is fitted is the noise of these rows: a kernel that follows every row fits the outcomes
        themselves, and a propensity that has them explains away any difference.
        """
        count = n_rows(self.fitted)
        sums, second = sum_rows(partial(_spread, near=self.mean), self.fitted)
        shift = sums / count  # the mean of the fitted values is near that of the outcomes
        mean = self.mean + shift
        variances, V = np.linalg.eigh(to_host(second / count - shift[:, None] * shift[None, :]))
        if self.explained < MIN_SOUND * self.aligned:
            return self.fitted[:, :0]
        variances, V = variances[::-1][:MAX_PROGNOSTIC], V[:, ::-1][:, :MAX_PROGNOSTIC]
        keep = variances > max(1e-6 * float(variances[0]), 1e-24)
        along = V[:, keep] / variances[keep] ** 0.5
        return map_rows(partial(_centred_along, mean=mean, V=along), self.fitted, columns=along.shape[1])


def regress_pooled(psi: Rows, samples: Samples) -> PooledRegression:
    """Regress the outcomes' features on X, pooled over the groups.

    Parameters
    ----------
    psi
        Features of the outcomes.
    samples
        The rows; of their covariates there may be a Gram matrix alone.
    """
    x = samples.x
    count = n_rows(psi)
    mean = total(psi) / count
    centred = map_rows(partial(_minus, mean=mean), psi, columns=psi.shape[1])
    raw = float(sum_rows(_square_sum, psi)) / count
    spread = float(sum_rows(_square_sum, centred)) / count
    if samples.gram_x is not None:
        given = resolve_kernel(None, x, samples.gram_x)
        points, candidates, names = x.values, [given], ["the given Gram matrix"]
        scores = Scores((), (), ())
    else:
        scores = Scores.of(x)
        points, candidates, names = candidate_kernels(x, scores)
    if spread <= 1e-20 * max(raw, 1e-300):  # constant outcomes: nothing to regress
        nothing = map_rows(_one_zero, psi, columns=1)
        return PooledRegression(
            psi, nothing, 0.0 * mean[:1], mean, scores, "nothing, as the outcomes are constant", 1.0, 1.0
        )
    best = 0
    if len(candidates) > 1:
        some = _selection_rows(x)
        few, own = to_host(pick_rows(points, some)), to_host(pick_rows(centred, some))
        order = content_order(few)
        few, own = few[order], own[order]
        compared = share_distances(candidates, few)
        if len(few) <= WHOLE_ROWS:  # a thread would take longer to start than it has to do
            errors = [_fit(_embed(*pair), own, GRID[::2]).error for pair in compared]
        else:
            errors = pipelined(lambda pair: _embed(*pair), lambda found: _fit(found, own, GRID[::2]).error, compared)
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
        _aligned(M, shrunk, sigma) / (count**2 * spread),
    )


def _aligned(M: AnyArray, B: AnyArray, sigma: AnyArray) -> float:
    """The squared sum of fitted psi by the mean of fitted^2, of features in their eigenbasis; ``M = phi^T psi``."""
    xp = namespace(sigma)
    product, square = float(xp.sum(B * M)), float(xp.sum(sigma[:, None] * B**2))
    return product**2 / max(square, 1e-300)


def _selection_rows(x: Table) -> npt.NDArray[np.int64]:
    """Rows on which the kernels are compared, in order."""
    count = n_rows(x.values)
    return sample_rows(count, SELECTION_ROWS) if count > SAMPLE_ROWS else content_sample(x.sample, SELECTION_ROWS)


def _cross_centred(features: Rows, values: Rows, mean: AnyArray) -> AnyArray:
    return features.T @ (values - mean)


def _less(features: Rows, values: Rows, B: AnyArray, mean: AnyArray) -> Rows:
    return values - mean - features @ B


def _square_sum(rows: Rows) -> Array:
    return namespace(rows).sum(rows**2)


def _minus(rows: Rows, mean: Array) -> Rows:
    return rows - mean


def _spread(rows: Rows, near: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Sums of the rows and of their squares, both from a point near the mean."""
    centred = rows - near
    return namespace(rows).sum(centred, axis=0), centred.T @ centred


def _centred_along(rows: Rows, mean: Array, V: Array) -> Rows:
    return (rows - mean) @ move_to(V, rows)


def _one_zero(rows: Rows) -> Rows:
    return 0.0 * rows[:, :1]


def _fitted(phi: Rows, B: AnyArray, mean: AnyArray) -> Rows:
    return phi @ B + mean


def _divide(rows: Rows, scale: float) -> Rows:
    return rows / scale


class _Fit(NamedTuple):
    error: float
    lam: float
    embedding: Embedding
    sigma: AnyArray
    M: AnyArray


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
