"""`interventional_test` asks whether the outcomes of a population changed, after adjusting for X."""

from __future__ import annotations

from typing import Any

from condmmd.backend import unforked
from condmmd.doors.cmmd_test import cmmd_test
from condmmd.inference import Compute, Resampling, Signs
from condmmd.kernels import KernelLike
from condmmd.nuisance import PropensityLike
from condmmd.regression.populations import PopulationName
from condmmd.results import CMMDTestResult
from condmmd.statistics import Interventional

__all__ = ["interventional_test"]


@unforked
def interventional_test(
    X: Any,
    Y: Any,
    group: Any,
    *,
    data: Any = None,
    population: PopulationName = "overlap",
    kernel_x: KernelLike = None,
    kernel_y: KernelLike = None,
    doubly_robust: bool = True,
    propensity: PropensityLike = "estimate",
    residualize: Any = True,
    null: Resampling | Signs | None = None,
    blocks: Any = None,
    trim: float | None = None,
    n_resamples: int = 999,
    significance: float = 0.05,
    rng: Any = None,
    compute: Compute = Compute(),  # noqa: B008
) -> CMMDTestResult:
    """Test whether the outcomes of a population would be distributed alike in both groups, adjusted for X.

    What changes at some x and cancels over the population does not count; `cmmd_test` looks for that. It is the
    question of a treatment's effect on everybody's outcomes (KTE, DATE), or on those of one group (DETT). The mean, the
    spread and the whole distribution of the outcomes are joined in one p-value.

    The null law is that of `cmmd_test`, so that with a known propensity the p-value is exact where Y given X is the
    same. If it is not, but the population's outcomes are, it is right in large samples only; over "p" and "q" it
    rejects too often at a few hundred rows (docs/decisions/0011).

    Parameters
    ----------
    X, Y, group, data
        As in `cmmd`: rows, or names of columns of ``data``.
    population
        Over whom: "overlap", where both groups are (rows count by e (1 - e)), which needs no extrapolation; "all" rows
        (DATE); "p" or "q", covariates as in that group (DETT). These three refuse rows that only one group has.
    kernel_x
        Of the regression of the difference on X, as in `CMMD`.
    kernel_y
        Of the outcomes' distribution.
    doubly_robust
        Whether to regress the difference on X, anew for every draw; see `Interventional`. False together with
        ``residualize=False`` leaves inverse propensities alone (KTE).
    propensity, residualize, blocks, trim, n_resamples, significance, rng, compute
        As in `cmmd_test`.
    null
        `Resampling`, `Signs`, or None, as in `cmmd_test`.

    Returns
    -------
    CMMDTestResult
        Its ``effect()`` is over the same population.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import cmmd_test, interventional_test
    >>> rng = np.random.default_rng(0)
    >>> x, group = rng.normal(size=400), np.repeat([1, 0], 200)
    >>> y = np.where(group == 1, x, -x) + 0.5 * rng.normal(size=400)
    >>> cmmd_test(x, y, group, rng=1).pvalue                             # Y given x differs at every x but 0
    0.001
    >>> bool(interventional_test(x, y, group, rng=1).pvalue > 0.05)      # but over everybody it cancels
    True
    >>> interventional_test(x, y + 0.5 * group, group, rng=1).pvalue
    0.001
    """
    statistic = Interventional(population, kernel_x, kernel_y, doubly_robust)
    return cmmd_test(
        X, Y, group, data=data, statistic=statistic, propensity=propensity, residualize=residualize, null=null,
        blocks=blocks, trim=trim, n_resamples=n_resamples, significance=significance, rng=rng, compute=compute,
    )  # fmt: skip
