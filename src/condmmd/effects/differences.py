"""How far apart two conditional distributions are, as the squared length of a mean over rows, with its noise.

With ``tau = t - e`` and residuals rho of the outcomes' features, ``rho = tau delta(x) + noise``, where delta is the
difference of the two conditional mean embeddings. So along features phi of the covariates

    C = sum tau^2 phi phi^T / sum tau^2,    M = sum tau phi rho^T / sum tau^2,    D = (C + lam)^-1 M

is a regression of rho on ``tau phi``, right if either the propensity or the pooled regression is, and weighted to where
both groups are. Squared CMMD of level s is ``tr(D^T C^s D)``; level 1 without a ridge is the mean of ``|delta(x)|^2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.effects.noisy_norm import NoisyNorm, noisy_norms
from condmmd.explain import Evidence
from condmmd.inference import SignDraws
from condmmd.regression.odds import overlap

__all__ = ["Difference", "Rows", "directions", "leading_pairs", "squared_difference"]

# Draws of the noise.
DRAWS = 1999
# A row's own part in what is fitted to it is taken out up to here.
MOST_LEVERAGE = 0.95
# Eigenvalues below this share of the largest are rounding.
ROUNDING = 1e-10
# Directions of the noise that are followed one by one, and numbers held for them at most; the rest hardly varies.
PAIRS = 300
NUMBERS = 2**23
# Rows' worth of each group that must carry a direction of the covariates: of one that an edge row or two carry alone,
# neither the difference nor its noise can be known.
CARRIED = 12


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a test as a difference is measured on them.

    Attributes
    ----------
    tau
        Labels less their propensity; ``w`` is ``e (1 - e)``.
    phi
        Features of the covariates.
    rho
        Features of the outcomes less what X says of them.
    draws
        Random signs of the rows, whose law knows blocks and what was fitted to the labels.
    """

    tau: Array
    w: Array
    phi: Array
    rho: Array
    draws: SignDraws

    @classmethod
    def of(cls, evidence: Evidence) -> Rows:
        rho = to_host(evidence.y.phi)
        w, phi = np.asarray(overlap(evidence.e)), to_host(evidence.x.phi)
        draws = SignDraws(evidence.labels.multipliers, evidence.plan.settings.seed, DRAWS)
        return cls(evidence.a, w, phi, rho - rho.mean(axis=0), draws)

    @property
    def count(self) -> int:
        """Rows, or blocks of rows, that are independent."""
        own = self.draws.multipliers
        return len(self.tau) if own.of_row is None else own.count

    @property
    def mean_square(self) -> float:
        """The mean of k(x, x) where both groups are: the unit of lambda."""
        return float(np.average(np.sum(self.phi**2, axis=1), weights=self.w))

    def along_directions(self, count: int) -> Rows:
        """With the leading directions of the covariates in place of their features."""
        w = self.w  # the mean of tau^2 at x; that of tau^4 is w (1 - 3 w)
        return replace(self, phi=directions(self.phi, w, count, [w * (1 - 3 * w)]))


@dataclass(frozen=True)
class Difference:
    """A squared difference, and how far the outcomes vary within the groups, in the same units.

    Attributes
    ----------
    norm
        The squared difference.
    within
        The mean square of what is left of the outcomes by X and the difference, both groups alike.
    in_scale
        The squared difference with the noise of ``within`` among its own: for limits of their ratio.
    """

    norm: NoisyNorm
    within: float
    in_scale: NoisyNorm


def directions(phi: Array, weights: Array, count: int, squares: Sequence[Array]) -> Array:
    """A constant, then the leading principal directions, orthonormal under the weights: ``count`` columns at most.

    ``squares`` are, for each sum over rows in which a direction is to be known, the means of the squares of the rows'
    weights in it: a direction u is left out if ``sum weight u^2`` is known no better than from a dozen rows.
    """
    total = weights.sum()
    centred = phi - weights @ phi / total
    sigma, U = np.linalg.eigh((centred * weights[:, None]).T @ centred / total)
    sigma, U = sigma[::-1][: count - 1], U[:, ::-1][:, : count - 1]
    keep = sigma > 1e-8 * max(float(np.mean(phi**2)), 1e-300)
    u = centred @ U[:, keep] / np.sqrt(sigma[keep])
    variance = np.max([square @ u**4 for square in squares], axis=0) / total**2
    return np.column_stack([np.ones(len(phi)), u[:, variance * CARRIED <= 1]])


