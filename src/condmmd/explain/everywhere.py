"""Is it the same shift everywhere? The coarse question, which comes before any region.

If Y given X differs by one constant, ``r - delta (t - e)`` with the residuals r of the test knows nothing of the
labels, so null draws can be made with it held fixed. What is asked of it is whether labels and outcomes go together
along directions of the covariates that have no constant part where both groups are. For every draw the constant is
estimated anew and taken away, as it was for the observed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from condmmd.backend import Array, HeldLabels, to_host
from condmmd.explain.evidence import Evidence
from condmmd.explain.shifts import Means
from condmmd.inference.joining import join_by_gamma, pvalue
from condmmd.nuisance.scores import Scores, one_hot
from condmmd.regression.moments import cross_moments
from condmmd.regression.odds import overlap
from condmmd.statistics.family import bent_squares

__all__ = ["Constancy", "Everywhere"]

# The ridge on directions of the covariates, in units of the sum of their mean squares.
REG = 0.1
# Share of an outcome that the covariates must predict for their prediction to be a direction. That of a row leaves the
# row out, so where it is nothing but noise it is the row's own outcome with the sign turned.
PREDICTED = 0.1


@dataclass(frozen=True)
class Everywhere:
    """The difference over all rows, and whether it is the same everywhere.

    Attributes
    ----------
    shift, error
        Mean of the outcome in P minus that in Q, given the covariates and weighted to where both groups are, in the
        outcome's units, and its standard error; None unless there is one numeric outcome.
    n_obs
        Rows of P and Q.
    pvalue
        For the hypothesis that the difference is the same at all values of the covariates: of the mean and the spread
        of one numeric outcome, else of the features of the outcomes.
    """

    shift: float | None
    error: float | None
    n_obs: tuple[int, int]
    pvalue: float

    def __repr__(self) -> str:
        shift = "" if self.shift is None or self.error is None else f"shift={self.shift:.4g} +- {self.error:.2g}, "
        return f"Everywhere({shift}n_obs={self.n_obs}, pvalue={self.pvalue:.4g})"


class _Directions(NamedTuple):
    """Features with no constant part, in the eigenbasis of their overlap-weighted covariance, and what each counts."""

    phi: Array
    gains: Array


@dataclass(frozen=True, eq=False)
class Constancy:
    """How much a difference varies along the covariates, at any residual labels."""

    directions: tuple[_Directions, ...]
    views: tuple[Array, ...]

    @classmethod
    def of(cls, evidence: Evidence, means: Means | None) -> Constancy:
        """With the outcomes less the constant difference that the observed labels show."""
        a = evidence.a
        directions = _directions(evidence, means)
        if means is None:
            psi = to_host(evidence.y.phi)
            return cls(directions, (_less_constant(psi - psi.mean(axis=0), a),))
        own = _less_constant(means.residual[:, None] - means.residual.mean(), a)
        spread = evidence.residuals(to_host(bent_squares(own, np.mean(own**2, axis=0))))
        return cls(directions, (own, _less_constant(spread, a)))

    def __call__(self, R: Array) -> Array:
        """A column for each view of the outcomes along each set of directions, for every vector of residual labels."""
        both = R**2
        total = np.maximum(both.sum(axis=1), 1e-12)[:, None]
        found = []
        for values in self.views:
            constant = R @ values / total
            for phi, gains in self.directions:
                M = to_host(cross_moments(HeldLabels(R), phi, values)) - (both @ phi)[:, :, None] * constant[:, None]
                found.append(np.einsum("bjk,bjk->bj", M, M) @ gains)
        return np.stack(found, axis=1) if found else np.zeros((len(R), 1))  # of covariates that are constant

    def conclude(self, statistics: Array, evidence: Evidence, means: Means | None) -> Everywhere:
        """From the columns at the observed labels (first row) and at null labels."""
        groups = evidence.samples.groups
        shift, error = (None, None) if means is None else means.shift(np.arange(len(evidence.e)))
        if shift is not None and not np.isfinite([shift, error or 0.0]).all():
            shift = error = None
        joined = join_by_gamma(statistics)
        return Everywhere(shift, error, (groups.n, groups.m), pvalue(float(joined[0]), joined[1:], unit=1.0))


def _less_constant(values: Array, a: Array) -> Array:
    """Columns less the constant difference that these residual labels show in them."""
    return values - np.outer(a, a @ values / max(float(a @ a), 1e-12))


def _directions(evidence: Evidence, means: Means | None) -> tuple[_Directions, ...]:
    """Main effects, the kernel of the covariates, and what they predict of one numeric outcome."""
    x, weights = evidence.samples.x, to_host(overlap(evidence.e))
    values = to_host(x.values)
    found = [np.concatenate([Scores.of(x)(values), one_hot(values, x)], axis=1), to_host(evidence.x.phi)]
    outcome = evidence.outcome
    if means is not None and outcome is not None and means.residual.var() < (1 - PREDICTED) * outcome.var():
        found.append((outcome - means.residual)[:, None])
    return tuple(made for phi in found if (made := _principal(phi, weights)) is not None)


def _principal(phi: Array, weights: Array) -> _Directions | None:
    """None where there is nothing but a constant."""
    total = weights.sum()
    centred = phi - weights @ phi / total
    sigma, U = np.linalg.eigh((centred * weights[:, None]).T @ centred / total)
    if not len(sigma) or sigma[-1] <= 1e-20 * max(float(np.mean(phi**2)), 1e-300):
        return None
    keep = sigma > 1e-8 * sigma[-1]
    sigma = sigma[keep]
    return _Directions(centred @ U[:, keep], sigma / (sigma + REG * sigma.sum()) ** 2)
