"""Averages of both groups after adjusting for X, with the part of every row in them: augmented inverse propensities.

With weights h(x) of the population, H unbiased for them, and a difference tau(x) of the groups::

    level of P = (sum H mu_P + sum t h / e (y - mu_P)) / sum H,      mu_P = mu_Q + tau(x)
    level of Q = (sum H mu_Q + sum (1 - t) h / (1 - e) (y - mu_Q)) / sum H,      mu_Q = m(x) - tau(x) S t

An error of the propensity does harm only together with one of the regression, in its product.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array
from condmmd.effects.adjusted import Adjusted, Smoothed
from condmmd.effects.varying import constant_effect, varying_effects
from condmmd.labels import Multipliers
from condmmd.regression.populations import PopulationName, check_population

__all__ = ["Levels", "Weights"]


@dataclass(frozen=True, eq=False)
class Levels:
    """Averages of some columns in P and in Q, and what every row (or block) adds to them: arrays of units x columns."""

    p: Array
    q: Array
    of_p: Array
    of_q: Array


@dataclass(frozen=True, eq=False)
class Weights:
    """What every row counts in the averages of a population.

    Attributes
    ----------
    name
        Of the population.
    counts
        Of the row itself, whatever its group.
    p, q
        Of the residuals of P and of Q.
    """

    name: PopulationName
    counts: Array
    p: Array
    q: Array
    multipliers: Multipliers
    blocks: npt.NDArray[np.int64] | None

    @classmethod
    def of(cls, name: PopulationName, adjusted: Adjusted) -> Weights:
        t, e = adjusted.t, adjusted.e
        check_population(name, e)
        if ((t - e) ** 2).sum() <= 0:
            raise ValueError("no row could be of either group, so nothing can be compared.")
        # Rows that are of one group for sure have the label that they have, so nothing is divided by 0.
        to_p, to_q = np.where(t == 1, e, 1.0), np.where(t == 0, 1 - e, 1.0)
        counts, p, q = {
            "overlap": ((t - e) ** 2, 1 - e, e),
            "p": (t, np.ones_like(e), e / to_q),
            "q": (1 - t, (1 - e) / to_p, np.ones_like(e)),
            "all": (np.ones_like(e), 1 / to_p, 1 / to_q),
        }[name]
        return cls(name, counts, t * p, (1 - t) * q, adjusted.draws.multipliers, adjusted.blocks)

    @property
    def effective_rows(self) -> tuple[float, float]:
        """Rows of equal weight that would say as much of each group; blocks count once."""
        found = []
        for own in (self.p, self.q):
            by_block = self.multipliers.by_unit(own[:, None])[:, 0]
            found.append(float(by_block.sum() ** 2 / max(float(by_block @ by_block), 1e-300)))
        return found[0], found[1]

    @property
    def degrees_of_freedom(self) -> float:
        """Of a variance to which rows, or blocks, add as their weights do."""
        variances = self.multipliers.by_unit((self.p + self.q)[:, None])[:, 0] ** 2
        return max(1.0, float(variances.sum() ** 2 / max(float(variances @ variances), 1e-300)) - 1.0)

    def levels(self, adjusted: Adjusted, columns: Smoothed) -> Levels:
        """Averages of columns in both groups."""
        t, e, left, s = adjusted.t, adjusted.e, columns.left, columns.labels_left[:, None]
        if self.name == "overlap":
            effects = np.broadcast_to(constant_effect(left, columns.labels_left, t - e), left.shape)
        else:
            effects = varying_effects(left, columns.labels_left, adjusted.main_effects, adjusted.blocks)
        u = left - effects * s
        mu_q = columns.values - effects * t[:, None] - u
        p, of_p = self._average(mu_q + effects, u, self.p)
        q, of_q = self._average(mu_q, u, self.q)
        return Levels(p, q, self.multipliers.by_unit(of_p), self.multipliers.by_unit(of_q))

    def _average(self, mu: Array, u: Array, own: Array) -> tuple[Array, Array]:
        """``sum H mu / sum H`` and the mean of the residuals of one group; and what each row adds."""
        H = self.counts / self.counts.sum()
        # Robinson's estimator has one total for both groups; elsewhere weights vary more, and each group has its own.
        share = own / (self.counts.sum() if self.name == "overlap" else own.sum())
        predicted, rest = H @ mu, share @ u
        alone = np.sqrt(np.maximum(1.0 - self._block_shares(own), 0.1))  # each row is judged by the mean of the others
        if self.name == "overlap":
            return predicted + rest, H[:, None] * (mu - predicted - rest) + (share / alone)[:, None] * u
        return predicted + rest, H[:, None] * (mu - predicted) + (share / alone)[:, None] * (u - rest)

    def _block_shares(self, own: Array) -> Array:
        total = max(float(own.sum()), 1e-300)
        if self.blocks is None:
            return own / total
        return np.asarray(np.bincount(self.blocks, weights=own)[self.blocks] / total)
