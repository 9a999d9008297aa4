"""Thousands of outcomes over one table of covariates, each tested by itself: all that depends on X is done once.

The propensity, the directions of the covariates and the eigenbasis of the ridge are those of the outcomes' leading
principal directions; lambda, the residuals and the law of the statistic are each outcome's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri
from scipy.stats import rankdata

from condmmd.backend import Array, cached_property, to_host
from condmmd.data import Column, Samples, Table
from condmmd.inference.asymptotic import DEARER, Asymptotic
from condmmd.inference.chi_squares import ChiSquares, upper_tail
from condmmd.inference.joining import cauchy_combination
from condmmd.inference.nulls import Settings
from condmmd.inference.plan import Plan, Trained
from condmmd.labels import LabelRules, Multipliers
from condmmd.nuisance.residuals import PooledRidge
from condmmd.regression.odds import total_overlap
from condmmd.regression.regularization import GRID
from condmmd.statistics import Family
from condmmd.statistics.family import FittedFamily
from condmmd.statistics.outcome_scale import FAR

__all__ = ["KINDS", "Screened", "screen_outcomes"]

# Principal directions of the outcomes that choose the kernel and the propensity, and features of the kernel of X.
DIRECTIONS, RANK = 10, 40
# Numbers held at once, and weights of a law kept one by one.
CHUNK_NUMBERS, LEADING = 2**24, 16
# Of lambdas whose leave-one-out errors are equal but for rounding (a kernel that sees no two rows alike), the largest.
TIE = 1 - 1e-9
# A lambda by which a row fits itself has no leave-one-out error.
MOST_LEVERAGE = 0.99
# Functions of the rank beyond its mean and spread: Legendre polynomials of these degrees.
DEGREES = (1, 2, 3, 4)
DIGITS = 9  # of residuals, before they are ranked
KINDS = ("mean", "spread", "distribution")


@dataclass(frozen=True, eq=False)
class Screened:
    """What was found for each outcome: joined p-value, standardised mean difference, which kind speaks loudest."""

    trained: Trained
    pvalues: Array
    effects: Array
    kinds: tuple[str, ...]


def screen_outcomes(samples: Samples, rules: LabelRules, settings: Settings) -> Screened:
    """Test every column of the outcomes by itself."""
    Y = _scaled(to_host(samples.y.values))
    few = replace(samples, y=_principal(Y))
    trained = Plan(Family(max_rank=RANK), rules, PooledRidge(), Asymptotic(rules.scheme), settings).train(few)
    if not isinstance(trained.fitted, FittedFamily) or trained.pooled is None:
        raise TypeError("screening rests on Family and the pooled regression.")
    sides = _Sides.of(trained.fitted, trained.labels.noise)
    ridge = _Ridge.of(to_host(trained.pooled.features))
    step = max(1, CHUNK_NUMBERS // max(4 * len(Y), sides.phi.shape[1] ** 2))
    found = [_screen(Y[:, start : start + step], ridge, sides) for start in range(0, Y.shape[1], step)]
    single, effects = np.concatenate([p for p, _ in found]), np.concatenate([d for _, d in found])
    varies = Y.any(axis=0)
    joined = np.where(varies, np.minimum(1.0, DEARER * cauchy_combination(single)), 1.0)
    kinds = np.repeat(np.arange(3), [len(sides.columns), len(sides.columns), 1])[np.argmin(single, axis=1)]
    return Screened(trained, joined, np.where(varies, effects, 0.0), tuple(KINDS[k] for k in kinds))


def _scaled(Y: Array) -> Array:
    """Outcomes less their median in robust units; where a value is far out on them, normal scores."""
    low, middle, high = np.quantile(Y, [0.25, 0.5, 0.75], axis=0)
    spread, quartiles = Y.std(axis=0), (high - low) / 1.349
    spread = np.where(np.ptp(Y, axis=0) > 0, spread, 0.0)
    unit = np.where(quartiles > 0, np.minimum(spread, quartiles), spread)
    scaled = np.where(unit > 0, (Y - middle) / np.where(unit > 0, unit, 1.0), 0.0)
    far = np.abs(scaled).max(axis=0) > FAR
    scaled[:, far] = ndtri((rankdata(Y[:, far], axis=0) - 0.5) / len(Y))
    return scaled


def _principal(Y: Array) -> Table:
    """The leading principal directions of the outcomes, as outcomes."""
    spread = Y.std(axis=0)
    Z = (Y - Y.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if Y.shape[1] > len(Y):
        values, U = np.linalg.eigh(Z @ Z.T)
        scores = U * np.maximum(values, 0.0) ** 0.5
    else:
        values, V = np.linalg.eigh(Z.T @ Z)
        scores = Z @ V
    leading = scores[:, ::-1][:, :DIRECTIONS]
    return Table(leading, tuple(Column(f"direction {k + 1}") for k in range(leading.shape[1])), "Y")


@dataclass(frozen=True, eq=False)
class _Ridge:
    """The pooled regression's features, with a lambda for each outcome by leave-one-out."""

    features: Array
    shrink: Array
    leverage: Array

    @classmethod
    def of(cls, features: Array) -> _Ridge:
        sigma = np.sum(features**2, axis=0)
        lambdas = GRID[::2] * float(sigma.sum())
        shrink = 1.0 / (sigma[:, None] + lambdas + 1e-300)
        return cls(features, shrink, features**2 @ shrink)

    def residuals(self, Y: Array) -> tuple[Array, npt.NDArray[np.int64]]:
        """Outcomes less their fit, and which lambda was the best for each."""
        centred = Y - Y.mean(axis=0)
        M = self.features.T @ centred
        best, error = np.zeros(Y.shape[1], dtype=np.int64), np.full(Y.shape[1], np.inf)
        for number in reversed(range(self.shrink.shape[1])):
            if self.leverage[:, number].max() > MOST_LEVERAGE:
                continue
            misfit = centred - self.features @ (self.shrink[:, number, None] * M)
            misfit /= 1.0 - self.leverage[:, number, None]
            own = np.einsum("ij,ij->j", misfit, misfit)
            best, error = np.where(own < TIE * error, number, best), np.minimum(error, own)
        return self.less_fitted(centred, best), best

    def less_fitted(self, values: Array, best: npt.NDArray[np.int64]) -> Array:
        """Columns less their mean and their fit, each with its lambda."""
        centred = values - values.mean(axis=0)
        return centred - self.features @ (self.shrink[:, best] * (self.features.T @ centred))


