"""`calibration_test` and `calibration_error`: do predictions mean what they say?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from condmmd.backend import unforked
from condmmd.data import Table, pick_columns, read_table, spelled
from condmmd.data.checks import check_count
from condmmd.data.pairs import check_same_rows, one_named
from condmmd.data.row_order import check_order
from condmmd.data.samples import warn_constant
from condmmd.doors.asked import row_plan
from condmmd.embedding.forecasts import Forecast, rows_of_predictions
from condmmd.embedding.rowwise import ComparedRows
from condmmd.inference import Compute
from condmmd.inference.rowwise import NullName
from condmmd.kernels import KernelLike
from condmmd.results.code import call_code
from condmmd.results.rowwise_result import CalibrationTestResult
from condmmd.statistics.block_mean import block_mean
from condmmd.statistics.rowwise import Level, Rowwise, Weights

__all__ = ["calibration_error", "calibration_test"]


@unforked
def calibration_test(
    predictions: Forecast,
    y: Any,
    *,
    data: Any = None,
    given: Any = None,
    classes: Any = None,
    kernel_x: KernelLike = None,
    kernel_y: KernelLike = None,
    level: Level | Sequence[Level] | Literal["adaptive"] = "adaptive",
    weights: Weights = "adaptive",
    neighbours: int | None = None,
    reg: float | None = None,
    blocks: Any = None,
    null: NullName = "auto",
    n_resamples: int = 999,
    significance: float = 0.05,
    rng: Any = None,
    tol: float = 1e-6,
    compute: Compute = Compute(),  # noqa: B008 - a frozen value
) -> CalibrationTestResult:
    """Test whether predictions are calibrated: whether outcomes are distributed as predicted, given the prediction.

    Of all rows with a predicted probability of 0.7 seven in ten should have the outcome. That is all it takes:
    ``calibration_test(classifier.predict_proba(X), y)``, of rows that the classifier was not fitted to.

    Parameters
    ----------
    predictions
        Probabilities of classes, of shape (rows, classes), or of the second of two classes, one a row; a pair ``(mean,
        sd)`` or `Normals`; a `Mixture`; `Quantiles`; or draws, of shape (rows, draws). With ``data``, names of columns.
    y
        The outcomes: classes or numbers.
    data
        A data frame of which the other arguments name columns.
    given
        Groups, decisions or anything else by which rows are to be told apart in place of the predictions: are these
        calibrated within each of the groups?
    classes
        What the columns of probabilities are of, if these are not the sorted classes of y: ``classifier.classes_``.
    kernel_x
        Between predictions (or rows of ``given``). None: Gaussian on their numbers; draws go by their mean and sd.
    kernel_y, level, weights, neighbours, reg, blocks
        As in `paired_test`: level 0 is CKCE, "joint" is SKCE. Of classes ``kernel_y`` is that of equality.
    null, n_resamples, significance, rng, tol, compute
        As in `model_test`: of classes and quantiles outcomes are drawn anew from the predictions, which is exact.

    Returns
    -------
    CalibrationTestResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import calibration_test
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=500)
    >>> bool(calibration_test(p, rng.uniform(size=500) < p, rng=1).pvalue > 0.05)
    True
    >>> calibration_test(p, rng.uniform(size=500) < 0.25 + 0.5 * p, rng=1).pvalue  # predictions are too sure
    0.001
    """
    asked = dict(locals())
    plan = row_plan(asked)
    code = spelled(data, {"predictions": predictions, "y": y})
    call = call_code(calibration_test, code, asked | {"rng": plan.settings.seed})
    predictions, y, given, blocks = pick_columns(data, predictions=predictions, y=y, given=given, blocks=blocks)
    rows = _read(predictions, y, given, classes, blocks, whole=kernel_x is not None)
    return CalibrationTestResult.of(plan, rows, blocks, call)


@unforked
def calibration_error(
    predictions: Forecast,
    y: Any,
    *,
    data: Any = None,
    given: Any = None,
    classes: Any = None,
    kernel_x: KernelLike = None,
    kernel_y: KernelLike = None,
    level: Level = "joint",
    block_size: int | None = None,
    reg: float | None = None,
    tol: float = 1e-12,
) -> float:
    """How far predictions are from being calibrated: the squared kernel calibration error.

    Parameters
    ----------
    predictions, y, data, given, classes, kernel_x, kernel_y, reg
        As in `calibration_test`.
    level
        "joint": SKCE, the mean of ``K_ij H_ij`` over pairs of different rows, unbiased, so it may be negative; "joint
        biased": over all pairs; a number: that level, of which 0 is CKCE.
    block_size
        The mean over blocks of so many rows, in their order, of the unbiased error in each: its cost is linear in the
        rows.
    tol
        As in `CMMD`.

    Examples
    --------
    >>> from condmmd import Gaussian, calibration_error
    >>> P = [[1.0, 0.0], [0.0, 1.0]]
    >>> round(calibration_error(P, [1, 0], classes=[0, 1], kernel_x=Gaussian(1.0)), 4)  # both wrong, and sure
    -0.7358
    """
    statistic = Rowwise(kernel_x, level, "kernel", None, reg, tol)
    if len(statistic.levels) != 1:
        raise ValueError(f"`level` must be one level; got {level!r}.")
    if block_size is not None and (check_count(block_size, "block_size") < 2 or level != "joint"):
        raise ValueError("`block_size` must be at least 2, and is for level='joint' alone.")
    predictions, y, given = pick_columns(data, predictions=predictions, y=y, given=given)
    rows = _read(predictions, y, given, classes, None, whole=kernel_x is not None)
    residuals = rows.features(kernel_y, tol, None)
    if block_size is not None:
        return block_mean(kernel_x, rows.x, residuals.rho, block_size)
    return statistic.fit(rows.x, residuals).measure()


def _read(predictions: Any, y: Any, given: Any, classes: Any, blocks: Any, *, whole: bool) -> ComparedRows:
    check_order({"predictions": predictions, "y": y, "given": given, "blocks": blocks})
    own = one_named(read_table(y, "y"), "y")
    beside: Table | None = None
    if given is not None:
        beside = read_table(given, "given")
        check_same_rows(own, beside)
        warn_constant(beside)
    return rows_of_predictions(predictions, own, beside, classes=classes, whole=whole)
