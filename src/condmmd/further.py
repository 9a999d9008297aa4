"""What can be asked of a test when it is done: its evidence in memory, the margins, and the same test of some rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.arrays import is_host, is_lazy, n_rows, pick_rows, sample_rows, to_host
from condmmd.design import Design, Strata
from condmmd.marginal import mmd_test
from condmmd.notices import CondmmdWarning
from condmmd.nuisance import PooledRegression
from condmmd.problem import Problem
from condmmd.result import CMMDTestResult, MMDTestResult
from condmmd.samples import Samples, select_rows
from condmmd.where import Evidence

__all__ = ["gather", "marginal_tests"]

Test: TypeAlias = Callable[..., CMMDTestResult]

# Of rows in blocks, so many are brought into memory for the further questions.
EVIDENCE_ROWS = 50_000


def gather(
    given: dict[str, Any],
    design: Design,
    problem: Problem,
    pooled: PooledRegression | None,
    n_resamples: int,
    entropy: int,
    test: Test,
) -> Evidence:
    """What the further questions need, in memory: of all rows, or of some where they are in blocks."""
    whole, x, y = design.samples, problem.x, problem.y
    if not is_host(whole.groups.t):
        count = n_rows(whole.groups.t)
        rows = sample_rows(count, EVIDENCE_ROWS if is_lazy(whole.groups.t) else count)

        def here(array: Any) -> Any:
            return to_host(pick_rows(array, rows))

        groups = replace(whole.groups, t=here(whole.groups.t))
        tables = [replace(table, values=here(table.values)) for table in (whole.x, whole.y)]
        samples = Samples(tables[0], tables[1], groups)
        propensity = replace(design.propensity, e=here(design.propensity.e), n=groups.n)
        design = replace(design, samples=samples, propensity=propensity)
        x, y = replace(x, phi=here(x.phi), gram=None), replace(y, phi=here(y.phi))
        if pooled is not None:
            small = to_host(pooled.shrink) * (count / len(rows))
            pooled = replace(pooled, fitted=here(pooled.fitted), features=here(pooled.features), shrink=small)
    return Evidence(
        design.samples,
        x,
        y,
        pooled,
        design.centre,
        None if design.blocks is None else design.blocks.of_row,
        design.scheme(),
        n_resamples,
        entropy,
        float(given["significance"]),
        design.propensity.assumption if design.propensity.source == "estimated" else "",
        again=partial(_again, given, design, entropy, test),
    )


def marginal_tests(given: dict[str, Any], samples: Samples, entropy: int, max_rank: int) -> dict[str, MMDTestResult]:
    """Did X move, did Y? On the rows of the test and with its kernels."""
    spaces = {"X": (samples.x, samples.gram_x), "Y": (samples.y, samples.gram_y)}
    found = {}
    for name, (table, gram) in spaces.items():
        kernel = given[f"kernel_{name.lower()}"]
        found[name] = mmd_test(
            table if gram is None else gram, samples.groups, kernel=kernel[0] if isinstance(kernel, list) else kernel,
            blocks=given["blocks"], n_resamples=given["n_resamples"], rng=entropy, max_rank=max_rank,
        )  # fmt: skip
    return found


def _again(
    given: dict[str, Any], design: Design, entropy: int, test: Test, rows: npt.NDArray[np.bool_], n_resamples: int
) -> CMMDTestResult:
    """The same test on some of its rows, their labels drawn as in the whole test given how many rows of each group."""
    model = given["outcome_model"]
    if given["blocks"] is not None or isinstance(model, tuple | list):
        raise TypeError("a test within strata cannot have `blocks`, or predictions for all rows as `outcome_model`.")
    part = select_rows(design.samples, rows, argument="strata")
    propensity: Any = None
    if design.strata is not None:
        propensity = Strata(np.unique(design.strata[rows], return_inverse=True)[1])
    elif given["propensity"] is not None:
        propensity = design.propensity.e[rows]
    own = {"X", "Y", "group", "propensity", "trim", "blocks", "rng", "progress", "scheme", "n_resamples"}
    settings = {name: value for name, value in given.items() if name not in own}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CondmmdWarning)
        return test(
            part.x, part.y, part.groups, rng=entropy, propensity=propensity, n_resamples=n_resamples, **settings
        )
