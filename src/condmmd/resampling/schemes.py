"""How null labels are drawn. Each scheme is exact under its assumption, and never sees the outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from condmmd.arrays import Rows, is_lazy, map_rows, n_rows, namespace, row_numbers, to_host, total
from condmmd.resampling import tables
from condmmd.resampling.counters import keys_of, thresholds
from condmmd.resampling.drawn import Drawn
from condmmd.resampling.halving import HalvingSampler, independent_labels
from condmmd.resampling.tables import ExactSampler
from condmmd.samples import Labels
from condmmd.threads import cached_property

__all__ = ["Bernoulli", "FixedSize", "InBlocks", "Permutation", "Scheme", "draw_together", "log_odds"]


class Scheme(Protocol):
    """A law of label vectors under the null hypothesis."""

    @property
    def name(self) -> str:
        """What the result calls it."""

    def draw(self, size: int, rng: np.random.Generator) -> Labels | Drawn:
        """``size`` label vectors, shape (size, N); of a few rows drawn in NumPy, of many where the rows are."""


def draw_together(scheme: Scheme, units: list[tuple[int, np.random.Generator]]) -> list[Labels | Drawn]:
    """Label vectors from several generators: at once where there are many rows."""
    many = getattr(scheme, "many", None)
    if many is not None:
        return [many.draw_units(units)]
    return [scheme.draw(size, rng) for size, rng in units]


@dataclass(frozen=True, eq=False)
class Permutation:
    """Labels shuffled (Algorithm 1), everywhere or within strata of equal covariates."""

    t: Rows
    strata: npt.NDArray[np.int64] | None = None

    @property
    def name(self) -> str:
        return "permutation" if self.strata is None else "permutation within strata"

    def draw(self, size: int, rng: np.random.Generator) -> Labels | Drawn:
        if self.many is not None:
            return self.many.draw(size, rng)
        t = to_host(self.t).astype(np.int8)
        if self.strata is None:
            return rng.permuted(np.repeat(t[None, :], size, axis=0), axis=1)
        by_stratum = np.argsort(self.strata, kind="stable")
        keys = rng.random((size, len(t))) + self.strata[by_stratum]
        labels = np.empty((size, len(t)), dtype=np.int8)
        shuffled = by_stratum[np.argsort(keys, axis=1)]  # keys keep each row inside its stratum
        np.put_along_axis(labels, shuffled, np.broadcast_to(t[by_stratum], labels.shape), axis=1)
        return labels

    @cached_property
    def many(self) -> HalvingSampler | None:
        """Shuffling is drawing with equal odds, given the sum; which many rows do faster."""
        if self.strata is not None or n_rows(self.t) <= tables.TABLE_ROWS:
            return None
        return HalvingSampler.of(map_rows(_zeros, self.t), _total(self.t))


@dataclass(frozen=True, eq=False)
class Bernoulli:
    """Each label drawn from its propensity (Algorithm 2); the sizes of the groups vary."""

    e: Rows

    @property
    def name(self) -> str:
        return "bernoulli"

    def draw(self, size: int, rng: np.random.Generator) -> Labels | Drawn:
        if n_rows(self.e) <= tables.TABLE_ROWS:
            return (rng.random((size, n_rows(self.e))) < to_host(self.e)).astype(np.int8)
        keys = keys_of(rng.integers(2**64, size=size, dtype=np.uint64), 0)
        rows = row_numbers(self.e), map_rows(thresholds, self.e)
        drawn = Drawn(rows, partial(independent_labels, keys=keys), size)
        return drawn if is_lazy(self.e) else drawn.make(*rows)


@dataclass(frozen=True, eq=False)
class FixedSize:
    """Labels drawn from their propensities, given the sizes of the groups."""

    sampler: ExactSampler | HalvingSampler

    @classmethod
    def of(cls, e: Rows, t: Rows) -> FixedSize:
        """Tables, or halves and then tables for many rows; exact either way."""
        n = _total(t)
        if n_rows(t) <= tables.TABLE_ROWS:
            return cls(ExactSampler.of(log_odds(to_host(e)), n))
        return cls(HalvingSampler.of(map_rows(log_odds, e), n))

    @property
    def name(self) -> str:
        return "fixed-size"

    def draw(self, size: int, rng: np.random.Generator) -> Labels | Drawn:
        return self.sampler.draw(size, rng)

    @property
    def many(self) -> HalvingSampler | None:
        return self.sampler if isinstance(self.sampler, HalvingSampler) else None


def _zeros(rows: Rows) -> Rows:
    return namespace(rows).zeros_like(rows)


def log_odds(e: Rows) -> Rows:
    """The logarithm of e / (1 - e)."""
    xp = namespace(e)
    return xp.log(e) - xp.log1p(-e)


def _total(t: Rows) -> int:
    return round(float(total(t)))


@dataclass(frozen=True, eq=False)
class InBlocks:
    """A scheme over blocks of rows (subjects, days) that share one label."""

    scheme: Scheme
    block_of_row: npt.NDArray[np.int64]

    @property
    def name(self) -> str:
        return f"{self.scheme.name} of blocks"

    def draw(self, size: int, rng: np.random.Generator) -> Labels:
        labels = self.scheme.draw(size, rng)
        if isinstance(labels, Drawn):
            raise TypeError("`blocks` needs rows in memory.")
        return labels[:, self.block_of_row]
