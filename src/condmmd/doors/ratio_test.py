"""`ratio_test` asks whether the densities of two samples have a given ratio."""

from __future__ import annotations

from typing import Any

import numpy as np

from condmmd.backend import observed_labels, sigmoid, unforked
from condmmd.data import pick_columns, read_samples, spelled
from condmmd.data.ratios import log_ratios
from condmmd.doors.asked import settings_of
from condmmd.inference import Compute, Plan, Resampling
from condmmd.kernels import KernelLike, is_precomputed
from condmmd.labels import LabelRules
from condmmd.nuisance.propensity import Known
from condmmd.nuisance.residuals import NoResiduals
from condmmd.results import RatioTestResult
from condmmd.results.code import call_code
from condmmd.results.tested import told_by
from condmmd.statistics import FittedShiftedMMD, ShiftedMMD

__all__ = ["ratio_test"]


@unforked
def ratio_test(
    X: Any,
    Y: Any,
    group: Any,
    ratio: Any,
    *,
    data: Any = None,
    kernel_x: KernelLike = None,
    kernel_y: KernelLike = None,
    n_resamples: int = 999,
    significance: float = 0.05,
    rng: Any = None,
    compute: Compute = Compute(),  # noqa: B008 - a frozen value
) -> RatioTestResult:
    """Test whether the density of (X, Y) in Q is a given ratio times that in P, up to a constant.

    A ratio that depends on X alone says that Y given X is the same and how X moved: the importance weights of a model
    that is deployed elsewhere, say. One that depends on Y too says how Y given X differs. If it is right, labels given
    the rows are P with odds of 1 over it, so null labels are drawn exactly and the p-value is exact in finite samples.

    Parameters
    ----------
    X, Y, group, data
        As in `cmmd`, in memory.
    ratio
        How many times as likely a row is in Q (label 0) as in P (1), up to a constant: numbers, one a row; a column of
        ``data``; or a function of X and Y that gives them. It must not have been found from these very rows.
    kernel_x, kernel_y
        As in `CMMD`, one each; not "precomputed".
    n_resamples, significance, rng, compute
        As in `cmmd_test`.

    Returns
    -------
    RatioTestResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import ratio_test
    >>> rng = np.random.default_rng(1)
    >>> x, group = np.concatenate([rng.normal(0, 1, 200), rng.normal(0.5, 1, 200)]), np.repeat([1, 0], 200)
    >>> y = x + rng.normal(size=400)
    >>> bool(ratio_test(x, y, group, lambda x, y: np.exp(0.5 * x), rng=1).pvalue > 0.05)
    True
    >>> ratio_test(x, y, group, np.ones(400), rng=1).pvalue  # X did move
    0.001
    """
    asked = dict(locals())
    settings = settings_of(asked)
    for kernel, name in ((kernel_x, "kernel_x"), (kernel_y, "kernel_y")):
        if is_precomputed(kernel):
            raise ValueError(f"`{name}` must be a kernel of columns here, not a precomputed Gram matrix.")
    statistic, null = ShiftedMMD(kernel_x, kernel_y), Resampling()
    given = {"X": X, "Y": Y, "group": group} | ({} if callable(ratio) else {"ratio": ratio})
    code = spelled(data, given)
    if callable(ratio):
        code.insert(3, "ratio")
    X, Y, group, *rest = pick_columns(data, **given)
    samples = read_samples(X, Y, group)
    if samples.chunked:
        raise TypeError("ratio_test() needs all rows in memory, and these are in chunks (dask); take a sample.")
    logarithms = log_ratios(ratio(X, Y) if callable(ratio) else rest[0], samples.groups.n + samples.groups.m)
    rules = LabelRules(Known(np.asarray(sigmoid(-logarithms)), "1 / (1 + ratio)"))
    null.check(statistic, rules, settings)
    run = Plan(statistic, rules, NoResiduals(), null, settings).run(samples)
    fitted, groups = run.trained.fitted, samples.groups
    if not isinstance(fitted, FittedShiftedMMD):
        raise TypeError(f"`statistic`: {statistic.name} has no weighted samples.")
    return RatioTestResult(
        **told_by(run.outcome, settings), mmd=float(fitted.unbiased(observed_labels(groups.t))[0]),
        n_obs=(groups.n, groups.m), labels=(groups.p_label, groups.q_label), effective_rows=fitted.effective_rows,
        ratio_range=float(np.exp(np.ptp(logarithms))), call=call_code(ratio_test, code, asked | {"rng": settings.seed}),
        spaces=samples.spaces,
    )  # fmt: skip
