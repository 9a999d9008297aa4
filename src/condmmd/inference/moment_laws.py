"""The law of each column of a linear statistic when its moments are normal: a weighted sum of chi-squares.

The weights are the eigenvalues of the second moments of ``vec(sum_i a_i phi_i rho_i^T)`` over random signs, scaled by
the column's weights. Of two matrices with the same eigenvalues, over rows and over products of features, the smaller is
made; where both are large, the leading eigenvalues are found by a randomised range (Halko, Martinsson and Tropp), and
the others, none of which matters to a tail by itself, enter by their sum and the sum of their squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condmmd.backend import Array, to_host
from condmmd.inference.chi_squares import ChiSquares
from condmmd.labels import Multipliers
from condmmd.statistics import Products

__all__ = ["MomentLaw", "laws_of", "stacked_laws"]

# The larger side of a matrix whose eigenvalues are all found, and numbers held at once.
EXACT, CHUNK_NUMBERS = 1200, 2**26
# Weights kept one by one at most; the rest is one term with the same mean and variance. Fewer are kept where its third
# cumulant, in units of the largest weight, is then wrong by less than this: by half a percent of any tail, or less.
LEADING, LUMPED = 150, 0.02
# How far the variance of that rest may fall for signs being signs, not normal.
CORRECTED = 0.25
RANGE, OVERSAMPLED, PASSES, PROBES = 40, 10, 2, 20


@dataclass(frozen=True, eq=False)
class MomentLaw:
    """One column: its weights and degrees of freedom, and whether the weights are exact.

    ``rows`` is the number of rows, all alike, that would give a sum as near to normal: ``1 / sum_i share_i^2`` with the
    share of each row in the variance.
    """

    weights: Array
    degrees: Array
    rows: float
    exact: bool


def stacked_laws(laws: list[MomentLaw]) -> ChiSquares:
    """Laws of several columns, with as many terms as the longest."""
    width = max(len(law.weights) for law in laws)
    weights, degrees = np.zeros((len(laws), width)), np.ones((len(laws), width))
    for number, law in enumerate(laws):
        weights[number, : len(law.weights)], degrees[number, : len(law.weights)] = law.weights, law.degrees
    return ChiSquares(weights, degrees)


def laws_of(products: Products, multipliers: Multipliers) -> list[MomentLaw]:
    """The law of each column of these products."""
    phi, rho = to_host(products.phi), to_host(products.rho)
    count, size = len(phi), phi.shape[1] * rho.shape[1]
    if not size:  # the main effects of covariates that are constant
        return [_law(np.zeros(1), np.zeros(count))] * len(products.weights)
    if size <= min(count, EXACT) and count * size <= CHUNK_NUMBERS:
        return _over_features(phi, rho, products.weights, multipliers)
    if count <= EXACT:
        outcomes = rho @ rho.T
        return [_over_rows((phi * weights) @ phi.T * outcomes, multipliers) for weights in products.weights]
    return _leading_only(phi, rho, products.weights, multipliers)


def _over_features(phi: Array, rho: Array, weights: Array, multipliers: Multipliers) -> list[MomentLaw]:
    B = multipliers.root((phi[:, :, None] * rho[:, None, :]).reshape(len(phi), -1))
    second, squares = B.T @ B, B**2
    found = []
    for own in weights:
        scale = np.repeat(own, rho.shape[1])
        values = np.asarray(np.linalg.eigvalsh(second * np.outer(scale, scale) ** 0.5), dtype=np.float64)
        found.append(_law(values, squares @ scale))
    return found


def _over_rows(K: Array, multipliers: Multipliers) -> MomentLaw:
    G = multipliers.root(multipliers.root(K).T)
    return _law(np.asarray(np.linalg.eigvalsh(0.5 * (G + G.T)), dtype=np.float64), np.diagonal(G))


def _law(values: Array, of_rows: Array) -> MomentLaw:
    """From all eigenvalues, and what each row contributes to their sum."""
    values = np.maximum(values[::-1], 0.0)
    leading, rest = np.split(values, [_needed(values)])
    return _joined(leading, (float(rest.sum()), float(rest @ rest)), of_rows, exact=True)


def _needed(values: Array) -> int:
    """How many of the weights, largest first, have to be kept one by one."""
    if values[0] <= 0:
        return 1
    unit = values / values[0]
    first, second, third = (np.cumsum(unit[::-1] ** power)[::-1] for power in (1, 2, 3))
    wrong = third - second**2 / np.maximum(first, 1e-300)
    return int(np.clip(np.argmax(np.append(wrong[1:] <= LUMPED * (1 - unit[1:]), True)) + 1, 1, LEADING))


def _joined(leading: Array, rest: tuple[float, float], of_rows: Array, *, exact: bool) -> MomentLaw:
    """The leading weights, and the rest as one term by the sum of its weights and the sum of their squares.

    The variance of a sum of squares, ``2 sum weight^2`` for normal moments, is smaller by ``2 sum_i share_i^2`` for
    signs, which change no square. Where many directions share it (a narrow kernel), that is seen, and is taken from the
    rest, whose weights no far tail depends on.
    """
    leading = leading[leading > 1e-12 * leading.max(initial=0.0)]
    weights, degrees = leading, np.ones(len(leading))
    total, squares = rest
    if total > 1e-12 * leading.sum() and squares > 0:
        squares = max(squares - float(of_rows @ of_rows), CORRECTED * squares)
        weights, degrees = np.append(weights, squares / total), np.append(degrees, total**2 / squares)
    whole = float(of_rows.sum())
    rows = whole**2 / float(of_rows @ of_rows) if whole > 0 else 0.0
    return MomentLaw(weights, degrees, rows, exact)


def _leading_only(phi: Array, rho: Array, weights: Array, multipliers: Multipliers) -> list[MomentLaw]:
    of_rows = np.zeros((len(weights), multipliers.count))
    for j in range(phi.shape[1]):
        of_rows += weights[:, j : j + 1] * np.sum(multipliers.root(phi[:, j : j + 1] * rho) ** 2, axis=1)
    return [
        _randomised(_Map(phi * own**0.5, rho, multipliers), shares)
        for own, shares in zip(weights, of_rows, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Map:
    """``B = root(A)`` with ``A_i = phi_i (x) rho_i``, as a map that is never written out."""

    phi: Array
    rho: Array
    multipliers: Multipliers

    def __call__(self, U: Array) -> Array:
        """``B U`` for U of shape (r q, k)."""
        r, q = self.phi.shape[1], self.rho.shape[1]
        along = np.zeros((len(self.phi), U.shape[1]))
        by_outcome = np.ascontiguousarray(U.reshape(r, q, -1).transpose(1, 0, 2))
        for k in range(q):
            along += self.rho[:, k : k + 1] * (self.phi @ by_outcome[k])
        return self.multipliers.root(along)

    def transposed(self, Y: Array) -> Array:
        """``B^T Y``."""
        own = self.multipliers.adjoint(Y)
        found = [self.phi.T @ (self.rho[:, k : k + 1] * own) for k in range(self.rho.shape[1])]
        return np.stack(found, axis=1).reshape(-1, Y.shape[1])


def _randomised(B: _Map, of_rows: Array) -> MomentLaw:
    rng = np.random.default_rng(0)  # a direction is as good as any other; the result must not depend on the run
    Q, _ = np.linalg.qr(B(rng.normal(size=(B.phi.shape[1] * B.rho.shape[1], RANGE + OVERSAMPLED))))
    for _ in range(PASSES):
        Q, _ = np.linalg.qr(B(B.transposed(Q)))
    values = np.asarray(np.linalg.svd(B.transposed(Q), compute_uv=False) ** 2, dtype=np.float64)
    leading = values[:RANGE]
    probes = rng.normal(size=(len(Q), PROBES))
    probes -= Q @ (Q.T @ probes)
    spread = B(B.transposed(probes))
    spread -= Q @ (Q.T @ spread)
    between = values[RANGE:]
    rest = max(float(of_rows.sum()) - float(leading.sum()), 0.0)
    squares = float(between @ between) + float(np.sum(spread**2)) / PROBES
    return _joined(leading, (rest, squares), of_rows, exact=False)
