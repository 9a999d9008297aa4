"""Distances of several samples to one reference, and whether one is nearer than another.

In each sample the outcomes' residuals are regressed on directions of the covariates, over the common population; a
distance is the mean of the squared difference of two such regressions. All share the reference, so their errors go
together: the noise of all samples is drawn jointly, by multiplying each row's part in it by one random number.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array
from condmmd.effects.common_ground import CommonGround
from condmmd.effects.differences import MOST_LEVERAGE, leading_pairs
from condmmd.effects.noisy_norm import NoisyNorm

__all__ = ["Distance", "Pair", "distances_of", "pairs_of"]

Leading: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
# Draws of the noise of all samples together.
DRAWS = 1999


@dataclass(frozen=True, eq=False)
class Distance:
    """The squared distance of a candidate to the reference, and how far outcomes vary within both."""

    norm: NoisyNorm
    within: float


@dataclass(frozen=True)
class Pair:
    """Two candidates: how much farther the second is than the first, and p-values that they are equally far.

    ``adjusted`` is the p-value over all pairs together: the chance that any pair at all that is equally far would look
    so different.
    """

    first: int
    second: int
    difference: float
    pvalue: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class _Regression:
    """A sample's regression: coefficients, draws of their noise and its mean square, and what is left on average."""

    B: Array
    noise: Array
    mean_square: float
    within: float


def distances_of(ground: CommonGround) -> list[Distance]:
    """One for each candidate, with draws that are joint over all of them."""
    multipliers = np.random.default_rng(0).standard_normal((DRAWS, len(ground.sample)))
    V = np.linalg.eigh(ground.rho.T @ ground.rho)[1][:, ::-1]
    rho = ground.rho @ V
    pairs = leading_pairs(ground.u, rho, len(rho))
    reference, *candidates = (
        _regression(ground, rho, k, pairs, multipliers) for k in range(int(ground.sample.max()) + 1)
    )
    spread = ground.h / ground.h.sum()
    found = []
    for own in candidates:
        D = own.B - reference.B
        seen = float(np.sum(D**2))
        z = own.noise - reference.noise
        direction = D[pairs] / max(seen, 1e-300) ** 0.5
        # over which rows of the common population the difference was averaged is chance too
        moved = spread * (np.sum((ground.u @ D) ** 2, axis=1) / max(seen, 1e-300) - 1)
        bias = own.mean_square + reference.mean_square
        square = np.sum(z**2, axis=1)
        square += bias - square.mean()  # with the directions that are not followed
        found.append(
            Distance(
                NoisyNorm(seen, bias, z @ direction, square, multipliers @ moved), (own.within + reference.within) / 2
            )
        )
    return found


def _regression(ground: CommonGround, rho: Array, k: int, pairs: Leading, multipliers: Array) -> _Regression:
    rows = np.flatnonzero(ground.sample == k)
    u, weight, values = ground.u[rows], ground.weight[rows], rho[rows]
    inverse = np.linalg.pinv((u * weight[:, None]).T @ u, hermitian=True)
    A = (u * weight[:, None]) @ inverse
    B = A.T @ values
    leverage = np.minimum(np.sum(A * u, axis=1), MOST_LEVERAGE)
    left = (values - u @ B) / np.sqrt(1 - leverage)[:, None]
    noise = multipliers[:, rows] @ (A[:, pairs[0]] * left[:, pairs[1]])
    squares = np.sum(left**2, axis=1)
    return _Regression(B, noise, float(np.sum(A**2, axis=1) @ squares), float(np.average(squares, weights=weight)))


def pairs_of(distances: list[Distance]) -> list[Pair]:
    """Every two candidates: equal distances, both the mean of the two, are what is tested."""
    found, scores, draws = [], [], []
    for i, j in combinations(range(len(distances)), 2):
        one, other = distances[i].norm, distances[j].norm
        difference = other.estimate - one.estimate
        common = max(0.0, (one.estimate + other.estimate) / 2)
        noise = (other.draws(common) - other.bias) - (one.draws(common) - one.bias)
        unit = max(float(noise.std()), 1e-300)
        found.append((i, j, difference, _rank(abs(difference), np.abs(noise))))
        scores.append(abs(difference) / unit)
        draws.append(np.abs(noise) / unit)
    largest = np.max(draws, axis=0) if draws else np.empty(0)
    return [Pair(*pair, _rank(score, largest)) for pair, score in zip(found, scores, strict=True)]


def _rank(value: float, draws: Array) -> float:
    return (1 + int(np.sum(draws >= value))) / (1 + len(draws))
