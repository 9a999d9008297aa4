"""The difference along one covariate: its size in windows, in one band over all covariates, and the runs outside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array
from condmmd.data.on_screen import on_screen
from condmmd.explain.regions import Region, RowRegion
from condmmd.explain.windows import Windows
from condmmd.inference.joining import critical_value, largest_pvalues, standard_scores

__all__ = ["ROUNDING", "Marks", "Profile", "RowProfile", "along", "of_each"]

ROUNDING = 1e-9
# Fields that are not in a dictionary: regions are told by themselves, and vectors of features are for the map.
NOT_TOLD = frozenset({"regions", "difference"})


@dataclass(frozen=True, eq=False, repr=False)
class RowProfile:
    """The difference along one covariate, the others as they are in the data.

    Attributes
    ----------
    covariate
        Its name.
    categories
        Names of the windows of a categorical covariate; empty for a numeric one.
    low, high
        Range of the covariate in each bin.
    size
        Norm of the difference of the outcomes' features in the window around each bin.
    band
        The size above which it is outside the simultaneous band.
    z
        ``size^(2/3)`` studentised by the draws, observed and null.
    outside
        The bins outside the band.
    pvalues
        Simultaneous: over the windows of all covariates (and the points of the witness, where there is one).
    shift, error
        As in `RowRegion`, in the window around each bin; None unless there is one number to compare. NaN in a window
        without rows of both groups.
    n_obs
        Rows in each bin; of two samples those of P and of Q.
    regions
        Runs of bins outside the band.
    """

    covariate: str
    categories: tuple[str, ...]
    low: Array
    high: Array
    size: Array
    band: Array
    z: Array
    outside: npt.NDArray[np.bool_]
    pvalues: Array
    shift: Array | None
    error: Array | None
    n_obs: npt.NDArray[np.int64]
    regions: tuple[Any, ...]

    @property
    def middle(self) -> Array:
        """The middle of each bin's range."""
        return (self.low + self.high) / 2

    @property
    def _told(self) -> str:
        return f"{self.covariate or '(no name)'}: {len(self.low)} windows, {int(self.outside.sum())} outside"

    def __repr__(self) -> str:
        return on_screen(f"RowProfile({self._told})")

    def to_dict(self) -> dict[str, Any]:
        """In types that JSON has."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__ if name not in NOT_TOLD}


@dataclass(frozen=True, eq=False, repr=False)
class Profile(RowProfile):
    """The same of two samples, with how much the difference varies along the covariate.

    Attributes
    ----------
    variation, variation_pvalue
        How much the difference (of mean and spread, where there is one numeric outcome) varies from bin to bin,
        studentised, and its p-value over all covariates. Approximate, from random signs of the rows' deviations.
    difference
        Of the outcomes' features, in each window.
    dates
        Whether the covariate is one: its numbers are days since 1970.
    at_least
        What ``size`` is at least in the population: a bound that holds for all windows and points at once with a
        confidence of one less ``significance``, whether or not anything differs. Approximate, by the multiplier
        bootstrap; 0 where the size may be due to chance.
    """

    regions: tuple[Region, ...]
    variation: float
    variation_pvalue: float
    difference: Array
    dates: bool = False
    at_least: Array = field(default_factory=lambda: np.empty(0))

    def __repr__(self) -> str:
        return on_screen(f"Profile({self._told} the band, variation p = {self.variation_pvalue:.3g})")

    @property
    def share_outside(self) -> float:
        """Share of the rows in bins outside the band."""
        rows = self.n_obs.sum(axis=1)
        return float(rows[self.outside].sum() / rows.sum())


class Marks(NamedTuple):
    """Sizes of the difference at some places, and what is outside of the band that is simultaneous over all of them."""

    size: Array
    band: Array
    z: Array
    outside: npt.NDArray[np.bool_]
    pvalues: Array

    @classmethod
    def of(cls, size: Array, scores: Array, significance: float) -> Marks:
        """From the observed sizes, and ``size^(2/3)``, which is near normal, of these and of null draws."""
        z, mean, deviation = standard_scores(scores)
        pvalues, outside_of = largest_pvalues(z), critical_value(z, significance)
        band = np.maximum(mean + outside_of * deviation, 0.0) ** 1.5
        return cls(size, band, z[0], pvalues <= significance + ROUNDING, pvalues)

    def at(self, here: slice) -> Marks:
        """Some of the places."""
        return Marks(self.size[here], self.band[here], self.z[here], self.outside[here], self.pvalues[here])


def of_each(windows: Sequence[Windows]) -> Iterator[slice]:
    """Where the windows of each covariate stand among those of all."""
    start = 0
    for own in windows:
        yield slice(start, start + own.count)
        start += own.count


def along(
    windows: Windows,
    marks: Marks,
    n_obs: npt.NDArray[np.int64],
    shift: Callable[[Array], tuple[float, float]] | None,
    region: Callable[..., RowRegion],
) -> dict[str, Any]:
    """The fields of a `RowProfile`; ``shift`` gives the mean difference and its error for weights of the rows."""
    shifts = (None, None) if shift is None else np.array([shift(own[windows.of_row]) for own in windows.join]).T
    marked = np.flatnonzero(marks.outside)
    runs = [marked] if windows.categories else np.split(marked, np.flatnonzero(np.diff(marked) > 1) + 1)

    def told(bins: npt.NDArray[np.int64]) -> RowRegion:
        count = n_obs[bins].sum(axis=0).tolist()
        found = None if shift is None else shift(np.isin(windows.of_row, bins).astype(np.float64))
        known = (None, None) if found is None or not np.isfinite(found).all() else found
        return region(*windows.part(bins), tuple(count) if n_obs.ndim == 2 else count, *known)

    return {
        "covariate": windows.column.name, "categories": windows.categories, "low": windows.low, "high": windows.high,
        **marks._asdict(), "shift": shifts[0], "error": shifts[1], "n_obs": n_obs,
        "regions": tuple(told(bins) for bins in runs if len(bins)),
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """In types that JSON has; there is no NaN in it."""
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return [float(v) if np.isfinite(v) else None for v in value]
