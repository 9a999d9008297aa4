"""Null laws of residual features: flips of their signs, outcomes drawn anew from the model, or the normal limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from condmmd.backend import Array, HeldLabels, blas_threads_for, move_to, n_rows, steps_of
from condmmd.data.checks import check_choice, check_resamples
from condmmd.data.warning_types import SmallSampleWarning, warn_user
from condmmd.embedding.rowwise import ComparedRows, Redraw, principal_residuals
from condmmd.inference.evaluate import UNIT, check_statistics, evaluate_labels
from condmmd.inference.joining import join_columns, pvalue, pvalues
from condmmd.inference.nulls import Settings
from condmmd.inference.outcome import Outcome, level_results
from condmmd.kernels import KernelLike, check_kernel, is_precomputed
from condmmd.labels.signs import EverySign, SignFlips, ways_to_flip
from condmmd.statistics.rowwise import FittedRowwise, Rowwise

__all__ = [
    "NullName", "RowwisePlan", "TrainedRows", "by_flips", "by_normal_limit", "by_redraws", "redraw_units",
]  # fmt: skip

# Features of the outcomes in a test, where the user did not say.
MOST_FEATURES = 64
# So many sign vectors are all of them, where units are this few.
FEW_UNITS = 20
# Outcomes are drawn anew up to so many rows; of more, signs of runs of rows are flipped, which costs no more for more.
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
        return by_flips(trained.fitted, self.settings)

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


def by_flips(fitted: FittedRowwise, settings: Settings) -> Outcome:
    """Compare the observed signs with random ones, or with all there are where those are no more."""
    ones = fitted.ones
    count, n_resamples = int(ones.shape[0]), settings.n_resamples
    every = count <= FEW_UNITS and ways_to_flip(count) - 1 <= n_resamples
    if every:
        n_resamples = ways_to_flip(count) - 1
        _warn_few(count, settings.significance)
    else:
        check_resamples(n_resamples, settings.significance)
    scheme = EverySign(count) if every else SignFlips()
    if every:
        whole = np.concatenate([np.ones((1, count)), np.asarray(scheme.draw([], np.ones(count)).held)])
        statistics = check_statistics(_at_signs(fitted, whole), fitted)
    else:
        statistics = evaluate_labels(
            fitted, scheme, ones, n_resamples=n_resamples, seed=settings.seed, compute=settings.compute
        )
    return _ranked(fitted, statistics, n_resamples, scheme.name)


def by_redraws(fitted: FittedRowwise, redraw: Redraw, settings: Settings) -> Outcome:
    """Compare the observed outcomes with outcomes drawn from the model: exact, if it is the model that is tested."""
    check_resamples(settings.n_resamples, settings.significance)
    parts = [fitted.at(fitted.observed)]
    at_once = max(1, REDRAWN_NUMBERS // fitted.observed.size)
    for size, rng in redraw_units(settings.n_resamples, settings.seed, at_once):
        parts.append(fitted.at(redraw(rng, size)))
        settings.compute.report(sum(len(part) for part in parts) - 1, settings.n_resamples, "redraws")
    statistics = check_statistics(np.concatenate(parts), fitted)
    return _ranked(fitted, statistics, settings.n_resamples, "outcomes redrawn from the model")


def by_normal_limit(fitted: FittedRowwise) -> Outcome:
    """The neighbours' score against the normal law's upper tail: no resampling."""
    if fitted.edges is None or fitted.sides:
        raise ValueError("the normal limit is that of the neighbours alone.")
    score = fitted.edges.score
    p = float(ndtr(-score))
    by_level = level_results(fitted.columns, np.array([score]), np.array([p]))
    return Outcome(score, p, np.empty(0), by_level, 0, "normal limit")


def _ranked(fitted: FittedRowwise, statistics: Array, n_resamples: int, scheme: str) -> Outcome:
    joined = join_columns(fitted, statistics)
    unit = None if statistics.shape[1] == 1 and not fitted.columns[0].signed else 1.0
    if unit is not None and statistics.shape[1] == 1:
        unit = float(np.abs(joined).max())
    overall = pvalue(float(joined[0]), joined[1:], unit=unit)
    own = np.where(
        [column.signed for column in fitted.columns],
        [pvalue(c[0], c[1:], unit=float(np.abs(c).max())) for c in statistics.T],
        pvalues(statistics),
    )
    by_level = level_results(fitted.columns, statistics[0], own)
    return Outcome(float(joined[0]), overall, joined[1:], by_level, n_resamples, scheme)


def _at_signs(fitted: FittedRowwise, signs: Array) -> Array:
    return fitted(HeldLabels(move_to(signs, fitted.ones)))


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
