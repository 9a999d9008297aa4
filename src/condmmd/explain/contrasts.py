"""Where along a covariate the difference changes: one cut of its range, the one between whose parts it changes most.

Marks of a band say where a difference is beyond chance, which for a constant difference is wherever there are many
rows. People ask where it is larger, so it is told for two parts of the range, each with its own interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array
from condmmd.explain.evidence import Evidence
from condmmd.explain.measures import Measure
from condmmd.explain.regions import Contrast, Region
from condmmd.explain.shifts import MIN_GROUP_ROWS, Means, wide_windows
from condmmd.explain.windows import Windows

__all__ = ["contrasts_along"]


class _Cut(NamedTuple):
    """Two parts of the bins of a covariate, and how far apart the differences there are, in standard errors."""

    apart: float
    measure: Measure
    parts: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def contrasts_along(evidence: Evidence, pvalues: dict[str, float], measures: list[Measure]) -> tuple[Contrast, ...]:
    """A contrast for each covariate that is named, in that order, with the p-value that it was named for."""
    x = evidence.samples.x
    found = []
    for name, pvalue in pvalues.items():
        windows = wide_windows(evidence, x.names.index(name))
        best = max(_cuts(windows, measures, evidence.t), key=lambda cut: cut.apart, default=None)
        if best is not None:
            one, other = (_region(windows, part, best.measure.means, evidence.t) for part in best.parts)
            found.append(Contrast(name, best.measure.words, (one, other), pvalue))
    return tuple(found)


def _cuts(windows: Windows, measures: list[Measure], t: Array) -> Iterator[_Cut]:
    """Every cut with rows enough on both sides: of categories, in the order of their differences."""
    for measure in measures:
        order = np.arange(windows.count)
        if windows.categories:
            shifts = [measure.means.shift(np.flatnonzero(windows.of_row == g))[0] for g in order]
            order = np.argsort(np.nan_to_num(shifts, nan=0.0), kind="stable")
        for k in range(1, windows.count):
            parts = (np.sort(order[:k]), np.sort(order[k:]))
            rows = [np.flatnonzero(np.isin(windows.of_row, part)) for part in parts]
            if min(min(t[own].sum(), (1 - t[own]).sum()) for own in rows) < MIN_GROUP_ROWS:
                continue
            (one, error), (other, other_error) = (measure.means.shift(own) for own in rows)
            apart = abs(one - other) / max(float(np.hypot(error, other_error)), 1e-300)
            if np.isfinite(apart):
                yield _Cut(apart, measure, parts)


def _region(windows: Windows, part: npt.NDArray[np.int64], means: Means, t: Array) -> Region:
    rows = np.flatnonzero(np.isin(windows.of_row, part))
    n = int(t[rows].sum())
    counts = (n, len(rows) - n)
    return Region(*windows.part(part), counts, *means.shift(rows), windows.column.dates)
