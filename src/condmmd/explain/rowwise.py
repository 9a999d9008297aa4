"""For which rows do the two sides differ: residual features averaged over windows of each covariate, in one band.

The band is simultaneous over all windows of all covariates, from the same flips of signs (or outcomes drawn anew) as
the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, n_rows, pick_rows, sample_rows, to_host
from condmmd.data.checks import check_resamples
from condmmd.explain.findings import RowWhere
from condmmd.explain.profiles import Marks, RowProfile, along, of_each
from condmmd.explain.regions import RowRegion
from condmmd.explain.windows import BinSums, make_windows
from condmmd.inference.evaluate import draw_batches
from condmmd.inference.rowwise import REDRAWN_NUMBERS, RowwisePlan, TrainedRows, redraw_units
from condmmd.labels import Multipliers

__all__ = ["locate_rows"]

# Rows that are looked at, and draws of the null, at most.
MAX_ROWS = 20_000
MAX_DRAWS, DRAWS_OF_MANY, MANY_ROWS = 499, 199, 5_000
CONTROL = (
    "weak control: if nothing differs anywhere, the chance that anything at all is marked is at most {alpha:g}; if "
    "something differs somewhere, a mark nearby may be due to that, through the width of the windows."
)


def locate_rows(plan: RowwisePlan, trained: TrainedRows, significance: float) -> RowWhere:
    """Profiles over each covariate in one simultaneous band."""
    rows, x = trained.rows, trained.rows.x
    index = sample_rows(n_rows(x.values), MAX_ROWS)
    count = min(plan.settings.n_resamples, MAX_DRAWS if len(index) <= MANY_ROWS else DRAWS_OF_MANY)
    count = max(count, int(np.ceil(1 / significance)) - 1)
    check_resamples(count, significance)
    values, rho = to_host(pick_rows(x.values, index)), to_host(pick_rows(trained.fitted.residuals.rho, index))
    windows = [make_windows(values[:, j], column) for j, column in enumerate(x.columns)]
    bins = [BinSums.of(own, rho, np.ones(len(rho))) for own in windows]

    def sizes(residuals: Array) -> Array:
        return np.concatenate([np.linalg.norm(own.means(residuals), axis=-1) for own in bins], axis=1)

    drawn = np.concatenate([sizes(rho[None]), *map(sizes, _null(plan, trained, index, rho, count))])
    marks = Marks.of(drawn[0], np.cbrt(drawn**2), significance)
    differences = rows.differences()
    shown = None if differences.lead is None else differences.values[:, differences.lead]
    if shown is not None:
        shown = shown[index] if len(shown) == n_rows(x.values) else None
    shift = None if shown is None else partial(_shift, shown)
    found = [
        RowProfile(**along(own, marks.at(here), np.bincount(own.of_row), shift, RowRegion))
        for own, here in zip(windows, of_each(windows), strict=True)
    ]
    return RowWhere(
        tuple(sorted(found, key=lambda profile: -float(profile.z.max()))), float(marks.pvalues.min()), significance,
        rows.labels, None if shown is None else differences.names[differences.lead or 0],
        CONTROL.format(alpha=significance), count,
    )  # fmt: skip


def _null(
    plan: RowwisePlan, trained: TrainedRows, index: npt.NDArray[np.int64], rho: Array, count: int
) -> Iterator[Array]:
    """Residual features of the rows looked at as the null hypothesis would have them, some draws at a time."""
    if trained.redraw is not None:
        at_once = max(1, REDRAWN_NUMBERS // trained.fitted.observed.size)
        for size, rng in redraw_units(count, plan.settings.seed, at_once):
            yield trained.redraw(rng, size)[:, index, : rho.shape[1]]
        return
    whole = trained.fitted.multipliers
    multipliers = Multipliers(np.ones(len(rho))) if whole.of_row is None else replace(whole, of_row=whole.of_row[index])
    for T in draw_batches(multipliers, count, plan.settings.seed, multipliers.a):
        yield np.asarray(to_host(T.held))[:, :, None] * rho


def _shift(d: Array, weights: Array) -> tuple[float, float]:
    """Weighted mean and its standard error."""
    total = float(weights.sum())
    mean = float(weights @ d / total)
    return mean, float(np.sqrt(np.sum(weights**2 * (d - mean) ** 2)) / total)
