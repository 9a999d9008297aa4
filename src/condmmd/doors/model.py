"""`model_test` asks whether a model says rightly how Y is distributed given X."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from condmmd.backend import unforked
from condmmd.data import pick_columns, read_table, spelled
from condmmd.data.checks import check_count
from condmmd.data.pairs import check_same_rows, one_named
from condmmd.data.row_order import check_order
from condmmd.data.samples import warn_constant
from condmmd.doors.asked import row_plan
from condmmd.embedding.forecasts import Forecast, rows_of_model
from condmmd.inference import Compute
from condmmd.inference.rowwise import NullName
from condmmd.kernels import KernelLike
from condmmd.results.code import call_code
from condmmd.results.rowwise_result import ModelTestResult
from condmmd.statistics.rowwise import Level, Weights

__all__ = ["model_test"]


@unforked
def model_test(
    X: Any,
    Y: Any,
    model: Forecast,
    *,
    data: Any = None,
    classes: Any = None,
    n_draws: int = 20,
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
) -> ModelTestResult:
    """Test whether Y given X is distributed as a model says.

    The model must not have been fitted to these rows: a model knows the rows that it was fitted to too well.

    Parameters
    ----------
    X, Y, data
        As in `cmmd_test`.
    model
        What the model says of each row: a pair ``(mean, sd)`` or `Normals`; a `Mixture`; `Quantiles`; draws, of shape
        (rows, draws) or (rows, draws, columns of Y); probabilities of classes, of shape (rows, classes), or of the
        second of two classes. Or an object that says it when asked: ``predict_proba(X)``, ``sample(X, n_draws)``,
        ``rvs(size, random_state)`` as frozen laws of SciPy have, or ``predict(X, return_std=True)``.
    classes
        What the columns of probabilities are of, if these are not the sorted classes of Y.
    n_draws
        Draws for each row, where an object is asked for them.
    kernel_x, kernel_y, level, weights, neighbours, reg, blocks
        As in `paired_test`. Of normal laws and mixtures ``kernel_y`` is Gaussian, with expectations in closed form.
    null
        "flips" of the signs of residuals, right for many rows; "redraw": outcomes drawn anew from the model, exact for
        any number of rows, but weaker where the model spreads them too far; "normal", as in `paired_test`; "auto":
        redraws of classes and of quantiles, else flips, or the limit for neighbours alone.
    n_resamples, significance, rng, tol, compute
        As in `paired_test`.

    Returns
    -------
    ModelTestResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import model_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> y = np.sin(x) + (0.5 + 0.3 * (x > 0)) * rng.normal(size=200)
    >>> bool(model_test(x, y, (np.sin(x), 0.5 + 0.3 * (x > 0)), rng=1).pvalue > 0.05)
    True
    >>> bool(model_test(x, y, (np.sin(x), np.full(200, 0.65)), rng=1).pvalue < 0.05)  # the spread is not constant
    True
    """
    asked = dict(locals())
    plan = row_plan(asked)
    n_draws = check_count(n_draws, "n_draws")
    arguments = spelled(data, {"X": X, "Y": Y})
    call = call_code(model_test, [*arguments[:2], "model", *arguments[2:]], asked | {"rng": plan.settings.seed})
    X, Y, blocks = pick_columns(data, X=X, Y=Y, blocks=blocks)
    check_order({"X": X, "Y": Y, "blocks": blocks})
    x, y = read_table(X, "X"), one_named(read_table(Y, "Y"), "y")
    check_same_rows(x, y)
    warn_constant(x)
    rows = rows_of_model(model, X, x, y, classes=classes, n_draws=n_draws, seed=plan.settings.seed)
    return ModelTestResult.of(plan, rows, blocks, call)
