"""Residuals that trees have seen: a forest, and a ridge on what it leaves, cross-fitted as one pipeline.

Where an edge or an interaction drives both the labels and the outcomes, no smooth kernel takes it away, and what is
left of it is a false alarm that grows with the rows. A forest finds edges and a ridge finds what is smooth or linear.
Nothing that is predicted for a row has seen it: within the rows that a fold fits on, the ridge sees what the forest
leaves out of its bags, and the rows of the fold are predicted by both.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, move_to, n_threads, to_host
from condmmd.data import Samples, Table
from condmmd.data.checks import check_count
from condmmd.embedding import Embedding
from condmmd.nuisance.folds import fold_parts, shuffled_folds
from condmmd.nuisance.pooled import PooledRegression
from condmmd.nuisance.residuals import Fit, Residualization
from condmmd.regression.regularization import GRID, cross_validation_error, largest_near_minimum

__all__ = ["Forests"]

# Directions of the outcomes' features that the forest predicts: the leading ones, up to this share of their variance.
MAX_DIRECTIONS = 8
SHARE = 0.99


@dataclass(frozen=True)
class Forests:
    """Take away what a forest, and a ridge on what it leaves, predict of the outcomes.

    Parameters
    ----------
    trees
        In each forest.
    leaf
        Rows in a leaf, at least.
    folds
        Each of which is predicted by models fitted on the others.

    Examples
    --------
    >>> from condmmd import Forests
    >>> Forests(trees=100)
    Forests(trees=100, leaf=5, folds=5)
    """

    trees: int = 60
    leaf: int = 5
    folds: int = 5
    needs_pooled = True
    needs_columns = True

    def __post_init__(self) -> None:
        for name in ("trees", "leaf", "folds"):
            check_count(getattr(self, name), name)
        if self.folds < 2:
            raise ValueError(f"`folds` must be at least 2; got {self.folds}.")

    def fit(self, y: Embedding, samples: Samples, pooled: PooledRegression | None) -> Fit:
        """The outcomes' features less their predictions."""
        if pooled is None:
            raise ValueError("the pooled regression is missing.")
        psi, X, phi = to_host(y.phi), _columns(samples.x), to_host(pooled.features)
        predicted = np.empty_like(psi)
        for rows, train in fold_parts(len(psi), shuffled_folds(len(psi), min(self.folds, len(psi)))):
            predicted[rows] = self._predict(X, phi, psi, train, rows)
        residual = psi - predicted
        spread = float(np.mean(np.sum((psi - psi.mean(axis=0)) ** 2, axis=1))) or 1.0
        explained = 1.0 - float(np.mean(np.sum(residual**2, axis=1))) / spread
        words = (
            f"forests of {self.trees} trees, then a ridge on {phi.shape[1]} features, {self.folds}-fold cross-fitted"
        )
        return replace(y, phi=move_to(residual, y.phi)), Residualization(words, explained)

    def _predict(
        self, X: Array, phi: Array, psi: Array, train: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
    ) -> Array:
        """The outcomes' features at ``rows`` from models of those at ``train``."""
        mean = psi[train].mean(axis=0)
        centred = psi[train] - mean
        V = _directions(centred)
        forest = self._forest()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Some inputs do not have OOB")  # in every bag: predicted by 0
            forest.fit(X[train], _as_scikit_learn(centred @ V))
        out_of_bag = np.asarray(forest.oob_prediction_).reshape(len(train), -1)
        by_forest = np.asarray(forest.predict(X[rows])).reshape(len(rows), -1) @ V.T
        return mean + by_forest + _ridge(phi[train], centred - out_of_bag @ V.T, phi[rows])

    def _forest(self) -> Any:
        from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 - a slow import

        return RandomForestRegressor(
            self.trees, min_samples_leaf=self.leaf, max_features=0.7, oob_score=True, random_state=0,
            n_jobs=n_threads(),
        )  # fmt: skip


def _columns(x: Table) -> Array:
    """Numbers as they are, and an indicator for each category: a tree splits on either."""
    values = to_host(x.values)
    parts = [values[:, list(x.numeric)]]
    for j in x.categorical:
        codes = np.unique(values[:, j])
        parts.append((values[:, j, None] == codes).astype(np.float64))
    return np.concatenate(parts, axis=1)


def _directions(centred: Array) -> Array:
    """Leading directions of the features, as columns."""
    variances, V = np.linalg.eigh(centred.T @ centred)
    order = np.argsort(-variances)[:MAX_DIRECTIONS]
    share = np.cumsum(variances[order]) / max(float(variances.sum()), 1e-300)
    return V[:, order[: int(np.searchsorted(share, SHARE)) + 1]]


def _as_scikit_learn(values: Array) -> Array:
    return values[:, 0] if values.shape[1] == 1 else values


def _ridge(phi: Array, left: Array, at: Array) -> Array:
    """What a ridge regression of what is left predicts elsewhere, with lambda by leave-one-out."""
    second = phi.T @ phi / len(phi)
    sigma, U = np.linalg.eigh(second)
    sigma, rotated = np.maximum(sigma, 0.0), phi @ U
    mean = left.mean(axis=0)
    if sigma.sum() <= 0:  # outcomes that are constant have no regression
        return np.broadcast_to(mean, (len(at), len(mean)))
    lambdas = GRID * float(sigma.sum())
    M = rotated.T @ (left - mean)
    lam = largest_near_minimum(lambdas, cross_validation_error(lambdas, rotated, left - mean, sigma, M)[0])
    return mean + (at @ U) @ (M / (len(phi) * (sigma + lam))[:, None])
