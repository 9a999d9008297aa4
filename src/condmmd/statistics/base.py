"""What a statistic is: fitted once to the rows, blind to their labels, then evaluated at many label vectors.

A new statistic is a frozen dataclass with the three members of `Statistic`, in a file of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from condmmd.backend import Array, LabelBatch
from condmmd.data import Samples
from condmmd.embedding import Embedding
from condmmd.nuisance import Learned

__all__ = ["ConditionalFit", "Fitted", "Need", "Statistic", "StatisticColumn"]

# What a statistic asks for beside the rows: covariates to condition on, and the propensity inside the statistic itself.
Need: TypeAlias = Literal["covariates", "propensity"]


@dataclass(frozen=True)
class StatisticColumn:
    """What one column of a statistic is: a level, with one kernel and lambda."""

    level: float
    reg: str
    kernel_x: str
    kernel_y: str


class Fitted(Protocol):
    """A statistic with everything fixed but the labels."""

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """What each column is."""

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every label vector: shape (B, columns)."""


class ConditionalFit(Fitted, Protocol):
    """One whose features can tell where the outcomes differ."""

    @property
    def covariates(self) -> Embedding:
        """Features of the covariates."""

    @property
    def outcomes(self) -> Embedding:
        """Features of the outcomes, as they were compared."""


class Statistic(Protocol):
    """What is compared."""

    @property
    def needs(self) -> frozenset[Need]:
        """What it asks for; checked once, before any work."""

    @property
    def precomputed(self) -> tuple[bool, bool]:
        """Whether X, and whether Y, is the Gram matrix of its rows."""

    def embed_outcomes(self, samples: Samples) -> Embedding:
        """Features of the outcomes."""

    def fit(self, samples: Samples, learned: Learned) -> Fitted:
        """Fix everything but the labels."""
