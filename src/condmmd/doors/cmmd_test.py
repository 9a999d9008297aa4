"""`cmmd_test` asks whether Y given X is the same in two samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from condmmd.backend import kind_of, unforked
from condmmd.data import pick_columns, read_samples, spelled
from condmmd.data.checks import PerGroup, is_number
from condmmd.doors.asked import settings_of
from condmmd.inference import Compute, NullLaw, Plan, Resampling, check_in_memory
from condmmd.labels import LabelRules
from condmmd.labels.blocks import block_values
from condmmd.nuisance import Forests, PropensityLike, propensity_model, residual_model
from condmmd.nuisance.propensity import evaluated
from condmmd.results import CMMDTestResult
from condmmd.results.code import call_code
from condmmd.statistics import DoublyRobust, Family, Statistic

__all__ = ["cmmd_test"]


@unforked
def cmmd_test(
    X: Any,
    Y: Any,
    group: Any,
    *,
    data: Any = None,
    statistic: Statistic = Family(),  # noqa: B008 - a frozen value
    propensity: PropensityLike = "estimate",
    residualize: Any = True,
    null: NullLaw | None = None,
    blocks: Any = None,
    trim: float | None = None,
    n_resamples: int = 999,
    significance: float = 0.05,
    rng: Any = None,
    compute: Compute = Compute(),  # noqa: B008
) -> CMMDTestResult:
    """Test whether the distribution of Y given X is the same in two samples.

    Parameters
    ----------
    X, Y, group, data
        As in `cmmd`: rows, or names of columns of ``data``.
    statistic
        What is compared: `Family`, differences of mean, spread and distribution, over all rows and along X; `CMMD`,
        with kernels, lambdas, levels, an estimator and an accuracy; `Energy`; or a `Statistic` of your own.
    propensity
        The probability of P at x in the pooled sample. "estimate": by logistic regression on main effects, squares, and
        the features of X on which the outcomes depend, from 300 rows a group on mixed with trees if these predict
        better; or, where X takes few values, no model at all (labels are shuffled among rows of equal X). None: X has
        the same distribution in both samples, and labels are shuffled. Or a function of X, one probability a row, or a
        scikit-learn classifier.
    residualize
        True: compare what a regression of the outcomes on X leaves, pooled over the groups: `Forests`, a forest and a
        ridge on what it leaves, or `PooledRidge` where X is a Gram matrix. False: the outcomes as they are. Or either
        of these two, or a scikit-learn regressor, which is then cross-fitted.
    null
        None: random signs (`Signs`) where the propensity is estimated, labels drawn anew (`Resampling`) where their law
        is known. Or one of these: `Resampling`, with the scheme by which labels are drawn; `Signs`; `Asymptotic`, the
        law that many rows lead to, for p-values far below ``1 / n_resamples``. The last two are for `Family` and other
        statistics of labels less their propensity.
    blocks
        One value a row, or a column of ``data``: rows with the same value (a subject, a day) keep one label. With a
        propensity, it must be the same for all rows of a block; the estimate is made on block means.
    trim
        Leave out rows, whatever their group, whose propensity (as it would be with samples of one size) is below
        ``trim`` or above ``1 - trim``.
    n_resamples
        Null draws: label vectors, or vectors of signs.
    significance
        The level at which a decision is wanted; too few resamples for it are refused.
    rng
        None, a seed or a `numpy.random.Generator`.
    compute
        Workers, batches and progress. None of them changes the result.

    Returns
    -------
    CMMDTestResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import cmmd_test
    >>> rng = np.random.default_rng(0)
    >>> x = np.concatenate([rng.normal(-0.5, 1, 150), rng.normal(0.5, 1, 150)])  # X moved
    >>> group = np.repeat([1, 0], 150)
    >>> y = np.sin(x) + 0.3 * rng.normal(size=300)                               # Y given X did not
    >>> bool(cmmd_test(x, y, group, rng=1).pvalue > 0.05)
    True
    >>> cmmd_test(x, y + 0.5 * group * (x > 0), group, rng=1).pvalue             # now it did
    0.001
    """
    asked = dict(locals())
    settings = settings_of(asked)
    _check_parts(statistic, null or Resampling(), compute, trim)
    residuals = residual_model(residualize, Forests(), gram=statistic.precomputed[0])
    model = propensity_model(propensity)
    call = call_code(cmmd_test, spelled(data, {"X": X, "Y": Y, "group": group}), asked | {"rng": settings.seed})
    X, Y, group, blocks = pick_columns(data, X=X, Y=Y, group=group, blocks=blocks)
    own = blocks if blocks is None or kind_of(blocks).startswith("chunked") else block_values(blocks)
    law = null or Resampling()
    rules = LabelRules(model, law.scheme, own, trim)
    law.check(statistic, rules, settings)
    grams = {"precomputed_x": statistic.precomputed[0], "precomputed_y": statistic.precomputed[1]}
    samples = read_samples(X, Y, group, **grams, blocks=blocks, propensity=propensity)
    check_in_memory(samples, statistic, rules, residuals, null)
    plan = Plan(statistic, replace(rules, model=evaluated(model, X)), residuals, null, settings)
    return CMMDTestResult.of(plan, samples, plan.run(samples), call)


def _check_parts(statistic: Any, null: Any, compute: Any, trim: Any) -> None:
    """Objects where objects are wanted, before any work."""
    for value, name, member, example in (
        (statistic, "statistic", "fit", "CMMD(level=1)"),
        (null, "null", "run", "Resampling(scheme='bernoulli')"),
        (compute, "compute", "report", "Compute(n_jobs=2)"),
    ):
        if isinstance(value, type) or not hasattr(value, member):
            raise TypeError(f"`{name}` must be an object such as {example}; got {value!r}.")
    if trim is not None and not (is_number(trim) and 0 < trim < 0.5):
        raise ValueError(f"`trim` must be between 0 and 0.5, or None; got {trim!r}.")
    if not isinstance(statistic, Statistic) or "covariates" not in statistic.needs:
        raise TypeError(f"`statistic` must compare Y given X, as Family, CMMD and Energy do; got {statistic!r}.")
    estimator = getattr(statistic, "estimator", None)
    if isinstance(estimator, DoublyRobust) and estimator.train is not None:
        raise ValueError("`train` of DoublyRobust is for cmmd(); a test takes all rows, or `folds`.")
    if isinstance(estimator, DoublyRobust) and isinstance(estimator.model, PerGroup) and trim is not None:
        raise ValueError("`trim` leaves out rows for which DoublyRobust has predictions; trim the table beforehand.")
