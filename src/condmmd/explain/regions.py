"""Parts of the range of one covariate, and what differs there, in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from condmmd.data.on_screen import on_screen
from condmmd.explain.windows import span

__all__ = ["SURE", "Contrast", "Region", "RowRegion", "interval"]

# Standard errors on either side of an estimate that has 95 % confidence.
SURE = 1.96
# Categories that are named.
MAX_NAMED = 4


@dataclass(frozen=True, repr=False)
class RowRegion:
    """A range (or categories) of one covariate where the difference is outside the band.

    ``shift`` is the mean of one side less that of the other there, in the outcome's units, where there is one number
    (or one share) to compare; ``error`` is its standard error.
    """

    covariate: str
    low: float | None
    high: float | None
    categories: tuple[str, ...]
    n_obs: int | tuple[int, int]
    shift: float | None
    error: float | None

    @property
    def dates(self) -> bool:
        """Whether the ends of the range are days since 1970."""
        return False

    @property
    def condition(self) -> str:
        """The region in words."""
        name = self.covariate or "(no name)"
        if self.low is None or self.high is None:
            shown = " or ".join(self.categories[:MAX_NAMED])
            more = len(self.categories) - MAX_NAMED
            return f"{name} is {shown}" + (f" or one of {more} others" if more > 0 else "")
        return f"{name} {span(self.low, self.high, dates=self.dates)}"

    @property
    def rows(self) -> str:
        """How many rows there are, of each group if there are two."""
        return f"{self.n_obs} rows" if isinstance(self.n_obs, int) else f"{self.n_obs[0]} + {self.n_obs[1]} rows"

    @property
    def difference(self) -> str:
        """``shift`` with its 95 % interval; empty if there is none."""
        return "" if self.shift is None or self.error is None else interval(self.shift, self.error)

    def __repr__(self) -> str:
        told = self.difference and f": {self.difference}"
        return on_screen(f"{type(self).__name__}({self.condition}, {self.rows}{told})")

    def to_dict(self) -> dict[str, Any]:
        """In types that JSON has."""
        return {"condition": self.condition, **asdict(self)}


@dataclass(frozen=True, repr=False)
class Region(RowRegion):
    """The same of two samples: ``n_obs`` are the rows of P and of Q, and the ends of ``dates`` are days since 1970.

    ``shift`` is the mean of the outcome in P minus that in Q, given the covariates and weighted to where both groups
    are, where there is one numeric outcome.
    """

    n_obs: tuple[int, int]
    dates: bool = False


@dataclass(frozen=True)
class Contrast:
    """Two parts of the range of a covariate between which the difference changes most.

    Attributes
    ----------
    covariate
        Its name.
    measure
        What changes: the mean of an outcome, its spread, the share of a class.
    parts
        Each with its own difference in that measure (shares: as fractions of one).
    pvalue
        For the hypothesis that the difference does not vary along the covariate, over all covariates. The cut itself
        was chosen where the change is largest, so the two differences look further apart than they are.
    """

    covariate: str
    measure: str
    parts: tuple[Region, Region]
    pvalue: float

    def lines(self) -> list[str]:
        """The two parts, a line each."""
        return [
            f"{part.condition} ({part.rows}): {self.measure} {part.difference or 'cannot be said'}"
            for part in self.parts
        ]

    def to_dict(self) -> dict[str, Any]:
        """In types that JSON has."""
        parts = [part.to_dict() for part in self.parts]
        return {"covariate": self.covariate, "measure": self.measure, "parts": parts, "pvalue": self.pvalue}


def interval(shift: float, error: float) -> str:
    """A difference and its 95 % interval."""
    low, high = shift - SURE * error, shift + SURE * error
    return f"{shift:+.3g} ({low:+.3g} to {high:+.3g})"
