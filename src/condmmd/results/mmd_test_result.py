"""The result of a test of X, or of Y, alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from condmmd.backend import Array
from condmmd.data import Samples
from condmmd.inference import Run

__all__ = ["MMDTestResult"]


@dataclass(frozen=True, eq=False)
class MMDTestResult:
    """Has X the same distribution in both samples? Made by `mmd_test`; unpacks to ``(statistic, pvalue)``."""

    statistic: float
    pvalue: float
    null_distribution: Array = field(repr=False)
    n_obs: tuple[int, int]
    n_resamples: int
    scheme: str
    rng_state: int

    @classmethod
    def of(cls, run: Run, samples: Samples, seed: int) -> MMDTestResult:
        """From a run of the plan of such a test."""
        outcome, groups = run.outcome, samples.groups
        return cls(
            outcome.statistic, outcome.pvalue, outcome.null, (groups.n, groups.m), outcome.n_resamples, outcome.scheme,
            seed,
        )  # fmt: skip

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))
