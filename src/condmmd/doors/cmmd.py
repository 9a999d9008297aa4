"""`cmmd` measures how different Y given X is in two samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from condmmd.backend import unforked
from condmmd.data import pick_columns, read_samples
from condmmd.data.checks import is_number
from condmmd.inference import Compute, Plan, Settings, check_in_memory
from condmmd.labels import LabelRules, propensity_of_rows
from condmmd.nuisance import Forests, Learned, PropensityLike, propensity_model, residual_model
from condmmd.nuisance.propensity import evaluated
from condmmd.results import Discrepancy
from condmmd.statistics import CMMD, Family

__all__ = ["cmmd"]


@unforked
def cmmd(
    X: Any,
    Y: Any,
    group: Any,
    *,
    data: Any = None,
    statistic: CMMD = CMMD(),  # noqa: B008 - a frozen value
    propensity: PropensityLike = "estimate",
) -> Discrepancy:
    """Measure how different the distribution of Y given X is in two samples, at every level.

    Parameters
    ----------
    X, Y
        Covariates and outcomes of both samples, row by row: 1-D or 2-D arrays of numbers or booleans, or data frames
        or series (pandas, polars, ...) with numeric, boolean, categorical or string columns, or dates, which are taken
        as days since 1970. Arrays of PyTorch or CuPy stay on their device; with arrays or data frames of dask the work
        is done chunk by chunk. Text with nearly as many values as rows, such as an identifier, is refused.
        Rows are matched by position; a pandas index is not looked at.
    group
        A label with two values: which sample a row is from. 1 or True is P; with neither, the later in sorted order.
    data
        A data frame (pandas, polars, pyarrow, dask, ...) in which strings and lists of strings given as X, Y and group
        name columns: ``cmmd(["age", "sex"], "weight", "smoker", data=df)``. X or Y may then be None, every column that
        has no other role; leave out what is no covariate, such as a number of the row, with ``df.drop(columns=...)``.
    statistic
        `CMMD`, with kernels, lambda, an estimator and an accuracy; or `Energy`. The level is chosen afterwards, as in
        ``d.level(1)``.
    propensity
        For `DoublyRobust` and `Orthogonal`: the probability of P at x. None (the same everywhere), a function of X, one
        probability a row, a scikit-learn classifier, or "estimate". Used as it is, never clipped.

    Returns
    -------
    Discrepancy

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import CMMD, cmmd
    >>> rng = np.random.default_rng(1)
    >>> x, group = rng.normal(size=300), rng.integers(0, 2, size=300)
    >>> y = np.where(group == 1, np.exp(-x**2 / 2) * np.sin(2 * x), x) + 0.5 * rng.normal(size=300)
    >>> d = cmmd(x, y, group, statistic=CMMD(reg=0.1))
    >>> d.level([0, 1, 2]).round(3)
    array([0.462, 0.041, 0.006])
    """
    if not isinstance(statistic, CMMD):
        raise TypeError(f"`statistic` must be an object such as CMMD(reg=0.1); got {statistic!r}.")
    wanted = "propensity" in statistic.needs
    estimated = isinstance(propensity, str) and propensity == "estimate"
    if not (wanted or estimated):
        raise ValueError(f"`propensity` does not apply to the {statistic.name} estimator; use DoublyRobust().")
    rules = LabelRules(propensity_model(propensity))
    X, Y, group = pick_columns(data, X=X, Y=Y, group=group)
    grams = {"precomputed_x": statistic.precomputed[0], "precomputed_y": statistic.precomputed[1]}
    samples = read_samples(X, Y, group, **grams, propensity=propensity)
    check_in_memory(samples, statistic, rules)
    y = statistic.embed_measured(samples)
    learned = Learned(y)
    if wanted:
        found = propensity_of_rows(evaluated(rules.model, X), samples, y.phi)
        learned = Learned(y, found, found.e)
    comparison = statistic.measure(samples, learned)
    return Discrepancy.of(
        comparison, samples, statistic.name, _test(statistic, replace(rules, model=evaluated(rules.model, X)))
    )


def _test(statistic: CMMD, rules: LabelRules) -> Plan:
    """The test of the same kernels, whose models measure the size."""
    family = Family(
        kernel_x=statistic.kernels[0],
        kernel_y=statistic.kernel_y,
        reg=statistic.reg if is_number(statistic.reg) else None,
    )
    residuals = residual_model(True, Forests(), gram=statistic.precomputed[0])
    return Plan(family, rules, residuals, None, Settings(1, 0, 0.05, Compute()))
