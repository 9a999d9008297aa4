"""Kernels of several kinds, among which the pooled regression chooses.

A single kernel cannot be right for every table: one of 20 columns may matter through its square, a column may have
heavy tails, or structure on a scale far below its spread. So there are kernels on normal scores (ranks, which no tail
disturbs) and on the columns as they are.
"""

from __future__ import annotations

from functools import partial, reduce
from operator import add, mul

import numpy as np

from condmmd.backend import Array, Rows, map_rows, move_to, namespace, take
from condmmd.data import Table
from condmmd.kernels import Additive, Delta, Gaussian, Kernel, Polynomial, median_distance, standard_units, subsample
from condmmd.nuisance.scores import Scores

__all__ = ["candidate_kernels"]

# Lengthscales in units of the median distance: of normal scores, and of the columns as they are.
SCORE_SCALES = (2.0, 1.0, 0.5, 0.25)
RAW_SCALES = (1.0, 0.25, 0.06, 0.015)
# An additive kernel has a term for each column; beyond this many it is left out.
MAX_ADDITIVE = 60


def candidate_kernels(x: Table, scores: Scores) -> tuple[Rows, list[Kernel], list[str]]:
    """Points (scores, columns in robust units, codes of categories), and kernels on them with their names."""
    numeric, categorical = list(x.numeric), list(x.categorical)
    d, c = len(numeric), len(categorical)
    spread, distance = x.once(standard_units) if d else (np.ones(0), 1.0)
    points = map_rows(
        partial(_points, scores=scores, scale=spread, categorical=tuple(categorical)), x.values, columns=2 * d + c
    )
    cats: list[Kernel] = [Delta().on(2 * d + j) for j in range(c)]
    every = [] if not c else [Delta().on(*range(2 * d, 2 * d + c))]
    kernels: list[Kernel] = []
    names: list[str] = []

    def offer(kernel: Kernel, name: str) -> None:
        kernels.append(kernel)
        names.append(name)

    if d:
        on_scores, on_raw = tuple(range(d)), tuple(range(d, 2 * d))
        of_scores = median_distance(scores(subsample(x.sample)))
        for positions, length, scales, name in (
            (on_scores, of_scores, SCORE_SCALES, "scores"), (on_raw, distance, RAW_SCALES, "columns")
        ):  # fmt: skip
            for scale in scales:
                offer(
                    _product([Gaussian(length * scale).on(*positions), *every]),
                    f"Gaussian ({scale:g} median) of {name}",
                )
    if d + c > 1:
        linear: list[Kernel] = [Polynomial(1, 1.0, 1.0 / d).on(*range(d))] if d else []
        square: list[Kernel] = [Polynomial(2, 1.0, 1.0 / d).on(*range(d))] if d else []
        offer(_sum([*linear, *cats]), "linear")
        if d:
            offer(_sum([*square, *cats]), "quadratic")
        if d <= MAX_ADDITIVE:
            each: list[Kernel] = [Additive(1.0).on(*range(d))] if d else []
            offer(_sum([*each, *cats]), "additive")
            if d:
                offer(_sum([*each, *cats, *square]), "additive and quadratic")
    if not d:
        offer(every[0], "cells of the categories")
    return points, kernels, names


def _product(parts: list[Kernel]) -> Kernel:
    return reduce(mul, parts)


def _sum(parts: list[Kernel]) -> Kernel:
    return reduce(add, parts)


def _points(values: Rows, scores: Scores, scale: Array, categorical: tuple[int, ...]) -> Rows:
    raw = take(values, scores.columns, axis=1) / move_to(scale, values)
    return namespace(values).concat([scores(values), raw, take(values, categorical, axis=1)], axis=1)
