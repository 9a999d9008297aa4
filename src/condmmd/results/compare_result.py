"""The result of a comparison of candidates: which is nearest to the reference, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from condmmd.data.frames import frame_of
from condmmd.data.on_screen import on_screen

__all__ = ["Candidate", "CandidatePair", "CompareResult"]


@dataclass(frozen=True)
class Candidate:
    """One candidate: its squared distance to the reference with an interval, and the share that it explains.

    Attributes
    ----------
    name
        What the user called it.
    squared
        The mean of the squared difference of the two conditional mean embeddings, where all samples are, less what
        noise adds to it; it may be below zero.
    interval
        Its confidence interval.
    share
        The share of what X leaves of the outcomes that being of the candidate or of the reference explains.
    n_obs
        Its rows.
    """

    name: str
    squared: float
    interval: tuple[float, float]
    share: float
    n_obs: int


@dataclass(frozen=True)
class CandidatePair:
    """Two candidates: is one nearer?

    Attributes
    ----------
    nearer, farther
        Their names, by their estimates.
    difference
        Of their squared distances.
    pvalue
        For the hypothesis that they are equally far.
    adjusted
        The same over all pairs together: with all at most 0.05 said, the chance of any false one is at most 0.05.
    """

    nearer: str
    farther: str
    difference: float
    pvalue: float
    adjusted: float


@dataclass(frozen=True, eq=False, repr=False)
class CompareResult:
    """Which candidate is nearest to the reference, given X? Made by `compare`.

    Attributes
    ----------
    ranking
        The candidates, the nearest first.
    pairs
        Every two of them.
    n_reference
        Rows of the reference.
    confidence
        Of the intervals; and ``1 - confidence`` is the significance by which the summary speaks.
    overlap
        The share of the rows that the population in which all samples are is worth.
    kernels
        Of X and of Y, chosen on all rows together.
    assumption
        What it rests on.
    """

    ranking: tuple[Candidate, ...]
    pairs: tuple[CandidatePair, ...]
    n_reference: int
    confidence: float
    overlap: float
    kernels: tuple[str, str]
    assumption: str

    @property
    def nearest(self) -> str:
        """The candidate with the smallest estimate."""
        return self.ranking[0].name

    def pair(self, one: str, other: str) -> CandidatePair:
        """Two candidates by their names, in either order."""
        for found in self.pairs:
            if {found.nearer, found.farther} == {one, other}:
                return found
        raise KeyError(f"{one!r} and {other!r} are not two of {[candidate.name for candidate in self.ranking]}.")

    def sentence(self) -> str:
        """The verdict, in the user's names."""
        alpha = 1 - self.confidence + 1e-9
        not_shown = [p.farther for p in self.pairs if p.nearer == self.nearest and p.adjusted > alpha]
        if len(self.ranking) == 1 or not not_shown:
            rest = "" if len(self.ranking) == 1 else ", and nearer than every other"
            return f"{self.nearest} is the nearest to the reference{rest}."
        return (
            f"{self.nearest} has the smallest distance, but it is not shown to be nearer than {', '.join(not_shown)}."
        )

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        width = max(9, *(len(candidate.name) for candidate in self.ranking))
        lines = [
            self.sentence(),
            f"  {'candidate':<{width}}  rows    distance^2  {self.confidence:.0%} interval         share",
        ]
        lines += [
            f"  {c.name:<{width}}  {c.n_obs:<6}  {c.squared:<10.4g}  {c.interval[0]:.4g} to {c.interval[1]:<12.4g}  "
            f"{c.share:.1%}"
            for c in self.ranking
        ]
        if self.pairs:
            lines.append("  equally far?  p-value, and adjusted for the number of pairs")
        lines += [f"  {p.nearer} < {p.farther}: {p.pvalue:.3g}, {p.adjusted:.3g}" for p in self.pairs]
        lines.append(f"  reference of {self.n_reference} rows; common ground worth {self.overlap:.0%} of the rows")
        lines.append(f"  rests on {self.assumption}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        return {
            "ranking": [asdict(c) | {"interval": list(c.interval)} for c in self.ranking],
            "pairs": [asdict(pair) for pair in self.pairs],
            "n_reference": self.n_reference, "confidence": self.confidence, "overlap": self.overlap,
            "kernels": list(self.kernels), "assumption": self.assumption, "sentence": self.sentence(),
        }  # fmt: skip

    def to_frame(self) -> Any:
        """The ranking as a pandas data frame, a row for each candidate; needs pandas."""
        lines = [
            {"candidate": c.name, "squared": c.squared, "low": c.interval[0], "high": c.interval[1],
             "share": c.share, "rows": c.n_obs}
            for c in self.ranking
        ]  # fmt: skip
        return frame_of(lines, "to_dict()['ranking']")

    def __repr__(self) -> str:
        order = " < ".join(f"{c.name} ({c.squared:.3g})" for c in self.ranking)
        return on_screen(f"CompareResult({order}); .summary() says more")
