"""Where along a covariate the difference changes: one cut of its range, the one between whose parts it changes most.

Marks of a band say where a difference is beyond chance, which for a constant difference is wherever there are many
rows. People ask where it is larger, so it is told for two parts of the range, each with its own interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.explain.evidence import Evidence
from condmmd.explain.regions import Contrast, Region
from condmmd.explain.shifts import MIN_GROUP_ROWS, Means, wide_windows
from condmmd.explain.windows import Windows

__all__ = ["contrasts_along"]

# Means and shares that are looked at, at most.
MAX_MEASURES = 12


class _Measure(NamedTuple):
    """Something of the outcomes whose difference can be told in a number."""

    words: str
    means: Means


class _Cut(NamedTuple):
    """Two parts of the bins of a covariate, and how far apart the differences there are, in standard errors."""

    apart: float
    measure: _Measure
    parts: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def contrasts_along(evidence: Evidence, pvalues: dict[str, float], means: Means | None) -> tuple[Contrast, ...]:
    """A contrast for each covariate that is named, in that order, with the p-value that it was named for."""
    x = evidence.samples.x
    measures, found = _measures(evidence, means) if pvalues else [], []
    for name, pvalue in pvalues.items():
        windows = wide_windows(evidence, x.names.index(name))
        best = max(_cuts(windows, measures, evidence.t), key=lambda cut: cut.apart, default=None)
        if best is not None:
            one, other = (_region(windows, part, best.measure.means, evidence.t) for part in best.parts)
            found.append(Contrast(name, best.measure.words, (one, other), pvalue))
    return tuple(found)


def _measures(evidence: Evidence, means: Means | None) -> list[_Measure]:
    """Means of numbers, the spread of a single one, shares of classes."""
    t, e = evidence.t, evidence.e
    if means is not None:
        name = evidence.samples.y.columns[0].name
        spread = means.of_column(means.deviations(t, e))
        return [_Measure(f"mean of {name}", means), _Measure(f"mean deviation of {name}", spread)]
    if evidence.samples.gram_y is not None:
        return []
    words, columns = zip(*_columns(evidence), strict=True)
    left = evidence.further(np.stack(columns, axis=1))
    base = Means(left[:, 0], t * (1 - e), (1 - t) * e, evidence.blocks)
    return [_Measure(said, base.of_column(column)) for said, column in zip(words, left.T, strict=True)]


def _columns(evidence: Evidence) -> list[tuple[str, Array]]:
    found: list[tuple[str, Array]] = []
    for column, own in zip(evidence.samples.y.columns, to_host(evidence.samples.y.values).T, strict=True):
        if column.categories is None:
            found.append((f"mean of {column.name}", own))
            continue
        codes, counts = np.unique(own, return_counts=True)
        largest = codes[np.argsort(-counts, kind="stable")] if len(codes) > 2 else codes[1:]
        found += [(f"share of {column.name} {column.categories[int(c)]}", (own == c).astype(float)) for c in largest]
    return found[:MAX_MEASURES]


def _cuts(windows: Windows, measures: list[_Measure], t: Array) -> Iterator[_Cut]:
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
    numeric = not windows.categories
    return Region(
        windows.column.name,
        float(windows.low[part[0]]) if numeric else None,
        float(windows.high[part[-1]]) if numeric else None,
        () if numeric else tuple(windows.categories[g] for g in part),
        (n, len(rows) - n),
        *means.shift(rows),
        windows.column.dates,
    )
