"""What of the outcomes can be told in a number: means, the spread of a single one, shares of classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condmmd.backend import Array, to_host
from condmmd.explain.evidence import Evidence
from condmmd.explain.shifts import Means

__all__ = ["Difference", "Measure", "loudest", "measures_of"]

# Means and shares that are looked at, at most.
MAX_MEASURES = 12


class Measure(NamedTuple):
    """Something of the outcomes whose difference can be told in a number, and what the models say of it at each row."""

    words: str
    means: Means
    predicted: Array


class Difference(NamedTuple):
    """A measure over all rows: in P less in Q, given the covariates, and its standard error."""

    measure: str
    shift: float
    error: float

    @property
    def score(self) -> float:
        """How many standard errors it is away from nothing."""
        return abs(self.shift) / max(self.error, 1e-300)


def measures_of(evidence: Evidence, means: Means | None) -> list[Measure]:
    """Of one numeric outcome mean and spread, in that order; else the means of numbers and the shares of classes."""
    t, e = evidence.t, evidence.e
    if means is not None and evidence.outcome is not None:
        name, predicted = evidence.samples.y.columns[0].name, evidence.outcome - means.residual
        spread = means.of_column(means.deviations(t, e))
        return [
            Measure(f"mean of {name}", means, predicted),
            Measure(f"mean deviation of {name}", spread, np.zeros(len(t))),
        ]
    found = [] if evidence.samples.gram_y is not None else _columns(evidence)
    if not found:  # a Gram matrix, or a category of which all rows are
        return []
    words, columns = zip(*found, strict=True)
    values = np.stack(columns, axis=1)
    left = evidence.further(values)
    base = Means(left[:, 0], t * (1 - e), (1 - t) * e, evidence.blocks)
    return [
        Measure(said, base.of_column(own), column - own)
        for said, column, own in zip(words, values.T, left.T, strict=True)
    ]


def loudest(measures: list[Measure]) -> list[tuple[Difference, Measure]]:
    """Each measure with its difference over all rows: a single number's in their order, else the largest first."""
    rows = np.arange(len(measures[0].predicted)) if measures else np.arange(0)
    found = [(Difference(measure.words, *measure.means.shift(rows)), measure) for measure in measures]
    found = [one for one in found if np.isfinite(one[0][1:]).all()]
    single = len(measures) > 1 and measures[1].words.startswith("mean deviation")
    return found if single else sorted(found, key=lambda one: -one[0].score)


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
