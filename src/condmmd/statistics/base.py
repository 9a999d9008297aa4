"""What a statistic is: fitted once to the rows, blind to their labels, then evaluated at many label vectors.

A new statistic is a frozen dataclass with the members of `Statistic`, in a file of its own; `ConditionalStatistic` has
all of them but `fit`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from condmmd.backend import Array, LabelBatch, Rows, Weights
from condmmd.data import Samples
from condmmd.embedding import Embedding
from condmmd.nuisance import Learned

__all__ = [
    "ConditionalFit", "Fitted", "Joining", "Need", "ResidualFit", "Statistic", "StatisticColumn",
    "centre_of", "residual_labels",
]  # fmt: skip

# What a statistic asks for beside the rows: covariates to condition on, the propensity inside the statistic itself, and
# residual labels, t - e, in place of labels: then random signs can stand for the chance that an estimated e leaves.
Need: TypeAlias = Literal["covariates", "propensity", "residual labels"]
Joining: TypeAlias = Literal["logarithms", "gamma"]


@dataclass(frozen=True)
class StatisticColumn:
    """What one column of a statistic is: in words, by its level, kernels and lambda, and what it counts.

    ``signed`` is one that is no sum of squares, but near normal by itself.
    """

    name: str
    level: float
    reg: str
    kernel_x: str
    kernel_y: str
    weight: float = 1.0
    signed: bool = False


class Fitted(Protocol):
    """A statistic with everything fixed but the labels."""

    @property
    def joining(self) -> Joining:
        """How its columns are made one: by standardised logarithms, where all have about as many degrees of freedom, or
        by the tail of a gamma law, which is fair to columns of any number of them."""  # noqa: D205, D209

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """What each column is."""

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every label vector: shape (B, columns)."""


@runtime_checkable
class ResidualFit(Fitted, Protocol):
    """A statistic of residual labels, which is called with these: labels less their ``centre``, or random signs."""

    @property
    def centre(self) -> Rows | None:
        """The mean of each row's label if nothing differs; None where its estimator is one of the labels themselves."""


def centre_of(fitted: Any) -> Rows | None:
    """What labels are taken less of before a statistic, or a contrast, is called with them; None: nothing."""
    return getattr(fitted, "centre", None)


def residual_labels(T: LabelBatch, centre: Rows | None) -> LabelBatch:
    """Labels less their means; without means, the labels."""
    return T if centre is None else T.reweighted(_less, centre)


def _less(T: Weights, centre: Rows) -> Weights:
    return T - centre


@runtime_checkable
class ConditionalFit(Fitted, Protocol):
    """One whose features can tell where the outcomes differ."""

    @property
    def covariates(self) -> Embedding:
        """Features of the covariates."""

    @property
    def outcomes(self) -> Embedding:
        """Features of the outcomes, as they were compared."""


@runtime_checkable
class Statistic(Protocol):
    """What is compared."""

    @property
    def name(self) -> str:
        """What the result calls it."""

    @property
    def remark(self) -> str:
        """What a result has to add to the assumption that it rests on; mostly nothing."""

    @property
    def needs_memory(self) -> bool:
        """Whether all rows must be in memory at once."""

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
