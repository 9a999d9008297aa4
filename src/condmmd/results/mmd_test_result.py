"""The result of a test of X, or of Y, alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from condmmd.backend import Array
from condmmd.data import Samples
from condmmd.inference import Run
from condmmd.results.tested import Unpacked

__all__ = ["MMDTestResult"]

# The level of significance by which the sentence speaks.
USUAL = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class MMDTestResult(Unpacked):
    """Has X the same distribution in both samples? Made by `mmd_test`; unpacks to ``(statistic, pvalue)``."""

    null_distribution: Array
    n_obs: tuple[int, int]
    n_resamples: int
    scheme: str
    rng_state: int
    labels: tuple[str, str] = ("P", "Q")
    space: str = "X"

    _shown: ClassVar[tuple[str, ...]] = ("n_obs", "n_resamples", "scheme", "rng_state")
    _more: ClassVar[str] = ""

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
