"""How null labels are drawn. Each scheme is exact under its assumption, and never sees the outcomes.

Every scheme gives a `LabelBatch`: whole numbers that say which group each row could have been in. Other nulls have
other numbers (signs of paired rows, one of several groups), and a scheme of their own beside these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    LabelBatch,
    Labels,
    Rows,
    made_labels,
    map_rows,
    n_rows,
    placed_labels,
    row_numbers,
    stacked,
    to_host,
    total,
)
from condmmd.labels import tables
from condmmd.labels.counters import independent_labels, keys_of, thresholds
from condmmd.labels.tables import ExactSampler, PartsSampler
from condmmd.regression.odds import log_odds

__all__ = ["Bernoulli", "ByBlock", "FixedSize", "Permutation", "Scheme", "Units"]

Units: TypeAlias = list[tuple[int, np.random.Generator]]  # how many label vectors, and where their randomness is from


class Scheme(Protocol):
    """A law of label vectors under the null hypothesis."""

    @property
    def name(self) -> str:
        """What the result calls it."""

    def draw(self, units: Units, t: Rows) -> LabelBatch:
        """Label vectors from several generators, one after another, where the rows of ``t`` are."""


@dataclass(frozen=True, eq=False)
class Permutation:
    """Labels shuffled (Algorithm 1), everywhere or within strata of equal covariates."""

    t: Rows
    strata: npt.NDArray[np.int64] | None = None

    @property
    def name(self) -> str:
        return "permutation" if self.strata is None else "permutation within strata"

    def draw(self, units: Units, t: Rows) -> LabelBatch:
        own = to_host(self.t).astype(np.int8)
        return placed_labels(np.concatenate([self._shuffled(own, size, rng) for size, rng in units]), t)

    def _shuffled(self, t: Labels, size: int, rng: np.random.Generator) -> Labels:
        if self.strata is None:
            return rng.permuted(np.repeat(t[None, :], size, axis=0), axis=1)
        by_stratum = np.argsort(self.strata, kind="stable")
        keys = rng.random((size, len(t))) + self.strata[by_stratum]
        labels = np.empty((size, len(t)), dtype=np.int8)
        shuffled = by_stratum[np.argsort(keys, axis=1)]  # keys keep each row inside its stratum
        np.put_along_axis(labels, shuffled, np.broadcast_to(t[by_stratum], labels.shape), axis=1)
        return labels


@dataclass(frozen=True, eq=False)
class Bernoulli:
    """Each label drawn from its propensity (Algorithm 2); the sizes of the groups vary."""

    e: Rows

    @property
    def name(self) -> str:
        return "bernoulli"

    def draw(self, units: Units, t: Rows) -> LabelBatch:
        return stacked([self._drawn(size, rng, t) for size, rng in units])

    def _drawn(self, size: int, rng: np.random.Generator, t: Rows) -> LabelBatch:
        if n_rows(self.e) <= tables.TABLE_ROWS:
            return placed_labels((rng.random((size, n_rows(self.e))) < to_host(self.e)).astype(np.int8), t)
        keys = keys_of(rng.integers(2**64, size=size, dtype=np.uint64))
        rows = row_numbers(self.e), map_rows(thresholds, self.e)
        return made_labels(partial(independent_labels, keys=keys), rows, size)


@dataclass(frozen=True, eq=False)
class FixedSize:
    """Labels drawn from their propensities, given the sizes of the groups."""

    sampler: ExactSampler | PartsSampler

    @classmethod
    def of(cls, e: Rows, t: Rows) -> FixedSize:
        """By tables, of many rows part by part; exact either way."""
        sampler = ExactSampler if n_rows(t) <= tables.TABLE_ROWS else PartsSampler
        return cls(sampler.of(to_host(log_odds(to_host(e))), round(float(total(t)))))

    @property
    def name(self) -> str:
        return "fixed-size"

    def draw(self, units: Units, t: Rows) -> LabelBatch:
        return placed_labels(self.sampler.draw_labels(units), t)


@dataclass(frozen=True, eq=False)
class ByBlock:
    """A scheme over blocks of rows (subjects, days) that share one label."""

    scheme: Scheme
    block_labels: npt.NDArray[np.float64]
    block_of_row: npt.NDArray[np.int64]

    @property
    def name(self) -> str:
        return f"{self.scheme.name} of blocks"

    def draw(self, units: Units, t: Rows) -> LabelBatch:
        by_block = to_host(self.scheme.draw(units, self.block_labels).held)
        return placed_labels(by_block[:, self.block_of_row], t)
