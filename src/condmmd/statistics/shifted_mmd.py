"""Two samples whose densities are said to have a given ratio: MMD of the samples after each is weighted to the other.

With r(z) = q(z) / p(z) up to a constant, the label of a row at z is P with odds proportional to 1 / r(z), given the
sizes of the groups; e(z) is that probability. Weights ``1 - e`` on P and ``e`` on Q make the two alike, and are never
above 1, where those that divide by e or by 1 - e have no bound (Bordino and Berrett, 2025).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from condmmd.backend import Array, LabelBatch, Rows, Weights, map_rows, squared_norms, to_host
from condmmd.data import Samples
from condmmd.data.checks import check_embedding
from condmmd.embedding import Embedding, embed_outcomes
from condmmd.kernels import KernelLike, check_kernel, resolve_kernel
from condmmd.nuisance import Learned
from condmmd.regression.moments import cross_moments
from condmmd.statistics.base import Joining, Need, StatisticColumn
from condmmd.statistics.comparison import BATCH_NUMBERS, centred
from condmmd.statistics.conditional import ConditionalStatistic
from condmmd.statistics.products import Products

__all__ = ["FittedShiftedMMD", "ShiftedMMD"]

# What X and Y together count, where each alone counts 1: it sees all that a ratio may have wrong.
BOTH_COUNT = 2.0


@dataclass(frozen=True)
class ShiftedMMD(ConditionalStatistic):
    """What `ratio_test` compares: the two samples, each weighted to the other, in X, in Y and in both together.

    Parameters
    ----------
    kernel_x, kernel_y
        As in `CMMD`, one each, of columns; (X, Y) has their product.
    tol
        Share of each kernel's trace that its features may leave out.

    Examples
    --------
    >>> from condmmd.statistics import ShiftedMMD
    >>> ShiftedMMD().name
    'shifted MMD'
    """

    kernel_x: KernelLike = None
    kernel_y: KernelLike = None
    tol: float = 1e-6
    needs: ClassVar[frozenset[Need]] = frozenset({"covariates", "propensity", "residual labels"})

    def __post_init__(self) -> None:
        check_kernel(self.kernel_x, "kernel_x")
        check_kernel(self.kernel_y, "kernel_y")
        check_embedding(self.tol, None, "auto")

    @property
    def name(self) -> str:
        """What the result calls it."""
        return "shifted MMD"

    def embed_outcomes(self, samples: Samples) -> Embedding:
        """Features of the outcomes."""
        kernel = resolve_kernel(self.kernel_y, samples.y)
        return embed_outcomes(kernel, samples.y, tol=self.tol, max_rank=None)

    def fit(self, samples: Samples, learned: Learned) -> FittedShiftedMMD:
        """Features of X beside those of Y, and the probabilities of the labels."""
        e, _ = learned.law_of_labels("the shifted MMD")
        x = embed_outcomes(resolve_kernel(self.kernel_x, samples.x), samples.x, tol=self.tol, max_rank=None)
        return FittedShiftedMMD(x, learned.outcomes, e, (samples.groups.n, samples.groups.m))


@dataclass(frozen=True, eq=False)
class FittedShiftedMMD:
    """Features of both spaces, at every vector of residual labels."""

    covariates: Embedding
    outcomes: Embedding
    centre: Rows
    sizes: tuple[int, int]
    joining: ClassVar[Joining] = "gamma"

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """X, Y, and both together: which of them the ratio does not fit."""
        kernels = repr(self.covariates.kernel), repr(self.outcomes.kernel)
        words = (
            ("the distribution of X", 1.0),
            ("the distribution of Y", 1.0),
            ("the distribution of (X, Y)", BOTH_COUNT),
        )
        return tuple(StatisticColumn(name, 0.0, "none", *kernels, counts) for name, counts in words)

    def __call__(self, T: LabelBatch) -> Array:
        """``|sum_i a_i psi(z_i)|^2 / n^2``, the squared MMD of the two weighted samples."""
        one = map_rows(_one, self.centre, columns=1)
        x, y = centred(self.covariates).phi, centred(self.outcomes).phi
        pairs = ((one, x), (one, y), (self.covariates.phi, self.outcomes.phi))
        products = [Products(phi, rho, np.ones((1, phi.shape[1]))) for phi, rho in pairs]
        parts = [np.concatenate([own(some) for own in products], axis=1) for some in T.steps(self._at_once)]
        return np.concatenate(parts) / self.sizes[0] ** 2

    def unbiased(self, T: LabelBatch) -> Array:
        """The same of (X, Y) at labels, without the similarity of each row with itself; it may be negative."""
        n, m = self.sizes
        x, y = self.covariates.phi, self.outcomes.phi
        of_p, of_q = T.reweighted(_of_p, self.centre), T.reweighted(_of_q, self.centre)
        S_p, S_q = to_host(cross_moments(of_p, x, y)) / n, to_host(cross_moments(of_q, x, y)) / n
        own = map_rows(_squares, x, y, columns=1)
        one = map_rows(_one, self.centre, columns=1)
        own_p, own_q = (
            to_host(cross_moments(weights.reweighted(_squared), own, one))[:, 0, 0] for weights in (of_p, of_q)
        )
        within = (np.einsum("bjk,bjk->b", S, S) for S in (S_p, S_q))
        p, q = (
            (norm - itself / n**2) * count / (count - 1)
            for norm, itself, count in zip(within, (own_p, own_q), (n, m), strict=True)
        )
        return np.asarray(p + q - 2 * np.einsum("bjk,bjk->b", S_p, S_q))

    @property
    def effective_rows(self) -> tuple[float, float]:
        """Rows of equal weight that would say as much of each group, on average over null labels."""
        e = to_host(self.centre)
        w = e * (1 - e)
        return float(w.sum() ** 2 / (w * (1 - e)).sum()), float(w.sum() ** 2 / (w * e).sum())

    @property
    def _at_once(self) -> int:
        return max(1, BATCH_NUMBERS // (4 * self.covariates.rank * self.outcomes.rank))


def _one(e: Rows) -> Rows:
    return (0.0 * e + 1.0)[:, None]


def _squares(x: Rows, y: Rows) -> Rows:
    return (squared_norms(x) * squared_norms(y))[:, None]


def _of_p(T: Weights, e: Rows) -> Weights:
    return T * (1 - e)


def _of_q(T: Weights, e: Rows) -> Weights:
    return (1 - T) * e


def _squared(T: Weights) -> Weights:
    return T**2
