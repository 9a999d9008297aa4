"""Kernel and pooled rows become features ``phi`` with ``phi phi^T ~ K``; the residual is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from condmmd.embedding.cholesky import Factor, check_diagonal, greedy_cholesky, randomized_cholesky
from condmmd.embedding.gram import factor_gram
from condmmd.kernels import FeatureMap, Kernel, Landmarks
from condmmd.samples import Array

__all__ = ["Embedding", "Method", "embed", "embed_gram"]

Method: TypeAlias = Literal["explicit", "greedy Cholesky", "randomized Cholesky", "full Gram"]

# Above this many rows a pass over the data a pivot costs more than drawing pivots in blocks.
GREEDY_MAX_ROWS = 10_000


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

    phi: Array
    kernel: Kernel
    residual: float
    method: Method
    feature_map: FeatureMap
    rotation: Array | None = None
    gram: Array | None = None

    @property
    def rank(self) -> int:
        """The number of features."""
        return int(self.phi.shape[1])

    def transform(self, X: Array) -> Array:
        """Features of new points (the Nystrom extension, where features are not explicit)."""
        phi = self.feature_map(X)
        return phi if self.rotation is None else phi @ self.rotation

    def principal(self) -> tuple[Embedding, Array]:
        """Rotate the features into the eigenbasis of ``C = phi^T phi / N``; also its eigenvalues, largest first.

        Then every level is a weighted sum over features, with no rotation left to do for each label vector.
        """
        _, U = np.linalg.eigh(self.phi.T @ self.phi)
        U = np.ascontiguousarray(U[:, ::-1])
        phi = self.phi @ U
        sigma = np.einsum("ij,ij->j", phi, phi) / len(phi)
        return replace(self, phi=phi, rotation=U if self.rotation is None else self.rotation @ U), sigma


def embed(kernel: Kernel, X: Array, *, tol: float, max_rank: int) -> Embedding:
    """Embed with at most ``max_rank`` features: explicit ones if they are that few, else pivoted Cholesky.

    Where ``max_rank`` is reached first, the residual is above ``tol``.
    """
    check_diagonal(kernel, kernel.diagonal(X))
    explicit = kernel.feature_map(X)
    if explicit is not None and explicit.size <= max_rank:
        return Embedding(explicit(X), kernel, 0.0, "explicit", explicit)
    few = len(X) <= GREEDY_MAX_ROWS
    factor = (greedy_cholesky if few else randomized_cholesky)(kernel, X, tol=tol, max_rank=max_rank)
    return _from_factor(factor, kernel, X, "greedy Cholesky" if few else "randomized Cholesky")


def embed_gram(kernel: Kernel, X: Array) -> Embedding:
    """Embed through the full Gram matrix, which is kept."""
    factor, K = factor_gram(kernel, X)
    return replace(_from_factor(factor, kernel, X, "full Gram"), gram=K)


def _from_factor(factor: Factor, kernel: Kernel, X: Array, method: Method) -> Embedding:
    landmarks = Landmarks(kernel, X[list(factor.pivots)], factor.corner)
    return Embedding(factor.phi, kernel, factor.residual, method, landmarks)
