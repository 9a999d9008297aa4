"""The shop window: `cmmd` measures how different Y given X is in two samples."""

from __future__ import annotations

from typing import Any, Literal

from condmmd.arguments import check_choice, check_embedding, check_mixture
from condmmd.design import needs_regression, propensity_of_rows
from condmmd.discrepancy import Discrepancy
from condmmd.embedding import Solver
from condmmd.kernels import KernelLike, check_kernel
from condmmd.nuisance import regress_pooled
from condmmd.outcome_models import check_outcome_options
from condmmd.problem import check_blocks_of_rows, embed_outcome_side, embed_samples, pose, pose_doubly_robust
from condmmd.propensity import PropensityLike, check_propensity
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
    estimator: Literal["plugin", "joint", "doubly_robust"] = "plugin",
    propensity: PropensityLike = "estimate",
    outcome_model: Any = None,
    outcome_reg: float | tuple[float, float] | None = None,
    outcome_fit: Any = "all",
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
        or series (pandas, polars, ...) with numeric, boolean, categorical or string columns. Arrays of PyTorch or CuPy
        stay on their device; with arrays or data frames of dask the work is done block by block.
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
        gives levels from 2 on and has no lambda. "doubly_robust" is right if the propensity or the outcome models are;
        ``reg`` is then the lambda of the difference.
    propensity
        Doubly robust: the probability of P at x. None (the same everywhere), a function of X, one probability a row, a
        scikit-learn classifier, or "estimate". Used as it is, never clipped.
    outcome_model
        Doubly robust: None for the ridge embeddings of each group, a scikit-learn regressor (of several outputs) for
        the outcomes' features, or a pair of arrays with predictions of Y at the rows for P and for Q (linear
        ``kernel_y``).
    outcome_reg
        Doubly robust: lambda, or a pair (P, Q), of the ridge embeddings; None: ``reg``.
    outcome_fit
        Doubly robust: the rows to fit the outcome models on. "all"; a number of folds for cross-fitting; or a boolean
        mask of training rows, which then take no other part.
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
    check_choice(estimator, "estimator", ("plugin", "joint", "doubly_robust"))
    check_embedding(tol, max_rank, solver)
    check_mixture(mixture)
    check_propensity(propensity)
    options = check_outcome_options(outcome_model, outcome_reg, outcome_fit, refit=True, estimator=estimator)
    if options is None and not (isinstance(propensity, str) and propensity == "estimate"):
        raise ValueError(f"`propensity` does not apply to the {estimator} estimator; use 'doubly_robust'.")
    samples = read_samples(
        X, Y, group, precomputed_x=kernel_x == "precomputed", precomputed_y=kernel_y == "precomputed"
    )
    check_blocks_of_rows(samples, options=options, propensity=propensity)
    limit = None if max_rank is None else int(max_rank)
    y = embed_outcome_side(samples, kernel_y=kernel_y, tol=float(tol), max_rank=limit)
    features = embed_samples(samples, y, kernel_x=kernel_x, tol=float(tol), max_rank=limit, solver=solver)
    weight = None if mixture is None else float(mixture)
    if options is not None:
        estimated = needs_regression(samples, propensity, "auto", None)
        pooled = regress_pooled(y.phi, samples.x, features.x.kernel) if estimated else None
        e = propensity_of_rows(samples, X, propensity, pooled).e
        problem, chosen, samples = pose_doubly_robust(
            features, samples, reg=checked_reg, mixture=weight, e=e, options=options
        )
        return Discrepancy.of(problem, samples, chosen, estimator)
    problem, given = pose(features, reg=checked_reg, estimator=estimator, mixture=weight)
    return Discrepancy.of(problem, samples, given, estimator)
