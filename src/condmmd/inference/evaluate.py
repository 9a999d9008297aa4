"""Statistics at the observed vector and at null vectors: in batches, by one worker or many, always the same numbers."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from condmmd.backend import (
    Array,
    LabelBatch,
    Rows,
    device_memory,
    is_chunked,
    n_rows,
    on_processor,
    stacked,
)
from condmmd.data.checks import is_number
from condmmd.inference.compute import Compute
from condmmd.labels import Scheme, SignBatch
from condmmd.statistics import Fitted, centre_of, residual_labels

__all__ = ["Settings", "check_statistics", "draw_batches", "evaluate_null", "labels_at_once", "read_seed"]

Seeds: TypeAlias = list[tuple[int, np.random.SeedSequence]]

# Null vectors are drawn in units of this many, each from its own seed, so that no result depends on batches or workers.
UNIT = 64
# Labels held at once, unless the user says otherwise: half a gigabyte, or a share of a device's memory.
MAX_LABELS = 2**29
FLOAT = 8
# Of few rows, so many labels at once: a batch costs Python's time whatever its size.
FEW_LABELS = 2**19


def read_seed(rng: Any) -> int:
    """An integer that repeats the run, from ``rng``: None, a seed or a generator."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if rng is None:
        return secrets.randbits(63)
    if is_number(rng) and rng >= 0 and float(rng).is_integer():
        return int(rng)
    raise TypeError(f"`rng` must be None, a non-negative integer or a numpy.random.Generator; got {rng!r}.")


def draw_batches(
    scheme: Scheme, n_resamples: int, seed: int, t: Rows, *, centre: Rows | None = None, at_once: int = UNIT
) -> Iterator[LabelBatch]:
    """Null vectors, some at a time, where the rows are: labels, less their ``centre`` if it is given; or signs."""
    for batch in _batches(n_resamples, seed, at_once):
        yield _residual(_draw(scheme, batch, t), centre)


def _residual(T: LabelBatch, centre: Rows | None) -> LabelBatch:
    return T if isinstance(T, SignBatch) else residual_labels(T, centre)


def _batches(n_resamples: int, seed: int, at_once: int) -> list[Seeds]:
    sizes = [UNIT] * (n_resamples // UNIT) + ([n_resamples % UNIT] if n_resamples % UNIT else [])
    units = list(zip(sizes, np.random.SeedSequence(seed).spawn(len(sizes)), strict=True))
    count = max(1, at_once // UNIT)
    return [units[start : start + count] for start in range(0, len(units), count)]


def _draw(scheme: Scheme, batch: Seeds, t: Rows) -> LabelBatch:
    return scheme.draw([(size, np.random.default_rng(seed)) for size, seed in batch], t)


@dataclass(frozen=True)
class Settings:
    """How many null draws, from which seed, on which machine, for a decision at which significance."""

    n_resamples: int
    seed: int
    significance: float
    compute: Compute


def evaluate_null(
    fitted: Fitted, observed: LabelBatch, scheme: Scheme, t: Rows, count: int, settings: Settings
) -> Array:
    """Every column of a statistic at the observed vector (first row) and at ``count`` that a scheme draws."""
    centre, compute = centre_of(fitted), settings.compute
    at_once = compute.batch_size or labels_at_once(t, 1 if centre is None else FLOAT)
    if compute.n_jobs not in (None, 1) and compute.batch_size is None:
        at_once = min(at_once, 4 * UNIT)  # so that there is something for every worker
    batches = _batches(count, settings.seed, at_once)

    def evaluate(number: int) -> Array:
        null = _draw(scheme, batches[number], t)
        if isinstance(null, SignBatch):
            found = fitted(null)
            return found if number else np.concatenate([fitted(observed), found])
        return fitted(_residual(null if number else stacked([observed, null]), centre))

    done = []
    for part in _each(evaluate, len(batches), compute.workers(len(batches)) if on_processor(t) else 1):
        done.append(part)
        compute.report(sum(len(p) for p in done) - 1, count)
    return check_statistics(np.concatenate(done), fitted)


def check_statistics(statistics: Array, fitted: Fitted) -> Array:
    """The same statistics, if all of them are numbers; the observed labels are the first row."""
    bad = ~np.isfinite(statistics)
    if bad.any():
        first = int(np.argmax(bad.any(axis=0)))
        column, of_null = fitted.columns[first], int(bad[1:, first].sum())
        where = "the observed labels" if bad[0, first] else f"{of_null} of {len(bad) - 1} null draws"
        raise ValueError(
            f"the statistic ({column.name or f'level {column.level:g}'}) is not finite at {where}, so there is no "
            "p-value. It was too large for double precision, or something that it is made of was NaN: a high `level` "
            "of large values (scale X and Y down), a propensity near 0 or 1 whose inverse is a weight (use `trim`, or "
            "estimator='overlap'), or a kernel or model of your own."
        )
    return statistics


def _each(evaluate: Any, count: int, workers: int) -> Iterator[Array]:
    """``evaluate`` of every batch, in order."""
    if workers == 1:
        for number in range(count):
            yield evaluate(number)
        return
    from joblib import Parallel, delayed  # noqa: PLC0415 - an import that few runs need

    yield from Parallel(n_jobs=workers, return_as="generator")(delayed(evaluate)(number) for number in range(count))


def labels_at_once(t: Rows, size: int = 1) -> int:
    """As many vectors, of numbers of so many bytes, as are worth a pass over the rows, and fit in memory."""
    limit = max(MAX_LABELS, device_memory(t) // 32) // (size * n_rows(t))
    wanted = max(4 * UNIT, FEW_LABELS // n_rows(t)) if on_processor(t) else 16 * UNIT
    return min(16 * UNIT if is_chunked(t) else wanted, limit)
