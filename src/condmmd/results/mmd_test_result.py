"""The result of a test of X, or of Y, alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from condmmd.backend import Array
from condmmd.data import Samples
from condmmd.data.on_screen import on_screen
from condmmd.inference import Run

__all__ = ["MMDTestResult"]

# The level of significance by which the sentence speaks.
USUAL = 0.05


@dataclass(frozen=True, eq=False)
class MMDTestResult:
    """Has X the same distribution in both samples? Made by `mmd_test`; unpacks to ``(statistic, pvalue)``."""

    statistic: float
    pvalue: float
    null_distribution: Array
    n_obs: tuple[int, int]
    n_resamples: int
    scheme: str
    rng_state: int
    labels: tuple[str, str] = ("P", "Q")
    space: str = "X"

    @classmethod
    def of(cls, run: Run, samples: Samples, seed: int) -> MMDTestResult:
        """From a run of the plan of such a test."""
        outcome, groups = run.outcome, samples.groups
        return cls(
            outcome.statistic, outcome.pvalue, outcome.null, (groups.n, groups.m), outcome.n_resamples, outcome.scheme,
            seed, (groups.p_label, groups.q_label), samples.spaces[1],
        )  # fmt: skip

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        start = "The" if self.pvalue <= USUAL else "No evidence that the"
        p, q = self.labels
        return f"{start} distribution of {self.space} differs between {p} and {q} (p = {self.pvalue:.3g})."

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def __repr__(self) -> str:
        return on_screen(
            f"MMDTestResult(statistic={self.statistic:.4g}, pvalue={self.pvalue:.4g}, n_obs={self.n_obs}, "
            f"n_resamples={self.n_resamples}, scheme='{self.scheme}', rng_state={self.rng_state})"
        )
