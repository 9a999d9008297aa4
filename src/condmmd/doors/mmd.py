"""`mmd` and `mmd_test`: did X move, or Y? With nothing to condition on."""

from __future__ import annotations

from typing import Any

from condmmd.backend import n_rows, observed_labels, unforked
from condmmd.data import Samples, pick_columns, pooled_rows, read_gram, read_group, read_table
from condmmd.data.checks import check_count
from condmmd.data.row_order import check_order
from condmmd.inference import Compute, Plan, Resampling, Settings
from condmmd.inference.evaluate import check_statistics, read_seed
from condmmd.kernels import KernelLike
from condmmd.labels import LabelRules
from condmmd.nuisance import Learned
from condmmd.nuisance.propensity import EqualMarginals
from condmmd.nuisance.residuals import NoResiduals
from condmmd.results import MMDTestResult
from condmmd.statistics import MMD

__all__ = ["mmd", "mmd_test"]


@unforked
def mmd(
    X: Any, group: Any, *, data: Any = None, kernel: KernelLike = None, unbiased: bool = False, tol: float = 1e-12,
    max_rank: int | None = None,
) -> float:  # fmt: skip
    """Squared maximum mean discrepancy between the two samples' distributions of X (paper, equation mmd).

    Parameters
    ----------
    X
        An array or data frame, as in `cmmd`; pass the outcomes to compare those.
    group, data
        As in `cmmd`.
    kernel
        As ``kernel_x`` of `CMMD`.
    unbiased
        Leave out the similarity of each row with itself; the result may be negative.
    tol, max_rank
        As in `CMMD`.

    Examples
    --------
    >>> from condmmd import Linear, mmd
    >>> mmd([1.0, 3.0, 2.0, 4.0], [1, 1, 0, 0], kernel=Linear())  # squared difference of the means
    1.0
    """
    statistic = MMD(kernel, unbiased, tol, max_rank)
    X, group = pick_columns(data, X=X, group=group)
    samples = _read(X, group, statistic)
    fitted = statistic.fit(samples, Learned(statistic.embed_outcomes(samples)))
    return float(check_statistics(fitted(observed_labels(samples.groups.t)), fitted)[0, 0])


@unforked
def mmd_test(
    X: Any, group: Any, *, data: Any = None, kernel: KernelLike = None, unbiased: bool = False, blocks: Any = None,
    n_resamples: int = 999, rng: Any = None, tol: float = 1e-6, max_rank: int | None = None,
) -> MMDTestResult:  # fmt: skip
    """Test whether X has the same distribution in both samples, by shuffling labels (exact).

    Parameters
    ----------
    X, group, data, kernel, unbiased, tol, max_rank
        As in `mmd`.
    blocks, n_resamples, rng
        As in `cmmd_test`.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import mmd_test
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> group = np.repeat([1, 0], 50)
    >>> mmd_test(x + group, group, rng=1).pvalue
    0.001
    """
    statistic = MMD(kernel, unbiased, tol, max_rank)
    settings = Settings(check_count(n_resamples, "n_resamples"), read_seed(rng), 0.05, Compute())
    X, group, blocks = pick_columns(data, X=X, group=group, blocks=blocks)
    samples = _read(X, group, statistic, blocks)
    plan = Plan(statistic, LabelRules(EqualMarginals(), blocks=blocks), NoResiduals(), Resampling(), settings)
    return MMDTestResult.of(plan.run(samples), samples, settings.seed)


def _read(X: Any, group: Any, statistic: MMD, blocks: Any = None) -> Samples:
    check_order({"X": X, "group": group, "blocks": blocks})
    gram, table = read_gram(X, "X") if statistic.precomputed[1] else (None, read_table(X, "X"))
    groups = read_group(group)
    if n_rows(groups.t) != n_rows(table.values):
        counts = n_rows(table.values), n_rows(groups.t)
        raise ValueError(f"`X` has {counts[0]} rows and `group` has {counts[1]}; they must be the same.")
    return pooled_rows(table, table, groups, gram_y=gram)
