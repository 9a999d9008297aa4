"""`screen` asks of each of many outcomes whether, given X, it is the same in two samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scipy.stats import false_discovery_control

from condmmd.backend import unforked
from condmmd.data import pick_columns, read_samples
from condmmd.data.checks import check_significance
from condmmd.inference import Compute, Settings
from condmmd.inference.screening import screen_outcomes
from condmmd.labels import LabelRules
from condmmd.nuisance import PropensityLike, propensity_model
from condmmd.nuisance.propensity import evaluated
from condmmd.results import ScreenResult

__all__ = ["screen"]


@unforked
def screen(
    X: Any, Y: Any, group: Any, *, data: Any = None, propensity: PropensityLike = "estimate",
    significance: float = 0.05,
) -> ScreenResult:  # fmt: skip
    """Test every column of Y by itself: is its distribution given X the same in two samples?

    Made for thousands of outcomes (genes, sensors, survey items): all that depends on X alone is done once, and
    p-values come from the law that many rows lead to, so they can be as small as a correction for many outcomes needs.
    Each outcome is looked at by its mean and its spread, over all rows, along main effects and along a kernel of X at
    three levels, and by its ranks over all rows. What X says of an outcome is taken away by a ridge regression in one
    eigenbasis, with a lambda for each; forests, which find edges that a smooth kernel does not, are left to
    `cmmd_test` on what was found.

    Parameters
    ----------
    X, group
        As in `cmmd_test`; rows in memory.
    Y
        Outcomes, a column each: numbers or booleans.
    data
        As in `cmmd`: ``screen(["age"], None, "clinic", data=df)`` tests every column but these two.
    propensity
        As in `cmmd_test`. The estimate is one for all outcomes: it balances the directions of X on which the leading
        principal directions of the outcomes depend.
    significance
        The share of false discoveries by which the summary speaks.

    Returns
    -------
    ScreenResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import screen
    >>> rng = np.random.default_rng(1)
    >>> x, group = rng.normal(size=(200, 2)), np.repeat([1, 0], 100)
    >>> Y = x[:, :1] + rng.normal(size=(200, 50))
    >>> Y[:, 7] += group
    >>> screen(x, Y, group).found
    ('y7',)
    """
    check_significance(significance)
    rules = LabelRules(propensity_model(propensity))
    X, Y, group = pick_columns(data, X=X, Y=Y, group=group)
    samples = read_samples(X, Y, group, propensity=propensity)
    if samples.chunked:
        raise TypeError("screen() needs all rows in memory, and these are in chunks (dask); pass arrays in memory.")
    if samples.y.categorical:
        named = ", ".join(f"'{samples.y.names[j]}'" for j in samples.y.categorical[:5])
        raise TypeError(
            f"`Y` must be numbers or booleans; {named} has categories. Pass one 0/1 column for each of them."
        )
    rules = replace(rules, model=evaluated(rules.model, X))
    found = screen_outcomes(samples, rules, Settings(1, 0, significance, Compute()))
    groups, known = samples.groups, found.trained.labels.propensity
    return ScreenResult(
        names=samples.y.names,
        pvalues=found.pvalues,
        adjusted=false_discovery_control(found.pvalues),
        effects=found.effects,
        kinds=found.kinds,
        n_obs=(groups.n, groups.m),
        labels=(groups.p_label, groups.q_label),
        significance=float(significance),
        assumption=found.trained.null.assumption(found.trained.labels),
        propensity_summary=known.summary(),
        covariates=samples.spaces[0],
    )
