"""The shop window: `cmmd` measures how different Y given X is in two samples."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

from condmmd.discrepancy import Discrepancy
from condmmd.embedding import Solver
from condmmd.kernels import KernelLike, check_kernel
from condmmd.problem import Estimator, pose
from condmmd.regularization import check_reg
from condmmd.samples import read_samples

__all__ = ["cmmd"]


def cmmd(
    X: Any,
    Y: Any,
    group: Any,
    *,
    kernel_x: KernelLike = None,
    kernel_y: KernelLike = None,
    reg: float | tuple[float, float] | Literal["loo", "gcv"] = "loo",
    estimator: Estimator = "plugin",
    mixture: float | None = None,
    tol: float = 1e-12,
    max_rank: int | None = None,
    solver: Solver = "auto",
) -> Discrepancy:
    """Measure how different the distribution of Y given X is in two samples, at every level.

    Parameters
    ----------
    X, Y
        Covariates and outcomes of both samples, row by row: 1-D or 2-D arrays of numbers or booleans, or data frames
        or series (pandas, polars, ...) with numeric, boolean, categorical or string columns.
        Rows are matched by position; a pandas index is not looked at.
    group
        A label with two values: which sample a row is from. 1 or True is P; with neither, the later in sorted order.
    kernel_x, kernel_y
        A `Kernel`; a name ("gaussian", "laplacian", "matern", "polynomial", "linear", "delta"); a function
        ``k(A, B) -> matrix``; "precomputed", where X or Y is the Gram matrix of all rows; or None: Gaussian on the
        numeric columns, each in units of its standard deviation, times delta on the others. A lengthscale that is not
        given is the median distance between rows.
    reg
        Ridge lambda; the ridge is lambda times the rows of the group. A number, a pair for P and Q, or chosen on the
        pooled rows: "loo" (leave-one-out) or "gcv" (generalised cross-validation). Rows that are copies of others make
        the chosen lambda too small; give a number then.
    estimator
        "plugin" is right whether or not X has the same distribution in both samples. "joint" needs that it has; it
        gives levels from 2 on and has no lambda.
    mixture
        Weight of P, between 0 and 1, in the distribution of X that the levels refer to; None: n / (n + m).
    tol
        Share of each kernel's trace that its features may leave out.
    max_rank
        Most features for each kernel; the residual that is left is in the result.
    solver
        Two ways to the same number: "primal" from moments of features, "dual" from Gram matrices. "auto" takes the one
        with fewer operations.

    Returns
    -------
    Discrepancy

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import cmmd
    >>> rng = np.random.default_rng(1)
    >>> x, group = rng.normal(size=300), rng.integers(0, 2, size=300)
    >>> y = np.where(group == 1, np.exp(-x**2 / 2) * np.sin(2 * x), x) + 0.5 * rng.normal(size=300)
    >>> d = cmmd(x, y, group, reg=0.1)
    >>> d.level([0, 1, 2]).round(3)
    array([0.462, 0.041, 0.006])
    """
    check_kernel(kernel_x, "kernel_x")
    check_kernel(kernel_y, "kernel_y")
    checked_reg = check_reg(reg)
    _check_choice(estimator, "estimator", ("plugin", "joint"))
    _check_choice(solver, "solver", ("auto", "primal", "dual"))
    _check_numbers(mixture, tol, max_rank)
    if solver == "dual" and max_rank is not None:
        raise ValueError("`max_rank` does not apply to solver='dual', which takes the full Gram matrix; leave one out.")
    samples = read_samples(
        X, Y, group, precomputed_x=kernel_x == "precomputed", precomputed_y=kernel_y == "precomputed"
    )
    problem, chosen = pose(
        samples,
        kernel_x=kernel_x,
        kernel_y=kernel_y,
        reg=checked_reg,
        estimator=estimator,
        mixture=None if mixture is None else float(mixture),
        tol=float(tol),
        max_rank=None if max_rank is None else int(max_rank),
        solver=solver,
    )
    return Discrepancy.of(problem, samples, chosen, estimator)


def _check_choice(value: Any, argument: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"`{argument}` must be one of {list(choices)}; got {value!r}.")


def _check_numbers(mixture: Any, tol: Any, max_rank: Any) -> None:
    if mixture is not None and not (_is_number(mixture) and 0 <= mixture <= 1):
        raise ValueError(f"`mixture` must be between 0 and 1, or None for the pooled sample; got {mixture!r}.")
    if not (_is_number(tol) and 0 <= tol < 1):
        raise ValueError(f"`tol` must be at least 0 and below 1; got {tol!r}.")
    if max_rank is not None and not (_is_number(max_rank) and max_rank >= 1 and float(max_rank).is_integer()):
        raise ValueError(f"`max_rank` must be a positive integer or None; got {max_rank!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
