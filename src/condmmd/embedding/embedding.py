"""Kernel and pooled rows become features ``phi`` with ``phi phi^T ~ K``; the residual is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from condmmd.backend import (
    Array,
    LowerTriangle,
    Rows,
    blas_threads_for,
    each_chunk,
    is_chunked,
    largest,
    map_rows,
    move_to,
    n_rows,
    namespace,
    pick_rows,
    place_rows,
    row_numbers,
    sample_rows,
    square_sums,
    squared_norms,
    sum_rows,
    take,
    to_host,
)
from condmmd.embedding.cholesky import check_diagonal, greedy_cholesky
from condmmd.embedding.gram import factor_gram
from condmmd.kernels import FeatureMap, Kernel, Landmarks

__all__ = ["Embedding", "Method", "embed", "embed_gram"]

Method: TypeAlias = Literal["explicit", "greedy Cholesky", "greedy Cholesky of a sample", "full Gram"]

# Above this many rows pivots are sought among so many of them first, then among the worst represented, a few times.
GREEDY_MAX_ROWS = 10_000
MORE_ROWS = 1000
MAX_ROUNDS = 8
# From this rank on eigenvectors are found on the device; below it, moving the matrix to a processor and back is faster.
DEVICE_RANK = 512


@dataclass(frozen=True, eq=False)
class Embedding:
    """Features of the pooled rows, and how to get those of new points.

    Attributes
    ----------
    phi
        Features, a row for each row of the data.
    kernel
        The kernel they stand for.
    residual
        Share of the trace of K that they leave out: ``tr(K - phi phi^T) / tr(K)``.
    method
        How they were found.
    gram
        K itself, where it was formed.
    """

    phi: Rows
    kernel: Kernel
    residual: float
    method: Method
    feature_map: FeatureMap
    rotation: Array | None = None
    gram: Rows | None = None

    @property
    def rank(self) -> int:
        """The number of features."""
        return int(self.phi.shape[1])

    def transform(self, X: Rows) -> Rows:
        """Features of new points (the Nystrom extension, where features are not explicit)."""
        phi = self.feature_map(X)
        return phi if self.rotation is None else phi @ move_to(self.rotation, X)

    def summary(self) -> dict[str, Any]:
        """What a result says of it."""
        return {"kernel": repr(self.kernel), "rank": self.rank, "residual": self.residual, "method": self.method}

    def without_rows(self) -> Embedding:
        """The features of new points, without those of the rows: what a result keeps."""
        return replace(self, phi=np.empty((0, self.rank)), gram=None)

    def principal(self, weights: Rows | None = None) -> tuple[Embedding, Array]:
        """Rotate the features into the eigenbasis of ``C = phi^T phi / N``; also its eigenvalues, largest first.

        Then every level is a weighted sum over features, with no rotation left to do for each label vector. With
        ``weights``, of the weighted mean of ``phi_i phi_i^T``.
        """
        if weights is not None:
            return self._weighted_principal(weights)
        with blas_threads_for(4 * n_rows(self.phi) * self.rank**2):
            second = sum_rows(_second, self.phi)
            if self.rank < DEVICE_RANK:
                second = to_host(second)
            values, U = (to_host(part) for part in namespace(second).linalg.eigh(second))
            U = np.ascontiguousarray(U[:, ::-1])
            phi = map_rows(partial(_rotate, U=U), self.phi, columns=self.rank)
        # with chunks, the same to rounding without another pass
        squares = np.maximum(values[::-1], 0.0) if is_chunked(phi) else square_sums(phi)
        sigma = squares / n_rows(phi)
        return self._rotated(phi, U), sigma

    def _weighted_principal(self, weights: Rows) -> tuple[Embedding, Array]:
        second, whole = (to_host(part) for part in sum_rows(_weighted_second, self.phi, weights))
        values, U = np.linalg.eigh(second / whole)
        U = np.ascontiguousarray(U[:, ::-1])
        phi = map_rows(partial(_rotate, U=U), self.phi, columns=self.rank)
        return self._rotated(phi, U), np.maximum(values[::-1], 0.0)

    def _rotated(self, phi: Rows, U: Array) -> Embedding:
        return replace(self, phi=phi, rotation=U if self.rotation is None else self.rotation @ U)


def _second(phi: Array) -> Array:
    return phi.T @ phi


def _weighted_second(phi: Rows, weights: Rows) -> tuple[Rows, Rows]:
    return (phi * weights[:, None]).T @ phi, namespace(weights).sum(weights)


def _rotate(phi: Array, U: Array) -> Array:
    return phi @ move_to(U, phi)


def embed(kernel: Kernel, X: Rows, *, tol: float, max_rank: int) -> Embedding:
    """Embed with at most ``max_rank`` features: explicit ones if they are that few, else pivoted Cholesky.

    Where ``max_rank`` is reached first, the residual is above ``tol``.
    """
    explicit = kernel.feature_map(X)
    if explicit is not None and explicit.size <= max_rank:
        check_diagonal(kernel, _diagonal(kernel, X))
        return Embedding(map_rows(explicit, X, columns=explicit.size), kernel, 0.0, "explicit", explicit)
    if n_rows(X) <= GREEDY_MAX_ROWS:
        points = to_host(X)
        factor = greedy_cholesky(kernel, points, tol=tol, max_rank=max_rank)
        phi = place_rows(factor.phi, X)
        landmarks = Landmarks(kernel, points[list(factor.pivots)], LowerTriangle(factor.corner))
        return Embedding(phi, kernel, factor.residual, "greedy Cholesky", landmarks)
    return _embed_many(kernel, X, tol, max_rank)


def _embed_many(kernel: Kernel, X: Rows, tol: float, max_rank: int) -> Embedding:
    """Pivots among some of the rows; where they leave too much of the others, among those of whom they leave most."""
    check_diagonal(kernel, _diagonal(kernel, X))
    points = to_host(pick_rows(X, sample_rows(n_rows(X), GREEDY_MAX_ROWS)))
    known, goal = 0, tol
    for _ in range(MAX_ROUNDS):
        factor = greedy_cholesky(kernel, points, tol=goal, max_rank=max_rank, first=known)
        landmarks = Landmarks(kernel, points[list(factor.pivots)], LowerTriangle(factor.corner))
        phi = map_rows(landmarks, X, columns=landmarks.size)
        total, left = (float(part) for part in sum_rows(partial(_left_over, kernel=kernel), X, phi))
        if left <= tol * total or landmarks.size in (known, max_rank):
            break
        known = landmarks.size
        worst, of_worst = _worst(kernel, X, phi)
        points = np.concatenate([landmarks.points, worst])
        # what is left of the worst rows is to fall by as much as what is left of all must, and a half more
        goal = 0.5 * (tol * total / left) * of_worst / float(to_host(kernel.diagonal(points)).sum())
    return Embedding(phi, kernel, max(0.0, left / total), "greedy Cholesky of a sample", landmarks)


def _diagonal(kernel: Kernel, X: Rows) -> Array:
    """The smallest, the largest and the mean k(x, x) of each chunk."""
    return np.concatenate(each_chunk(partial(_few_diagonal, kernel=kernel), X))


def _few_diagonal(X: Rows, kernel: Kernel) -> Array:
    diagonal, xp = kernel.diagonal(X), namespace(X)
    return to_host(xp.stack([xp.min(diagonal), xp.max(diagonal), xp.mean(diagonal)]))


def _left_over(X: Rows, phi: Rows, kernel: Kernel) -> tuple[Array, Array]:
    """The trace of the kernel's matrix on these rows, and what the features leave of it."""
    diagonal, xp = kernel.diagonal(X), namespace(phi)
    return xp.sum(diagonal), xp.sum(diagonal - squared_norms(phi))


def _worst(kernel: Kernel, X: Rows, phi: Rows) -> tuple[Array, float]:
    """The rows of which most is left over, the same whatever the chunks are, and how much that is."""
    found = each_chunk(partial(_worst_of_chunk, kernel=kernel), row_numbers(X), X, phi)
    numbers, left, points = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((numbers, -left))[:MORE_ROWS]
    return points[order], float(left[order].sum())


def _worst_of_chunk(numbers: Rows, X: Rows, phi: Rows, kernel: Kernel) -> tuple[Array, Array, Array]:
    left = kernel.diagonal(X) - squared_norms(phi)
    worst = largest(left, MORE_ROWS)
    numbers, left, X = (to_host(take(part, worst)) for part in (numbers, left, X))
    return numbers, left, X


def embed_gram(kernel: Kernel, X: Rows) -> Embedding:
    """Embed through the full Gram matrix, which is kept."""
    if is_chunked(X):
        raise ValueError("solver='dual' needs the full Gram matrix, so rows in memory; use solver='primal'.")
    phi, residual, features, K = factor_gram(kernel, X)
    return Embedding(phi, kernel, residual, "full Gram", features, gram=K)
