"""Statistics at the observed and the null labels: in batches, by one worker or many, always the same numbers."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from condmmd.arguments import is_number
from condmmd.problem import Problem
from condmmd.resampling import Scheme
from condmmd.samples import Array, Labels

__all__ = ["draw_units", "entropy_of", "evaluate_labels"]

# Null labels are drawn in units of this many, each from its own seed, so that no result depends on batches or workers.
UNIT = 64
# Labels held at once, unless the user says otherwise: half a gigabyte.
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


def draw_units(scheme: Scheme, n_resamples: int, entropy: int) -> Iterator[Labels]:
    """Null labels, some at a time."""
    for size, seed in _units(n_resamples, entropy):
        yield scheme.draw(size, np.random.default_rng(seed))


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
    units = _units(n_resamples, entropy)
    per_batch = max(1, (batch_size or min(4 * UNIT, MAX_LABELS // len(t))) // UNIT)
    batches = [units[start : start + per_batch] for start in range(0, len(units), per_batch)]

    def evaluate(batch: list[tuple[int, np.random.SeedSequence]], *, first: bool) -> Array:
        labels = [scheme.draw(size, np.random.default_rng(seed)) for size, seed in batch]
        T = np.concatenate([t[None, :].astype(np.int8), *labels] if first else labels)
        return np.concatenate([problem.levels(T, levels) for problem in problems], axis=1)

    if n_jobs in (None, 1):
        parts = (evaluate(batch, first=number == 0) for number, batch in enumerate(batches))
    else:
        jobs = (delayed(evaluate)(batch, first=number == 0) for number, batch in enumerate(batches))
        parts = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    done = []
    for part in parts:
        done.append(part)
        _tell(sum(len(p) for p in done) - 1, n_resamples, progress=progress)
    return np.concatenate(done)


def _tell(done: int, total: int, *, progress: bool) -> None:
    if progress:
        sys.stderr.write(f"\rnull labels {done}/{total}" + ("\n" if done >= total else ""))
        sys.stderr.flush()
