"""The result of a screening: one p-value for each of many outcomes, and which of them stand out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array
from condmmd.data.frames import frame_of

__all__ = ["ScreenResult"]

# Outcomes that a summary names.
SHOWN = 10


@dataclass(frozen=True, eq=False)
class ScreenResult:
    """Which of many outcomes, given X, differ between the two samples? Made by `screen`.

    Attributes
    ----------
    names
        The outcomes, in the order of the columns of Y.
    pvalues
        For each that its distribution given X is the same in both; 1 for a constant one.
    adjusted
        The same adjusted for their number (Benjamini and Hochberg): among the outcomes with at most q, the expected
        share of false ones is at most about q.
    effects
        The mean of P less that of Q given X, where both groups are, in units of the residuals' standard deviation.
    kinds
        What speaks loudest against the null in each: "mean", "spread" or "distribution".
    n_obs, labels
        Rows of P and of Q, and what the user called them.
    significance
        The share of false discoveries by which the summary speaks.
    assumption
        What the validity of the p-values rests on.
    propensity_summary
        Source, model, range and effective sample size.
    covariates
        X in the user's names.
    """

    names: tuple[str, ...]
    pvalues: Array
    adjusted: Array
    effects: Array
    kinds: tuple[str, ...]
    n_obs: tuple[int, int]
    labels: tuple[str, str]
    significance: float
    assumption: str
    propensity_summary: dict[str, Any]
    covariates: str = "X"

    @property
    def found(self) -> tuple[str, ...]:
        """Outcomes whose adjusted p-value is at most ``significance``, the smallest first."""
        return tuple(self.names[j] for j in self._order if self.adjusted[j] <= self.significance)

    @property
    def _order(self) -> npt.NDArray[np.int64]:
        return np.argsort(self.pvalues, kind="stable")

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        (n, m), (p, q) = self.n_obs, self.labels
        shown = self._order[:SHOWN]
        width = max(7, *(len(self.names[j]) for j in shown))
        lines = [
            f"Which of {len(self.names)} outcomes differ between {p} ({n} rows) and {q} ({m} rows)?",
            f"  given       {self.covariates}",
            f"  found       {len(self.found)}, with a false discovery rate of {self.significance:g}",
            f"  rests on    {self.assumption}",
            f"  propensity  {self.propensity_summary['model']}",
            f"  {'outcome':<{width}}  p-value    adjusted   effect   kind",
        ]
        lines += [
            f"  {self.names[j]:<{width}}  {self.pvalues[j]:<9.3g}  {self.adjusted[j]:<9.3g}  {self.effects[j]:+.2f}    "
            f"{self.kinds[j]}"
            for j in shown
        ]
        if len(self.names) > len(shown):
            lines.append(f"  ... and {len(self.names) - len(shown)} more")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain = asdict(self)
        for name in ("pvalues", "adjusted", "effects"):
            plain[name] = plain[name].tolist()
        for name in ("names", "kinds"):
            plain[name] = list(plain[name])
        plain["n_obs"] = {"P": self.n_obs[0], "Q": self.n_obs[1]}
        plain["labels"] = {"P": self.labels[0], "Q": self.labels[1]}
        return plain

    def to_frame(self) -> Any:
        """A line for each outcome, the smallest p-value first, as a pandas data frame; needs pandas."""
        lines = [
            {"outcome": self.names[j], "pvalue": float(self.pvalues[j]), "adjusted": float(self.adjusted[j]),
             "effect": float(self.effects[j]), "kind": self.kinds[j]}
            for j in self._order
        ]  # fmt: skip
        return frame_of(lines, "to_dict()")

    def __repr__(self) -> str:
        return f"ScreenResult({len(self.names)} outcomes, {len(self.found)} found); .summary() says more"
