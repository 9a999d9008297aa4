"""A family of columns from coarse to fine, all linear in the same labels, so that each costs next to nothing.

A kernel over many columns sees every row alone and so misses the plainest difference there is, a constant shift. So the
outcomes are looked at as they are, by their spread and by their whole distribution; over all rows, along the main
effects of the covariates, along what they predict, and along their kernel at several levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, pairwise
from typing import ClassVar, Literal

import numpy as np

from condmmd.backend import (
    Array,
    LabelBatch,
    Rows,
    cached_property,
    map_rows,
    move_to,
    n_rows,
    namespace,
    sum_rows,
    take,
    to_host,
)
from condmmd.data import Samples, Table
from condmmd.embedding import Embedding
from condmmd.nuisance import Learned
from condmmd.nuisance.residuals import less_mean
from condmmd.nuisance.scores import Scores, one_hot
from condmmd.regression.odds import overlap, total_overlap
from condmmd.statistics.base import Joining, StatisticColumn
from condmmd.statistics.cmmd import CMMD
from condmmd.statistics.comparison import BATCH_NUMBERS, Estimator, centred
from condmmd.statistics.outcome_scale import OutcomeScale, listed, outcome_scale
from condmmd.statistics.overlap import Overlap
from condmmd.statistics.products import Products

__all__ = ["Family", "FittedFamily", "bent_squares"]

# Levels at which the kernel of the covariates meets the outcome itself, and its spread. Each further column costs the
# others some power, and columns of neighbouring levels say nearly the same.
MEAN_LEVELS = (0.0, 1.0, 2.0)
SPREAD_LEVELS = (0.0,)
# What the mean over all rows counts, where all else counts 1: it is asked for most, and as one of twelve it would lose
# one constant shift in seven that it finds by itself.
MEAN_COUNTS = 2.0
# The ridge on the main effects, in units of their mean square.
MAIN_REG = 0.1


@dataclass(frozen=True)
class Family(CMMD):
    """Differences of several kinds in one test: of mean, spread and distribution, over all rows and along X.

    Parameters as in `CMMD`; the estimator is `Overlap`. Each column has its own p-value in ``result.by_level``, in
    words, so that one sees what kind of difference it is.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import Family, cmmd_test
    >>> rng = np.random.default_rng(0)
    >>> x, group = rng.normal(size=(300, 4)), np.repeat([1, 0], 150)
    >>> result = cmmd_test(x, x[:, 0] + rng.normal(size=300) + 0.6 * group, group, statistic=Family(), rng=1)
    >>> min(result.by_level, key=lambda column: column.pvalue).name
    'the mean of y0, over all rows'
    """

    level: float | Sequence[float] | Literal["adaptive"] = (0.0, 1.0, 2.0)
    estimator: Estimator | str = field(default_factory=Overlap, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.kernels) > 1 or len(self.regs) > 1:
            raise ValueError("Family takes one `kernel_x` and one `reg`; its columns are several already.")

    def embed_outcomes(self, samples: Samples) -> Embedding:
        """The outcomes themselves, then the features of their kernel, side by side: all of it is residualised."""
        y = super().embed_outcomes(samples)
        if samples.gram_y is not None:
            return y
        itself = samples.y.once(outcome_scale)(samples.y.values)
        return replace(y, phi=map_rows(_beside, itself, y.phi, columns=itself.shape[1] + y.rank))

    def fit(self, samples: Samples, learned: Learned) -> FittedFamily:  # type: ignore[override]
        """Features of the covariates and of the outcomes, and which of their products are columns."""
        e, _ = learned.law_of_labels("the family")
        learned = replace(learned, outcomes=centred(learned.outcomes))
        scale = None if samples.gram_y is not None else samples.y.once(outcome_scale)
        width = 0 if scale is None else scale.width
        features = replace(learned.outcomes, phi=learned.outcomes.phi[:, width:])
        kernel = super().fit(samples, replace(learned, outcomes=features)).comparisons[0]
        lam = 0.0 if kernel.reg is None else kernel.reg.lam_p
        sides = [
            _Side("over all rows", map_rows(_ones, e, columns=1), np.ones(1), 0.0, (), (0.0,)),
            *_main_effects(samples, map_rows(overlap, e)),
            _Side(
                "along the covariates",
                kernel.x.phi,
                to_host(kernel.sigma),
                lam,
                tuple(self.levels),
                MEAN_LEVELS,
                SPREAD_LEVELS,
            ),
        ]
        outcomes = _outcomes(learned, samples.y, scale)
        return FittedFamily(tuple(sides), outcomes, e, str(kernel.reg), kernel.x, features)


@dataclass(frozen=True, eq=False)
class _Side:
    """Directions of the covariates: features in the eigenbasis of their overlap-weighted covariance, and a ridge.

    ``levels`` are those at which they meet the distribution of the outcomes, ``mean_levels`` the outcomes themselves,
    and ``spread_levels`` their spread (None: the same).
    """

    words: str
    phi: Rows
    sigma: Array
    lam: float
    levels: tuple[float, ...]
    mean_levels: tuple[float, ...]
    spread_levels: tuple[float, ...] | None = None

    def levels_with(self, view: _Outcome) -> tuple[float, ...]:
        """The levels at which these directions meet a view of the outcomes."""
        if view.kind == "distribution":
            return self.levels or (0.0,) * (len(self.sigma) == 1)
        if view.kind == "spread" and self.spread_levels is not None:
            return self.spread_levels
        return self.mean_levels


@dataclass(frozen=True, eq=False)
class _Outcome:
    """One way to look at the outcomes: words, and columns of residuals."""

    words: str
    values: Rows
    kind: Literal["itself", "spread", "distribution"]


@dataclass(frozen=True, eq=False)
class FittedFamily:
    """Products of directions of the covariates and views of the outcomes, at every vector of residual labels."""

    sides: tuple[_Side, ...]
    views: tuple[_Outcome, ...]
    centre: Rows
    reg: str
    covariates: Embedding
    outcomes: Embedding
    joining: ClassVar[Joining] = "gamma"

    @cached_property
    def _pairs(self) -> list[tuple[int, int, float]]:
        """Which side meets which view, at which level."""
        return [
            (v, s, level)
            for v, view in enumerate(self.views)
            for s, side in enumerate(self.sides)
            for level in map(float, side.levels_with(view))
        ]

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """A product each, in words."""
        found, kernels = [], (repr(self.covariates.kernel), repr(self.outcomes.kernel))
        for v, s, level in self._pairs:
            side = self.sides[s]
            several = len(side.mean_levels) > 1
            words = f"{self.views[v].words}, {side.words}" + (f" (level {level:g})" if several else "")
            counts = MEAN_COUNTS if s == 0 and self.views[v].kind == "itself" else 1.0
            found.append(StatisticColumn(words, level, self.reg, *kernels, counts))
        return tuple(found)

    @property
    def products(self) -> tuple[Products, ...]:
        """The sums of squares that the columns are."""
        found = []
        for (v, s), group in groupby(self._pairs, key=lambda pair: pair[:2]):
            weights = np.stack([self._weights(self.sides[s], level) for _, _, level in group])
            found.append(Products(self.sides[s].phi, self.views[v].values, weights))
        return tuple(found)

    def _weights(self, side: _Side, level: float) -> Array:
        """What the squared moments along each direction count at a level."""
        return np.asarray(side.sigma**level / (self._rows * (side.sigma + side.lam)) ** 2)

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every vector of residual labels."""
        at_once = max(1, BATCH_NUMBERS // (4 * self._whole.numbers))
        return np.concatenate([self._evaluate(some) for some in T.steps(at_once)])

    def _evaluate(self, T: LabelBatch) -> Array:
        M = to_host(self._whole.moments(T))
        of_side = np.cumsum([0, *(len(side.sigma) for side in self.sides)])
        of_view = np.cumsum([0, *(view.values.shape[1] for view in self.views)])
        blocks = [M[:, :, low:high] for low, high in pairwise(of_view)]
        energies = [
            np.einsum("bjk,bjk->bj", block, block) for block in blocks
        ]  # of every direction of X, with each view
        values = [
            energies[v][:, of_side[s] : of_side[s + 1]] @ self._weights(self.sides[s], level)
            for v, s, level in self._pairs
        ]
        return np.stack(values, axis=1)

    @cached_property
    def _rows(self) -> float:
        return total_overlap(self.centre)

    @cached_property
    def _whole(self) -> Products:
        """Every direction with every view: one product for all columns."""
        phi = _side_by_side([side.phi for side in self.sides])
        return Products(phi, _side_by_side([view.values for view in self.views]), np.ones((1, phi.shape[1])))


def _side_by_side(parts: list[Rows]) -> Rows:
    return map_rows(_beside, *parts, columns=sum(part.shape[1] for part in parts))


def _beside(*parts: Rows) -> Rows:
    joined: Rows = namespace(parts[0]).concat(list(parts), axis=1)
    return joined


def _ones(e: Rows) -> Rows:
    return (0.0 * e + 1.0)[:, None]


def _main_effects(samples: Samples, weights: Rows) -> list[_Side]:
    """Normal scores of the numbers and indicators of the categories; none where one column is all there is."""
    x = samples.x
    if samples.gram_x is not None or len(x.columns) < 2:
        return []
    scores = Scores.of(x)
    width = len(scores.columns) + one_hot(x.sample[:1], x).shape[1]
    phi = map_rows(partial(_effects, x=x.head(), scores=scores), x.values, columns=width)
    second, first, total = (to_host(part) for part in sum_rows(_moments, phi, weights))
    mean = first / total
    values, U = np.linalg.eigh(second / total - np.outer(mean, mean))
    keep = values > 1e-8 * values[-1]
    rotated = map_rows(partial(_centred, mean=mean, U=U[:, keep]), phi, columns=int(keep.sum()))
    return [
        _Side("along the covariates' main effects", rotated, values[keep], MAIN_REG * float(values.mean()), (), (1.0,))
    ]


def _effects(values: Rows, x: Table, scores: Scores) -> Rows:
    return _beside(scores(values), one_hot(values, x))


def _moments(phi: Rows, weights: Rows) -> tuple[Rows, Rows, Rows]:
    weighted = phi * weights[:, None]
    return weighted.T @ phi, namespace(phi).sum(weighted, axis=0), namespace(phi).sum(weights)


def _centred(phi: Rows, mean: Array, U: Array) -> Rows:
    rotated: Rows = (phi - move_to(mean, phi)) @ move_to(U, phi)
    return rotated


def _outcomes(learned: Learned, table: Table, scale: OutcomeScale | None) -> tuple[_Outcome, ...]:
    """The mean, the spread and the distribution of the outcomes, as columns of residuals."""
    residuals = learned.outcomes.phi
    if scale is None:
        return (_Outcome(f"the distribution of {table.argument}", residuals, "distribution"),)
    found = [_Outcome(words, residuals[:, columns], "itself") for words, columns in scale.views]
    numbers = scale.numbers
    if numbers:
        own = map_rows(partial(_columns_of, positions=numbers), residuals, columns=len(numbers))
        squares = sum_rows(_square_sums, own)
        spread = map_rows(partial(bent_squares, mean=to_host(squares) / n_rows(own)), own, columns=len(numbers))
        spread = less_mean((learned.anew or learned.further)(spread))
        found.append(_Outcome(f"the spread of {listed(scale.number_names)}", spread, "spread"))
    return (*found, _Outcome(f"the distribution of {listed(table.names)}", residuals[:, scale.width :], "distribution"))


def _columns_of(rows: Rows, positions: tuple[int, ...]) -> Rows:
    chosen: Rows = take(rows, positions, axis=1)
    return chosen


def _square_sums(rows: Rows) -> Rows:
    sums: Rows = namespace(rows).sum(rows**2, axis=0)
    return sums


def bent_squares(rows: Rows, mean: Array) -> Rows:
    """Squares in units of their mean, bent so that no single row dominates; 0 where there is no spread."""
    unit = move_to(np.where(mean > 0, mean, 1.0), rows)
    ratio = rows**2 / unit
    return ratio / (1 + ratio)
