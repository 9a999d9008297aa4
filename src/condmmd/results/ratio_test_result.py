"""The result of a test of a hypothesised ratio of densities."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from condmmd.backend import Array
from condmmd.inference import LevelResult
from condmmd.results.tested import Unpacked
from condmmd.results.text import column_lines

__all__ = ["RatioTestResult"]


@dataclass(frozen=True, eq=False, repr=False)
class RatioTestResult(Unpacked):
    """Is the density of Q the given ratio times that of P? Made by `ratio_test`; unpacks to ``(statistic, pvalue)``.

    Attributes
    ----------
    statistic, pvalue
        Of X, Y and both together, joined. The p-value is exact if the ratio is the true one.
    by_level
        Each of them with its own statistic and p-value: where the ratio does not fit.
    mmd
        The squared MMD of (X, Y) between the two weighted samples, without bias: about 0 if the ratio is right.
    null_distribution
        The statistic at each null label vector.
    n_obs, labels
        Rows of P and of Q, and what the user called them.
    effective_rows
        Rows of equal weight that would say as much of P and of Q.
    ratio_range
        The largest ratio over the smallest.
    n_resamples, scheme, significance, rng_state
        As in `CMMDTestResult`.
    call
        Code that repeats the run.
    spaces
        The covariates and the outcomes in the user's names.
    """

    by_level: tuple[LevelResult, ...]
    mmd: float
    null_distribution: Array
    n_obs: tuple[int, int]
    labels: tuple[str, str]
    effective_rows: tuple[float, float]
    ratio_range: float
    n_resamples: int
    scheme: str
    significance: float
    rng_state: int
    call: str
    spaces: tuple[str, str]

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        (p, q), (x, y) = self.labels, self.spaces
        against = "The given ratio is not" if self.pvalue <= self.significance else "No evidence against this ratio as"
        return f"{against} that of the densities of ({x}, {y}) in {q} and in {p} (p = {self.pvalue:.3g})."

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        (n, m), (p, q), (x, y) = self.n_obs, self.labels, self.spaces
        lines = [
            f"Is the density of ({x}, {y}) in {q} ({m} rows) the given ratio times that in {p} ({n} rows)?",
            f"  p-value     {self.pvalue:.4g}",
            *column_lines(self.by_level, [row.name for row in self.by_level]),
            f"  distance    {self.mmd:.4g}, squared MMD of (X, Y) between the weighted samples, without bias",
            "  rests on    nothing beyond independent rows: if the ratio is the true one, the p-value is exact",
            f"  labels      {self.scheme}, {self.n_resamples} label vectors",
            f"  ratio       the largest is {self.ratio_range:.3g} times the smallest",
            f"              {self.effective_rows[0]:.0f} + {self.effective_rows[1]:.0f} rows count",
            f"  repeat with rng={self.rng_state}",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        return asdict(self) | {
            "null_distribution": np.asarray(self.null_distribution).tolist(),
            "by_level": [asdict(row) for row in self.by_level],
            **{name: dict(zip("PQ", getattr(self, name), strict=True)) for name in ("n_obs", "labels")},
            "effective_rows": list(self.effective_rows), "spaces": list(self.spaces),
        }  # fmt: skip