@dataclass(frozen=True, eq=False)
class _Sides:
    """All directions of the covariates side by side; each column takes some of them, with weights."""

    phi: Array
    columns: tuple[tuple[slice, Array], ...]
    multipliers: Multipliers
    rows: float

    @classmethod
    def of(cls, fitted: FittedFamily, multipliers: Multipliers) -> _Sides:
        columns, start = [], 0
        for side in fitted.sides:
            part = slice(start, start + len(side.sigma))
            columns += [(part, side.sigma**level / (side.sigma + side.lam) ** 2) for level in side.mean_levels]
            start = part.stop
        phi = np.concatenate([to_host(s.phi) for s in fitted.sides], axis=1)
        return cls(phi, tuple(columns), multipliers, total_overlap(fitted.centre))

    @cached_property
    def a(self) -> Array:
        """The residual labels."""
        return to_host(self.multipliers.a)

    def pvalues(self, rho: Array) -> Array:
        """For each outcome, one column of rho, the p-value of each column: (outcomes, columns)."""
        M, C = rho.T @ (self.a[:, None] * self.phi), self._covariances(rho)
        found = []
        for part, weights in self.columns:
            root = weights**0.5
            laws = _laws(np.linalg.eigvalsh(C[:, part, part] * np.outer(root, root)))
            found.append(upper_tail(M[:, part] ** 2 @ weights, laws))
        return np.stack(found, axis=1)

    def _covariances(self, rho: Array) -> Array:
        """Of the moments of each outcome, over random signs: (outcomes, R, R)."""
        found = np.empty((rho.shape[1], self.phi.shape[1], self.phi.shape[1]))
        for number, own in enumerate(rho.T):
            B = self.multipliers.root(own[:, None] * self.phi)
            found[number] = B.T @ B
        return found

    def over_all_rows(self, values: Array) -> Array:
        """The p-value of several columns for each outcome, of shape (rows, outcomes, columns), over all rows."""
        N, count, width = values.shape
        B = self.multipliers.root(values.reshape(N, -1)).reshape(-1, count, width).transpose(1, 0, 2)
        moments = np.einsum("i,iok->ok", self.a, values)
        return upper_tail(np.sum(moments**2, axis=1), _laws(np.linalg.eigvalsh(B.transpose(0, 2, 1) @ B)))


def _laws(values: npt.NDArray[Any]) -> ChiSquares:
    """From eigenvalues in ascending order: the leading ones, and one term with the mean and variance of the others."""
    values = np.maximum(values, 0.0)
    leading, rest = values[:, -LEADING:], values[:, :-LEADING]
    if not rest.shape[1]:
        return ChiSquares.of(leading)
    total, squares = rest.sum(axis=1), np.sum(rest**2, axis=1)
    some = squares > 0
    weight = np.where(some, squares / np.where(some, total, 1.0), 0.0)
    degrees = np.where(some, total**2 / np.where(some, squares, 1.0), 1.0)
    return ChiSquares(np.column_stack([leading, weight]), np.column_stack([np.ones_like(leading), degrees]))


def _shapes(residuals: Array) -> list[Array]:
    """Polynomials of the ranks, each with mean square 1 for a uniform law; what differs by rounding alone is tied."""
    scale = np.abs(residuals).max(axis=0)
    u = 2 * (rankdata(np.round(residuals / np.where(scale > 0, scale, 1.0), DIGITS), axis=0) - 0.5) / len(residuals) - 1
    unit = np.eye(max(DEGREES) + 1)
    return [np.polynomial.legendre.legval(u, unit[degree]) * (2 * degree + 1) ** 0.5 for degree in DEGREES]


def _screen(Y: Array, ridge: _Ridge, sides: _Sides) -> tuple[Array, Array]:
    """P-values of all columns for some outcomes, and their standardised mean differences."""
    residuals, best = ridge.residuals(Y)
    mean_square = np.mean(residuals**2, axis=0)
    ratio = residuals**2 / np.where(mean_square > 0, mean_square, 1.0)
    spread = ridge.less_fitted(ratio / (1 + ratio), best)
    shapes = np.stack([ridge.less_fitted(shape, best) for shape in _shapes(residuals)], axis=2)
    single = [sides.pvalues(residuals), sides.pvalues(spread), sides.over_all_rows(shapes)[:, None]]
    effects = sides.a @ residuals / (sides.rows * np.where(mean_square > 0, mean_square, 1.0) ** 0.5)
    return np.concatenate(single, axis=1), effects
