"""Did the distribution of the outcomes change in a population, after adjusting for X? The doubly robust mean embedding.

Two groups may differ at some x and yet have the same outcomes over all of a population, where differences of either
sign cancel. What is compared here is ``sum_i h(x_i) (E_P[psi | x_i] - E_Q[psi | x_i]) / sum_i h(x_i)`` alone: the
doubly robust pseudo-outcomes of the paper with a kernel of X that is constant. In the literature it is a kernel
treatment effect (KTE), or the distributional effect on everybody (DATE) or on one of the groups (DETT).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    Weights,
    as_float,
    map_rows,
    move_to,
    n_rows,
    namespace,
    square_sums,
    sum_rows,
    take,
    to_host,
)
from condmmd.data import Samples
from condmmd.data.checks import check_choice
from condmmd.embedding import Embedding
from condmmd.kernels import KernelLike
from condmmd.nuisance import Learned
from condmmd.regression.moments import cross_moments
from condmmd.regression.odds import overlap, total_overlap
from condmmd.regression.populations import (
    POPULATIONS,
    PopulationName,
    check_population,
    effect_weights,
    residual_weights,
)
from condmmd.statistics.base import Joining, Need, StatisticColumn
from condmmd.statistics.cmmd import CMMD
from condmmd.statistics.comparison import BATCH_NUMBERS, Comparison, centred
from condmmd.statistics.conditional import ConditionalStatistic
from condmmd.statistics.family import bent_squares
from condmmd.statistics.outcome_scale import listed, outcome_scale
from condmmd.statistics.overlap import Overlap, OverlapContrast
from condmmd.statistics.products import Products, times

__all__ = ["FittedInterventional", "Interventional", "pseudo_outcomes"]


def pseudo_outcomes(t: Array, e: Array, psi: Array, models: tuple[Array, Array], population: PopulationName) -> Array:
    """What each row adds to the difference of the mean embeddings, N x q, by given models mu_P and mu_Q.

    ``c_i (t_i - e_i) [psi_i - (1 - e_i) mu_P - e_i mu_Q]`` for "overlap" and "all" (with DATE's c for the latter), and
    ``(t_i - e_i) / e_i [psi_i - mu_P]`` for "q", which is DETT's, and its mirror image for "p": with any of them an
    error of the propensity does harm only together with one of the models. The sum is divided by the population's
    weight: that of e (1 - e), or its rows.
    """
    e, t = e[:, None], t[:, None]
    mu_p, mu_q = models
    if population == "q":
        return np.asarray((t - e) / e * (psi - mu_p))
    if population == "p":
        return np.asarray((t - e) / (1 - e) * (psi - mu_q))
    c = 1.0 if population == "overlap" else 1 / (e * (1 - e))
    return np.asarray(c * (t - e) * (psi - (1 - e) * mu_p - e * mu_q))


@dataclass(frozen=True)
class Interventional(ConditionalStatistic):
    """The difference of the outcomes' distributions over a population, adjusted for X; what `interventional_test` asks.

    Three views of the outcomes are joined in one p-value: their mean, their spread in the population, and their whole
    distribution. Each is in units of its variance, estimated from the same label vector, so that the p-value is right
    in large samples where Y given X differs in ways that cancel, too. Rows of one group are compared with what models
    say of the other: the pooled regression of the test, which the residuals are of, and a regression of the difference
    on X, which is fitted anew for every label vector, without the row that it is for.

    Parameters
    ----------
    population
        "overlap", where both groups are (rows count by e (1 - e)); "all"; "p" or "q", covariates as in that group.
    kernel_x, kernel_y
        As in `CMMD`, one each: of the regression of the difference, and of the distribution.
    doubly_robust
        False leaves out the regression of the difference; with ``residualize=False`` what is left is inverse weights.

    Examples
    --------
    >>> from condmmd import Interventional
    >>> Interventional("all").name
    'interventional (all)'
    """

    population: PopulationName = "overlap"
    kernel_x: KernelLike = None
    kernel_y: KernelLike = None
    doubly_robust: bool = True
    needs: ClassVar[frozenset[Need]] = frozenset({"covariates", "propensity", "residual labels"})

    def __post_init__(self) -> None:
        check_choice(self.population, "population", POPULATIONS)
        if len(self._difference.kernels) > 1:
            raise ValueError("Interventional takes one `kernel_x`, for its regression of the difference on X.")
        if not isinstance(self.doubly_robust, bool):
            raise TypeError(f"`doubly_robust` must be True or False; got {self.doubly_robust!r}.")

    remark: ClassVar[str] = "; where Y given X differs in ways that cancel over the population, it is approximate"

    @property
    def name(self) -> str:
        """With its population."""
        return f"interventional ({self.population})"

    @property
    def precomputed(self) -> tuple[bool, bool]:  # type: ignore[override]
        """Whether X, and whether Y, is a Gram matrix."""
        return self._difference.precomputed

    @property
    def _difference(self) -> CMMD:
        """The regression of the difference on X, linear in the labels."""
        return CMMD(self.kernel_x, self.kernel_y, estimator=Overlap())

    def embed_outcomes(self, samples: Samples) -> Embedding:
        """The outcomes themselves, their squares, and the features of their kernel, side by side."""
        y = self._difference.embed_outcomes(samples)
        if samples.gram_y is not None:
            return y
        scale = samples.y.once(outcome_scale)
        parts = [scale(samples.y.values)]
        if scale.numbers:
            width = len(scale.numbers)
            own = map_rows(partial(_chosen, positions=scale.numbers), parts[0], columns=width)
            own = centred(replace(y, phi=own)).phi
            mean = to_host(sum_rows(square_sums, own)) / n_rows(own)
            parts.append(map_rows(partial(bent_squares, mean=mean), own, columns=width))
        parts.append(y.phi)
        return replace(y, phi=map_rows(_beside, *parts, columns=sum(part.shape[1] for part in parts)))

    def fit(self, samples: Samples, learned: Learned) -> FittedInterventional:
        """Weights of the population, and the regression of the difference."""
        e, _ = learned.law_of_labels("the interventional statistic")
        check_population(self.population, e)
        y = centred(learned.outcomes)
        views = _views(samples, y.rank)
        difference = self._difference.fit(samples, replace(learned, outcomes=y)).comparisons[0]
        c = map_rows(partial(_residual_column, population=self.population), e, columns=1)
        d = map_rows(partial(effect_weights, population=self.population), e) if self.doubly_robust else None
        contrast = Products(c, y.phi, np.ones((1, 1)))
        total = {"overlap": total_overlap(e), "all": n_rows(e), "p": samples.groups.n, "q": samples.groups.m}
        correction = None if d is None else _Correction.of(difference, d)
        outcomes = replace(y, phi=y.phi[:, views[-1][1]])
        return FittedInterventional(
            e, contrast, correction, views, outcomes, difference.x, float(total[self.population])
        )


def _views(samples: Samples, width: int) -> tuple[tuple[str, slice], ...]:
    """What is compared of the outcomes, in words, and its columns; their whole distribution is last."""
    if samples.gram_y is not None:
        return ((f"the distribution of {samples.y.argument}", slice(0, width)),)
    scale = samples.y.once(outcome_scale)
    numbers = len(scale.numbers)
    found = list(scale.views)
    if numbers:
        found.append((f"the spread of {listed(scale.number_names)}", slice(scale.width, scale.width + numbers)))
    return (*found, (f"the distribution of {listed(samples.y.names)}", slice(scale.width + numbers, width)))


def _residual_column(e: Rows, population: PopulationName) -> Rows:
    return residual_weights(e, population)[:, None]


def _chosen(rows: Rows, positions: tuple[int, ...]) -> Rows:
    chosen: Rows = take(rows, positions, axis=1)
    return chosen


def _beside(*parts: Rows) -> Rows:
    joined: Rows = namespace(parts[0]).concat(list(parts), axis=1)
    return joined


@dataclass(frozen=True, eq=False)
class _Correction:
    """``sum_i d_i tau_i phi_i^T D_(-i)``: predictions of the difference at each row, without that row.

    ``D = S sum_j tau_j phi_j psi_j^T`` is linear in the residual labels tau with a matrix S that knows none of them, so
    a prediction without the row is ``(phi_i^T D - tau_i h_i psi_i) / (1 - w_i h_i)`` with ``h_i = phi_i^T S phi_i``.

    Attributes
    ----------
    difference
        Products whose moments are ``sum_i tau_i phi_i psi_i^T``.
    weighted
        The same for ``sum_i d_i tau_i phi_i``, with ``d_i / (1 - w_i h_i)`` for d.
    shrinkage
        The diagonal of S.
    weights
        These d at each row.
    own
        ``d_i h_i`` at each row.
    """

    difference: Products
    weighted: Products
    shrinkage: Array
    weights: Rows
    own: Rows

    @classmethod
    def of(cls, compared: Comparison, d: Rows) -> _Correction:
        """From the regression of the difference, in whose coordinates S is diagonal."""
        contrast = compared.contrast
        if not isinstance(contrast, OverlapContrast):
            raise TypeError("the regression of the difference must be that of the overlap estimator.")
        products, phi = contrast.products, compared.x.phi
        leverage = map_rows(partial(_leverage, shrinkage=to_host(contrast.shrinkage)), phi)
        d = map_rows(_over_rest, d, leverage, contrast.centre)
        weighted = map_rows(times, phi, d, columns=phi.shape[1])
        one = map_rows(_one, d, columns=1)
        own = map_rows(_product, d, leverage, columns=1)
        return cls(products, replace(products, phi=weighted, rho=one), to_host(contrast.shrinkage), d, own)

    def models(self, T: LabelBatch) -> AnyArray:
        """D for every vector: shape (B, r, q)."""
        M = self.difference.moments(T)
        return M * move_to(self.shrinkage, M)[:, None]

    def __call__(self, T: LabelBatch, D: AnyArray) -> AnyArray:
        """Shape (B, q)."""
        own = cross_moments(T.reweighted(_squared), self.own, self.difference.rho)
        return namespace(D).sum(D * self.weighted.moments(T), axis=1) - own[:, 0, :]

    @property
    def rows(self) -> tuple[Rows, ...]:
        """What `_square_sums` needs of it."""
        return self.difference.phi, self.weights, self.own


def _one(d: Rows) -> Rows:
    return (0.0 * d + 1.0)[:, None]


def _leverage(phi: Rows, shrinkage: Array) -> Rows:
    return phi**2 @ move_to(shrinkage, phi)


def _over_rest(d: Rows, leverage: Rows, e: Rows) -> Rows:
    return d / (1 - overlap(e) * leverage)


def _product(d: Rows, leverage: Rows) -> Rows:
    return (d * leverage)[:, None]


def _squared(T: Weights) -> Weights:
    return T**2


def _square_sums(T: Weights, c: Rows, psi: Rows, *model: Rows, D: AnyArray | None) -> AnyArray:
    """Sums of squares of what each row adds to the difference, for every vector: shape (B, q)."""
    xp, sums = namespace(psi), []
    for b in range(T.shape[0]):
        tau = as_float(T[b, :])[:, None]
        added = c * psi
        if D is not None:
            phi, d, own = model
            added = added - d[:, None] * (phi @ move_to(D[b, ...], phi)) + own * tau * psi
        sums.append(xp.sum((tau * added) ** 2, axis=0))
    return xp.stack(sums)


@dataclass(frozen=True, eq=False)
class FittedInterventional:
    """Views of the difference over a population, at every vector of residual labels tau.

    Attributes
    ----------
    centre
        The mean of each row's label.
    contrast
        Products whose moments are ``sum_i c_i tau_i psi_i``: residuals of P less those of Q.
    correction
        What the regression of the difference adds; None without it.
    views
        Words, and the columns of each.
    outcomes, covariates
        Features of the outcomes' kernel, and of the regression of the difference.
    total
        The weight of all rows.
    """

    centre: Rows
    contrast: Products
    correction: _Correction | None
    views: tuple[tuple[str, slice], ...]
    outcomes: Embedding
    covariates: Embedding
    total: float
    joining: ClassVar[Joining] = "gamma"

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """A view each, in words."""
        kernels = "constant", repr(self.outcomes.kernel)
        return tuple(StatisticColumn(words, 0.0, "none", *kernels) for words, _ in self.views)

    def embeddings(self, T: LabelBatch) -> AnyArray:
        """The differences of the mean embeddings: shape (B, q)."""
        return self._sums(T)[0] / self.total

    def _sums(self, T: LabelBatch) -> tuple[AnyArray, AnyArray | None]:
        """Of what rows add to the difference; and the regression that this rests on."""
        G = self.contrast.moments(T)[:, 0, :]
        if self.correction is None:
            return G, None
        D = self.correction.models(T)
        return G - self.correction(T, D), D

    def __call__(self, T: LabelBatch) -> Array:
        """The squared norm of each view of the difference, over that of what the rows add to it."""
        parts, rows = [], () if self.correction is None else self.correction.rows
        for some in T.steps(self._at_once):
            G, D = self._sums(some)
            V = to_host(some.sum(partial(_square_sums, D=D), self.contrast.phi, self.contrast.rho, *rows))
            squares = to_host(G) ** 2
            found = [
                squares[:, columns].sum(axis=1) / np.maximum(V[:, columns].sum(axis=1), np.finfo(float).tiny)
                for _, columns in self.views
            ]
            parts.append(np.stack(found, axis=1))
        return np.concatenate(parts)

    @property
    def _at_once(self) -> int:
        r = 1 if self.correction is None else 1 + self.covariates.rank
        return max(1, BATCH_NUMBERS // (4 * r * self.contrast.rho.shape[1]))
