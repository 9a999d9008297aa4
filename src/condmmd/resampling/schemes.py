"""How null labels are drawn. Each scheme is exact under its assumption, and never sees the outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from condmmd.resampling.fixed_size import TABLE_ROWS, ExactSampler, HalvingSampler
from condmmd.samples import Array, Labels

__all__ = ["Bernoulli", "FixedSize", "InBlocks", "Permutation", "Scheme"]


class Scheme(Protocol):
    """A law of label vectors under the null hypothesis."""

    @property
    def name(self) -> str:
        """What the result calls it."""

    def draw(self, size: int, rng: np.random.Generator) -> Labels:
        """``size`` label vectors, shape (size, N)."""


@dataclass(frozen=True, eq=False)
class Permutation:
    """Labels shuffled (Algorithm 1), everywhere or within strata of equal covariates."""

    t: Array
    strata: npt.NDArray[np.int64] | None = None

    @property
    def name(self) -> str:
        return "permutation" if self.strata is None else "permutation within strata"

    def draw(self, size: int, rng: np.random.Generator) -> Labels:
        if self.strata is None:
            return rng.permuted(np.repeat(self.t.astype(np.int8)[None, :], size, axis=0), axis=1)
        by_stratum = np.argsort(self.strata, kind="stable")
        keys = rng.random((size, len(self.t))) + self.strata[by_stratum]
        labels = np.empty((size, len(self.t)), dtype=np.int8)
        shuffled = by_stratum[np.argsort(keys, axis=1)]  # keys keep each row inside its stratum
        np.put_along_axis(labels, shuffled, np.broadcast_to(self.t[by_stratum].astype(np.int8), labels.shape), axis=1)
        return labels


@dataclass(frozen=True, eq=False)
class Bernoulli:
    """Each label drawn from its propensity (Algorithm 2); the sizes of the groups vary."""

    e: Array

    @property
    def name(self) -> str:
        return "bernoulli"

    def draw(self, size: int, rng: np.random.Generator) -> Labels:
        return (rng.random((size, len(self.e))) < self.e).astype(np.int8)


@dataclass(frozen=True, eq=False)
class FixedSize:
    """Labels drawn from their propensities, given the sizes of the groups."""

    sampler: ExactSampler | HalvingSampler

    @classmethod
    def of(cls, e: Array, t: Array) -> FixedSize:
        """Tables, or halves and then tables for many rows; exact either way."""
        sampler = ExactSampler if len(t) <= TABLE_ROWS else HalvingSampler
        return cls(sampler.of(np.log(e) - np.log1p(-e), int(t.sum())))

    @property
    def name(self) -> str:
        return "fixed-size"

    def draw(self, size: int, rng: np.random.Generator) -> Labels:
        return self.sampler.draw(size, rng)


@dataclass(frozen=True, eq=False)
class InBlocks:
    """A scheme over blocks of rows (subjects, days) that share one label."""

    scheme: Scheme
    block_of_row: npt.NDArray[np.int64]

    @property
    def name(self) -> str:
        return f"{self.scheme.name} of blocks"

    def draw(self, size: int, rng: np.random.Generator) -> Labels:
        return self.scheme.draw(size, rng)[:, self.block_of_row]
