"""Do labels and outcomes share a structure of X that neither model has learned? That is what makes a false alarm.

What the models miss adds ``sum_i a(x_i) b(x_i)`` to a difference, where a is what is left in the labels less their
propensity and b what is left in the residual outcomes. Rows in one cell of a partition of X have almost the same a and
b, so that products over *pairs* of rows of a cell,

    U = sum over cells of sum over i != j of tau_i r_j / (rows of the cell),

estimate it. A real difference is in the products of a row with itself, which do not take part. If the propensity is
right, U is centred whatever the outcomes are; if the regression is right, whatever the labels are: only where both are
wrong in the same place is it not. So it is compared with residual labels of random sign, and with residual outcomes of
random sign, and has to be larger than the largest of either over all partitions. No model is fitted: it takes a moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, cached_property, to_host
from condmmd.data import Table
from condmmd.labels import Multipliers
from condmmd.nuisance.scores import Scores

__all__ = ["Left", "Partition", "Predicted", "Shared", "partitions"]

Codes: TypeAlias = npt.NDArray[np.int64]

# Bins of a covariate in partitions by one, by two and by three of them; trees and smooth models see one or two edges at
# a time, and what they miss is a product.
BINS = {1: (2, 3, 4, 6, 10), 2: (2, 3, 4, 6), 3: (2, 3)}
# Covariates from which pairs and triples are made, at most, and rows that a cell has on average, at least.
MOST = {1: 60, 2: 14, 3: 9}
CELL_ROWS = 4
DRAWS = 199


@dataclass(frozen=True, eq=False)
class Partition:
    """Rows by cells of a few covariates."""

    covariates: tuple[int, ...]
    cells: Codes

    def others(self, values: Array, blocks: Codes | None = None) -> Array:
        """For each row the sum over the other rows of its cell (of other blocks) by the rows of the cell."""
        count = np.bincount(self.cells).astype(np.float64)
        own = values if blocks is None else _sums(_crossed([self.cells, blocks]), values)
        return (_sums(self.cells, values) - own) / count[self.cells, None]


def _sums(groups: Codes, values: Array) -> Array:
    return np.stack([np.bincount(groups, weights=column)[groups] for column in values.T], axis=1)


def partitions(x: Table) -> tuple[Partition, ...]:
    """By one, two and three covariates, and by the distance from the middle; blind to labels and outcomes."""
    values = to_host(x.values)
    known = {
        (j, bins): _bins(values[:, j], bins, category=x.columns[j].categories is not None)
        for j in range(len(x.columns))
        for bins in sorted({bins for counts in BINS.values() for bins in counts})
    }
    found: dict[bytes, Partition] = {}
    for size, counts in BINS.items():
        for chosen in combinations(range(min(len(x.columns), MOST[size])), size):
            for bins in counts:
                cells = _crossed([known[j, bins] for j in chosen])
                found.setdefault(cells.tobytes(), Partition(chosen, cells))
    if len(x.numeric) > 1:
        distance = np.sum(to_host(Scores.of(x)(values)) ** 2, axis=1)
        for bins in BINS[1]:
            cells = _bins(distance, bins, category=False)
            found.setdefault(cells.tobytes(), Partition(x.numeric, cells))
    return tuple(part for part in found.values() if 1 < part.cells.max() + 1 <= len(values) / CELL_ROWS)


def _bins(values: Array, bins: int, *, category: bool) -> Codes:
    """Categories as they are, numbers in bins of equally many rows."""
    if category:
        return np.unique(values, return_inverse=True)[1].reshape(-1)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    return np.searchsorted(edges, values, side="left")


def _crossed(parts: list[Codes]) -> Codes:
    cells = parts[0]
    for part in parts[1:]:
        cells = cells * (int(part.max()) + 1) + part
    return np.unique(cells, return_inverse=True)[1].reshape(-1)


@dataclass(frozen=True, eq=False)
class Left:
    """What is left in the labels and in the outcomes, at each row and on average over the others of its cell.

    Attributes
    ----------
    parts
        The partitions.
    tau, R
        Labels less their propensity; residuals, a column for each direction, in units in which ``tau @ R`` has a
        standard error of 1 and is not negative: what opposes a difference makes no false alarm.
    blocks
        Rows that share a label; None without.
    multipliers
        The law of the residual labels' signs.
    """

    parts: tuple[Partition, ...]
    tau: Array
    R: Array
    blocks: Codes | None
    multipliers: Multipliers

    @classmethod
    def of(
        cls,
        parts: tuple[Partition, ...],
        t: Array,
        e: Array,
        R: Array,
        blocks: Codes | None,
        multipliers: Multipliers,
    ) -> Left:
        tau, spread = t - e, np.sqrt(e * (1 - e) @ R**2)
        R = R[:, spread > 0] / spread[spread > 0]
        return cls(parts, tau, R * np.where(tau @ R < 0, -1.0, 1.0), blocks, multipliers)

    @cached_property
    def of_r(self) -> Array:
        """The residuals of the others, a column for each direction within each partition."""
        return np.concatenate([part.others(self.R, self.blocks) for part in self.parts], axis=1)

    @cached_property
    def of_tau(self) -> Array:
        """The labels of the others, a column for each partition."""
        return np.concatenate([part.others(self.tau[:, None], self.blocks) for part in self.parts], axis=1)

    def predicted_labels(self) -> Predicted:
        """How well the others of a cell predict what is left of a label."""
        return self._predicted(
            (self.tau[:, None] ** 2 - (self.tau[:, None] - self.of_tau) ** 2), float(self.tau @ self.tau)
        )

    def predicted_outcomes(self) -> Predicted:
        """How well the others of a cell predict the residuals, all directions together."""
        width = self.R.shape[1]
        gains = np.tile(self.R, len(self.parts)) ** 2 - (np.tile(self.R, len(self.parts)) - self.of_r) ** 2
        return self._predicted(gains.reshape(len(self.R), -1, width).sum(axis=2), float(np.sum(self.R**2)))

    def _predicted(self, gains: Array, total: float) -> Predicted:
        """The partition whose gain in squared error is the most significant."""
        if self.blocks is not None:
            gains = np.stack([np.bincount(self.blocks, weights=column) for column in gains.T], axis=1)
        gain = gains.sum(axis=0)
        error = np.sqrt(len(gains)) * gains.std(axis=0) + 1e-300
        best = int(np.argmax(gain / error))
        return Predicted(float(gain[best] / total), float(error[best] / total), self.parts[best].covariates)

    def shared(self) -> Shared:
        """The most significant product of what is left in the labels and in one direction of the residuals."""
        U, width = self.tau @ self.of_r, self.R.shape[1]
        own = self.multipliers.draw([(DRAWS, np.random.default_rng(0))], self.tau)
        of_labels = to_host(own.held) @ self.of_r
        units = np.arange(len(self.tau)) if self.blocks is None else self.blocks
        signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(DRAWS, int(units.max()) + 1))[:, units]
        of_signs = np.stack([(signs * r) @ self.of_tau for r in self.R.T], axis=2).reshape(DRAWS, -1)
        pvalues = np.maximum(_pvalues(U, of_labels), _pvalues(U, of_signs))
        best = int(np.lexsort((-U, pvalues))[0])
        part, direction = divmod(best, width)
        observed = float((self.tau @ self.R)[direction])
        return Shared(float(pvalues[best]), float(U[best]), observed, self.parts[part].covariates)


def _pvalues(observed: Array, drawn: Array) -> Array:
    """Of each column, by the largest of all columns in each draw, in units of their deviation."""
    scale = np.sqrt(np.mean(drawn**2, axis=0)) + 1e-300
    largest = np.sort((drawn / scale).max(axis=1))
    above = DRAWS - np.searchsorted(largest, observed / scale, side="left")
    return (1 + above) / (1 + DRAWS)


@dataclass(frozen=True)
class Predicted:
    """Share of the squares that cells of these covariates predict, row by row without the row itself; its error."""

    share: float
    error: float
    covariates: tuple[int, ...]


@dataclass(frozen=True)
class Shared:
    """What is left in labels and outcomes at once, where it is most significant.

    Attributes
    ----------
    pvalue
        For either model being right, over all partitions and directions.
    bias, observed
        What it adds to the difference, and the difference, both in standard errors of the difference.
    covariates
        Those whose cells show it.
    """

    pvalue: float
    bias: float
    observed: float
    covariates: tuple[int, ...]
