"""`paired_test` asks whether two outcomes of the same units have one distribution given X."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from condmmd.backend import unforked
from condmmd.data import pick_columns, spelled
from condmmd.data.pairs import read_pairs
from condmmd.doors.asked import row_plan
from condmmd.embedding.rowwise import PairedRows
from condmmd.inference import Compute
from condmmd.kernels import KernelLike
from condmmd.results.code import call_code
from condmmd.results.rowwise_result import PairedTestResult
from condmmd.statistics.rowwise import Level, Weights

__all__ = ["paired_test"]


@unforked
def paired_test(
    X: Any,
    Y1: Any,
    Y2: Any,
    *,
    data: Any = None,
    labels: tuple[str, str] | None = None,
    kernel_x: KernelLike = None,
    kernel_y: KernelLike = None,
    level: Level | Sequence[Level] | Literal["adaptive"] = "adaptive",
    weights: Weights = "adaptive",
    neighbours: int | None = None,
    reg: float | None = None,
    blocks: Any = None,
    null: Literal["auto", "flips", "normal"] = "auto",
    n_resamples: int = 999,
    significance: float = 0.05,
    rng: Any = None,
    tol: float = 1e-6,
    compute: Compute = Compute(),  # noqa: B008 - a frozen value
) -> PairedTestResult:
    """Test whether two outcomes of the same units have the same distribution given X.

    Two raters of the same patients, a simulator and reality at the same inputs, before and after. Nothing but the
    difference of the two outcomes of each unit is looked at, and under the null hypothesis its sign is a coin's: where
    the outcomes could as well be the other way round, the p-value is exact for any number of rows.

    Parameters
    ----------
    X
        What is known of each unit: an array or data frame, or names of columns of ``data`` (None: all others).
    Y1, Y2
        The two outcomes of each unit, with the same columns: numbers, categories, or several of either.
    data
        A data frame of which the other arguments name columns.
    labels
        What the two outcomes are called; None: the names of their columns in ``data``, else Y1 and Y2.
    kernel_x, kernel_y
        As in `CMMD`, of columns. A lengthscale of outcomes that is not given is the median distance in both together.
    level
        How the difference is weighed along X: a number; "joint", level 2 without a lambda (ACMMD); several; or
        "adaptive": levels 0 and 1 and the joint form.
    weights
        "kernel": the levels; "neighbours": nearest neighbours in X alone (ECMMD), without lambda or resampling; or
        "adaptive": all of them in one p-value (up to 20,000 rows; of more, the levels).
    neighbours
        How many; None: 20, or a third of the rows.
    reg
        Lambda, in the paper's scale; None: 0.1 in units of the mean of k(x, x).
    blocks
        One value a row, or a column of ``data``: rows with the same value (a subject, a day) are flipped together.
    null
        "flips" of signs; "normal", the limit for neighbours; "auto": flips, but the limit for neighbours alone.
    n_resamples
        Flips; where there are no more ways to flip the rows than that, all of them are taken.
    significance
        The level at which a decision is wanted.
    rng
        None, a seed or a `numpy.random.Generator`.
    tol
        Share of each kernel's trace that its features may leave out; 0: as little as can be.
    compute
        Workers, batches and progress. None of them changes the result.

    Returns
    -------
    PairedTestResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import paired_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> before, after = (np.sin(2 * x) + 0.5 * rng.normal(size=200) for _ in range(2))
    >>> bool(paired_test(x, before, after, rng=1).pvalue > 0.05)
    True
    >>> paired_test(x, before, after + 0.4 * x, rng=1).pvalue  # the change depends on x, and is 0 on average
    0.001
    """
    asked = dict(locals())
    plan = row_plan(asked)
    if labels is not None and (isinstance(labels, str) or len(labels) != 2 or labels[0] == labels[1]):
        raise ValueError(f"`labels` must be two different names, as in ('before', 'after'); got {labels!r}.")
    call = call_code(paired_test, spelled(data, {"X": X, "Y1": Y1, "Y2": Y2}), asked | {"rng": plan.settings.seed})
    named = labels or tuple(
        value if isinstance(value, str) else argument for argument, value in (("Y1", Y1), ("Y2", Y2))
    )
    X, Y1, Y2, blocks = pick_columns(data, X=X, Y1=Y1, Y2=Y2, blocks=blocks)
    pairs = read_pairs(X, Y1, Y2, blocks=blocks)
    return PairedTestResult.of(plan, PairedRows(pairs, (named[0], named[1])), blocks, call)
