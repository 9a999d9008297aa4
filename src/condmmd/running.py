"""Statistics at the observed and the null labels: in batches, by one worker or many, always the same numbers."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from condmmd.arguments import is_number
from condmmd.arrays import Rows, device_memory, is_host, is_lazy, matching, n_rows, namespace, row_numbers
from condmmd.moments import AnyWeights, observed
from condmmd.problem import Problem
from condmmd.resampling import Drawn, Scheme, draw_together
from condmmd.samples import Array, Labels

__all__ = ["draw_units", "entropy_of", "evaluate_labels", "labels_at_once", "place"]

# Null labels are drawn in units of this many, each from its own seed, so that no result depends on batches or workers.
UNIT = 64
# Labels held at once, unless the user says otherwise: half a gigabyte, or a share of a device's memory.
MAX_LABELS = 2**29


def entropy_of(rng: Any) -> int:
    """An integer that repeats the run, from ``rng``: None, a seed or a generator."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if rng is None:
        return secrets.randbits(63)
    if is_number(rng) and rng >= 0 and float(rng).is_integer():
        return int(rng)
    raise TypeError(f"`rng` must be None, a non-negative integer or a numpy.random.Generator; got {rng!r}.")


def _units(n_resamples: int, entropy: int) -> list[tuple[int, np.random.SeedSequence]]:
    sizes = [UNIT] * (n_resamples // UNIT) + ([n_resamples % UNIT] if n_resamples % UNIT else [])
    return list(zip(sizes, np.random.SeedSequence(entropy).spawn(len(sizes)), strict=True))


def draw_units(scheme: Scheme, n_resamples: int, entropy: int, t: Rows, at_once: int = UNIT) -> Iterator[AnyWeights]:
    """Null labels, some at a time, where the rows are."""
    for batch in _batches(n_resamples, entropy, at_once):
        yield _draw(scheme, batch, t)


def _batches(n_resamples: int, entropy: int, at_once: int) -> list[list[tuple[int, np.random.SeedSequence]]]:
    units, count = _units(n_resamples, entropy), max(1, at_once // UNIT)
    return [units[start : start + count] for start in range(0, len(units), count)]


def _draw(
    scheme: Scheme, batch: list[tuple[int, np.random.SeedSequence]], t: Rows, *, first: bool = False
) -> AnyWeights:
    """The labels of some units where the rows are, after the observed ones if asked to."""
    drawn = draw_together(scheme, [(size, np.random.default_rng(seed)) for size, seed in batch])
    labels = [place(part, t) for part in drawn]
    return stacked([observed(t), *labels] if first else labels)


def place(labels: Labels | Drawn, t: Rows) -> AnyWeights:
    """Label vectors where the rows are."""
    if isinstance(labels, Drawn):
        return labels
    if is_lazy(t):
        return Drawn((row_numbers(t),), partial(_columns, labels=labels), len(labels))
    return matching(labels, t) if is_host(labels) else labels


def _columns(numbers: Rows, labels: Labels) -> Labels:
    return labels[:, int(numbers[0]) : int(numbers[0]) + len(numbers)]


def evaluate_labels(
    problems: list[Problem],
    levels: Array,
    scheme: Scheme,
    t: Array,
    *,
    n_resamples: int,
    entropy: int,
    n_jobs: int | None,
    batch_size: int | None,
    progress: bool,
) -> Array:
    """Every level of every problem at the observed labels (first row) and at the null labels."""
    batches = _batches(n_resamples, entropy, batch_size or labels_at_once(t))

    def evaluate(batch: list[tuple[int, np.random.SeedSequence]], *, first: bool) -> Array:
        T = _draw(scheme, batch, t, first=first)
        return np.concatenate([problem.levels(T, levels) for problem in problems], axis=1)

    if n_jobs in (None, 1) or not is_host(t):
        parts = (evaluate(batch, first=number == 0) for number, batch in enumerate(batches))
    else:
        jobs = (delayed(evaluate)(batch, first=number == 0) for number, batch in enumerate(batches))
        parts = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    done = []
    for part in parts:
        done.append(part)
        _tell(sum(len(p) for p in done) - 1, n_resamples, progress=progress)
    return np.concatenate(done)


def labels_at_once(t: Rows) -> int:
    """As many as are worth a pass over the rows, and fit in memory."""
    if is_lazy(t):
        return 16 * UNIT
    limit = max(MAX_LABELS, device_memory(t) // 32)
    return min((4 if is_host(t) else 16) * UNIT, limit // n_rows(t))


def stacked(parts: list[AnyWeights]) -> AnyWeights:
    """Several sets of label vectors as one."""
    first = parts[0]
    if not isinstance(first, Drawn):
        return first if len(parts) == 1 else namespace(first).concat(parts, axis=0)
    drawn = [part for part in parts if isinstance(part, Drawn)]
    rows = tuple(r for part in drawn for r in part.rows)
    make = partial(_make_all, makes=[(part.make, len(part.rows)) for part in drawn])
    return Drawn(rows, make, sum(len(part) for part in drawn))


def _make_all(*blocks: Rows, makes: list[tuple[Callable[..., Labels], int]]) -> Labels:
    labels, start = [], 0
    for make, width in makes:
        labels.append(make(*blocks[start : start + width]))
        start += width
    return np.concatenate(labels)


def _tell(done: int, total: int, *, progress: bool) -> None:
    if progress:
        sys.stderr.write(f"\rnull labels {done}/{total}" + ("\n" if done >= total else ""))
        sys.stderr.flush()
