"""Null laws of residual features: random signs, outcomes drawn anew from the model, or the normal limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from condmmd.backend import blas_threads_for, n_rows, steps_of
from condmmd.data.checks import check_choice, check_resamples
from condmmd.data.warning_types import SmallSampleWarning, warn_user
from condmmd.embedding.rowwise import ComparedRows, Redraw, principal_residuals
from condmmd.inference.evaluate import UNIT, check_statistics
from condmmd.inference.nulls import Settings, Signs, outcome_of
from condmmd.inference.outcome import Outcome, level_results
from condmmd.kernels import KernelLike, check_kernel, is_precomputed
from condmmd.labels import ways_to_flip
from condmmd.statistics.rowwise import FittedRowwise, Rowwise

__all__ = [
    "NullName", "RowwisePlan", "TrainedRows", "by_normal_limit", "by_redraws", "redraw_units",
]  # fmt: skip

# Features of the outcomes in a test, where the user did not say.
MOST_FEATURES = 64
# Outcomes are drawn anew up to so many rows; of more, classes of rows share signs, which costs no more.
REDRAWN_ROWS = 50_000
# Numbers in the residuals of the outcomes that are drawn at once.
REDRAWN_NUMBERS = 2**23
NullName: TypeAlias = Literal["auto", "flips", "redraw", "normal"]


@dataclass(frozen=True, eq=False)
class TrainedRows:
    """Everything that is fixed before anything is drawn."""

    rows: ComparedRows
    fitted: FittedRowwise
    redraw: Redraw | None


@dataclass(frozen=True, eq=False)
class RowwisePlan:
    """How the residual features of some rows are tested: a frozen value that can be run again."""

    statistic: Rowwise
    kernel_y: KernelLike
    null: NullName
    settings: Settings
    blocks: npt.NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        check_choice(self.null, "null", ("auto", "flips", "redraw", "normal"))
        check_kernel(self.kernel_y, "kernel_y")
        if is_precomputed(self.kernel_y):
            raise ValueError("`kernel_y` must be a kernel of the columns of the outcomes here, not a Gram matrix.")
        if self.null == "normal" and self.statistic.weights != "neighbours":
            raise ValueError("`null`: the normal limit is that of weights='neighbours'; use 'flips' or 'auto' here.")
        if self.null in {"normal", "redraw"} and self.blocks is not None:
            raise ValueError(f"`null`: {self.null!r} takes every row by itself; with `blocks`, use null='flips'.")

    def train(self, rows: ComparedRows) -> TrainedRows:
        """Residual features, and how they are weighed."""
        with blas_threads_for(8 * 128**2 * n_rows(rows.x.values)):
            statistic, chosen = self.statistic, self._null(rows)
            limit = MOST_FEATURES if statistic.tol > 0 and statistic.max_rank is None else statistic.max_rank
            residuals = rows.features(self.kernel_y, statistic.tol, limit, blind=chosen == "redraw")
            redraw = rows.redraw(residuals) if chosen == "redraw" else None
            if chosen == "redraw" and redraw is None:
                raise ValueError("`null`: there is no model to draw outcomes from here; use null='flips'.")
            if redraw is None and statistic.tol > 0:
                residuals = principal_residuals(residuals, statistic.tol)
            return TrainedRows(rows, statistic.fit(rows.x, residuals, self.blocks), redraw)

    def run(self, trained: TrainedRows) -> Outcome:
        """Compare the observed outcomes with what the null hypothesis would give."""
        if trained.redraw is not None:
            return by_redraws(trained.fitted, trained.redraw, self.settings)
        if self._null(trained.rows) == "normal":
            return by_normal_limit(trained.fitted)
        _warn_few(trained.fitted.multipliers.count, self.settings.significance)
        return Signs().compare(trained.fitted, trained.fitted.multipliers, self.settings)

    def _null(self, rows: ComparedRows) -> NullName:
        """Which null, where that is left open: exact where it can be at no great cost."""
        neighbours, chunked = self.statistic.weights == "neighbours", rows.x.chunked
        if self.null == "redraw" and chunked:
            raise TypeError("`null`: outcomes are drawn anew for rows in memory only; use null='flips' with dask.")
        if self.null != "auto":
            return self.null
        if neighbours and self.blocks is None:
            return "normal"
        few = n_rows(rows.x.values) <= REDRAWN_ROWS and self.blocks is None
        return "redraw" if rows.exact and few and not chunked else "flips"


def by_redraws(fitted: FittedRowwise, redraw: Redraw, settings: Settings) -> Outcome:
    """Compare the observed outcomes with outcomes drawn from the model: exact, if it is the model that is tested."""
    check_resamples(settings.n_resamples, settings.significance)
    parts = [fitted.at(fitted.observed)]
    at_once = max(1, REDRAWN_NUMBERS // fitted.observed.size)
    for size, rng in redraw_units(settings.n_resamples, settings.seed, at_once):
        parts.append(fitted.at(redraw(rng, size)))
        settings.compute.report(sum(len(part) for part in parts) - 1, settings.n_resamples, "redraws")
    statistics = check_statistics(np.concatenate(parts), fitted)
    return outcome_of(fitted, statistics, "outcomes redrawn from the model")


def by_normal_limit(fitted: FittedRowwise) -> Outcome:
    """The neighbours' score against the normal law's upper tail: no resampling."""
    if fitted.edges is None or fitted.sides:
        raise ValueError("the normal limit is that of the neighbours alone.")
    score = fitted.edges.score
    p = float(ndtr(-score))
    by_level = level_results(fitted.columns, np.array([score]), np.array([p]))
    return Outcome(score, p, np.empty(0), by_level, 0, "normal limit")


def redraw_units(count: int, seed: int, at_once: int = UNIT) -> Iterator[tuple[int, np.random.Generator]]:
    """How many outcomes are drawn next from which generator: the same ones however many there are at once."""
    for own in np.random.SeedSequence(seed).spawn(-(-count // UNIT)):
        rng = np.random.default_rng(own)
        for part in steps_of(min(count, UNIT), at_once):
            yield part.stop - part.start, rng
        count -= UNIT


def _warn_few(count: int, significance: float) -> None:
    smallest = 1 / ways_to_flip(count)
    if smallest > significance:
        warn_user(
            f"{count} rows (or blocks) can be flipped in {ways_to_flip(count)} way(s) only, so no p-value can be below "
            f"{smallest:.2g} and nothing can be significant at {significance:g}. More rows are needed.",
            SmallSampleWarning,
        )