def leading_pairs(one: Array, other: Array, rows: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Which products of a column of one and a column of the other have the largest mean squares."""
    energy = np.outer(np.mean(one**2, axis=0), np.mean(other**2, axis=0))
    most = max(1, min(PAIRS, NUMBERS // rows))
    order = np.argsort(-energy.ravel(), kind="stable")[:most]
    first, second = np.unravel_index(order, energy.shape)
    return first.astype(np.int64), second.astype(np.int64)


def squared_difference(rows: Rows, level: float, lam: float) -> Difference:
    """``tr(D^T C^level D)`` with the ridge ``lam``, and what each row adds to its noise."""
    tau, total = rows.tau, float(rows.tau @ rows.tau)
    sigma, phi = _principal(rows.phi, tau**2)
    M = phi.T @ (tau[:, None] * rows.rho) / total
    D = M / (sigma + lam)[:, None]
    left = rows.rho - tau[:, None] * (phi @ D)
    leverage = tau**2 / total * (phi**2 @ (1 / (sigma + lam)))
    own = left / np.sqrt(1 - np.minimum(leverage, MOST_LEVERAGE))[:, None]
    gain = sigma**level / (sigma + lam) ** 2
    seen = float(gain @ np.sum(M**2, axis=1))

    towards = phi @ (gain[:, None] * M)  # what a row's outcomes are multiplied by in the squared difference
    held = lam * float(np.sum(gain[:, None] * M * D))  # what the ridge holds back of it
    along = (np.sum(own * towards, axis=1) - tau * held) / total
    drift = _drift(rows, sigma, phi, (level, lam), M) - 2 * tau * (np.sum(left * towards, axis=1) - tau * held) / total
    scores, rest = _scores(rows, phi * np.sqrt(gain), own, np.sqrt(gain)[:, None] * D * lam)
    unit = max(seen, 1e-300)
    scores = rows.draws.multipliers.root(np.column_stack([scores, along / unit**0.5]))

    share = np.abs(tau) / np.abs(tau).sum()  # of both groups alike, where both are
    squares, within = np.sum(left**2, axis=1), float(share @ np.sum(own**2, axis=1))
    scale = share * (squares - share @ squares) / max(within, 1e-300)
    moved = rows.draws.multipliers.by_unit(np.column_stack([drift / unit, drift / unit - scale]))
    followed = float(np.sum(scores[:, :-1] ** 2))
    noise = rows.draws(np.column_stack([scores, moved]))
    norm, in_scale = noisy_norms(seen, noise[:, :-3], noise[:, -3], noise[:, -2:], followed, rest * followed)
    return Difference(norm, within, in_scale)


def _principal(phi: Array, weights: Array) -> tuple[Array, Array]:
    """Eigenvalues of the weighted covariance, largest first, and the features in its eigenbasis."""
    sigma, U = np.linalg.eigh((phi * weights[:, None]).T @ phi / weights.sum())
    keep = np.flatnonzero(sigma > ROUNDING * max(float(sigma[-1]), 1e-300))[::-1]
    return sigma[keep], phi @ U[:, keep]


def _scores(rows: Rows, phi: Array, own: Array, held: Array) -> tuple[Array, float]:
    """What a row adds to M for each unit of tau, in the leading directions; the rest's noise as a multiple of theirs.

    ``held`` is what the ridge holds back of M, so that the mean of all is zero.
    """
    total = float(rows.tau @ rows.tau)
    V = np.linalg.eigh(own.T @ own)[1][:, ::-1]
    turned = own @ V
    j, k = leading_pairs(phi, turned, len(phi))
    scores = phi[:, j] * turned[:, k] / total
    whole = float(rows.tau**2 @ (np.sum(phi**2, axis=1) * np.sum(own**2, axis=1))) / total**2
    followed = float(rows.tau**2 @ np.sum(scores**2, axis=1))
    rest = max(0.0, whole / max(followed, 1e-300) - 1)
    return scores - rows.tau[:, None] * (held @ V)[j, k] / total, rest


def _drift(rows: Rows, sigma: Array, phi: Array, kind: tuple[float, float], M: Array) -> Array:
    """How each row moves ``tr(M^T f(C) M)``, to first order, through M and through C: its influence.

    The derivative of a function of a matrix has the divided differences of the function in the matrix's eigenbasis.
    """
    tau, total = rows.tau, float(rows.tau @ rows.tau)
    level, lam = kind
    gain = sigma**level / (sigma + lam) ** 2
    middle = 0.5 * (sigma[:, None] + sigma)
    slope = level * middle ** (level - 1) / (middle + lam) ** 2 - 2 * middle**level / (middle + lam) ** 3
    apart = sigma[:, None] - sigma
    far = np.abs(apart) > 1e-6 * middle
    divided = np.where(far, (gain[:, None] - gain) / np.where(far, apart, 1.0), slope)
    G = divided * (M @ M.T)
    by_mean = 2 * (
        tau * np.sum(rows.rho * (phi @ (gain[:, None] * M)), axis=1) - tau**2 * (gain @ np.sum(M**2, axis=1))
    )
    by_spread = tau**2 * (np.sum(phi @ G * phi, axis=1) - np.diag(G) @ sigma)
    return np.asarray((by_mean + by_spread) / total)
