"""`plan` asks how many rows a test needs to show an effect, from a pilot table."""

from __future__ import annotations

from typing import Any

import numpy as np

from condmmd.backend import n_rows
from condmmd.data import Groups, pick_columns, read_samples, read_table
from condmmd.data.checks import check_choice, check_significance, is_number
from condmmd.effects.alternatives import KINDS
from condmmd.effects.detectable import check_power
from condmmd.effects.planning import rows_needed
from condmmd.inference import Compute, Plan, Settings
from condmmd.inference.evaluate import read_seed
from condmmd.labels import LabelRules
from condmmd.nuisance import Forests, PropensityLike, propensity_model, residual_model
from condmmd.nuisance.propensity import evaluated
from condmmd.results import PlanResult
from condmmd.statistics import Family, Statistic

__all__ = ["plan"]


def plan(
    X: Any,
    Y: Any,
    group: Any = None,
    *,
    data: Any = None,
    effect: float,
    kind: str | None = None,
    outcome: str | None = None,
    along: str | None = None,
    in_deviations: bool = False,
    power: float = 0.8,
    share: float = 0.5,
    statistic: Statistic = Family(),  # noqa: B008 - a frozen value
    propensity: PropensityLike = "estimate",
    significance: float = 0.05,
    rng: Any = None,
) -> PlanResult:
    """How many rows of each group does `cmmd_test` need to show an effect? From a pilot table.

    The models of the test are fitted to the pilot; then labels are drawn on its covariates, and rows of P get the
    effect in their outcomes. In a larger table the effect weighs more, by its rows, and the noise by their root.

    Parameters
    ----------
    X, Y
        Covariates and outcomes of the pilot, in memory, as in `cmmd_test`.
    group
        Its two groups; the tables to come are to overlap as they do and have the same share of rows in P. None: the
        pilot is of one population, and labels are given by chance, a ``share`` of them P.
    data
        As in `cmmd`.
    effect
        Its size: of a shift in the outcome's units, of a slope in the same for each standard deviation of the
        covariate, of a class as the rise of its share (0.1 is ten percentage points), of a spread and of a rate as a
        ratio above 1.
    kind
        "shift", "slope" or "spread" of a number, "share" of a class, "rate" of a count; None: the first that the
        outcome can have.
    outcome
        The outcome that has the effect, where there are several.
    along
        The covariate of a slope; None: the one of which most variation is left where the groups overlap.
    in_deviations
        Whether ``effect`` is in residual standard deviations.
    power
        How often the test is to reject.
    share
        The part of the rows that is P, without ``group``.
    statistic, propensity, significance, rng
        Of the test, as in `cmmd_test`; a statistic that is linear in the labels.

    Returns
    -------
    PlanResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import plan
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 2))
    >>> found = plan(x, x[:, 0] + rng.normal(size=200), effect=0.3, rng=1)
    >>> 150 < found.rows[0] < 350
    True
    """
    settings = Settings(1, read_seed(rng), check_significance(significance), Compute())
    check_power(power, settings.significance)
    if kind is not None:
        check_choice(kind, "kind", KINDS)
    if not (is_number(share) and 0 < share < 1):
        raise ValueError(f"`share` must be between 0 and 1; got {share!r}.")
    gram_x, gram_y = statistic.precomputed
    model = propensity_model(propensity)
    X, Y, group = pick_columns(data, X=X, Y=Y, group=group)
    if group is None:
        group = _chance_groups(n_rows(read_table(X, "X").values), share, settings.seed)
    elif share != 0.5:
        raise ValueError("`share` is for a pilot without `group`; with it, the share is that of the pilot.")
    samples = read_samples(X, Y, group, precomputed_x=gram_x, precomputed_y=gram_y)
    if samples.chunked:
        raise TypeError("plan() needs all rows in memory, and these are in chunks (dask); take a sample.")
    rules = LabelRules(evaluated(model, X))
    test = Plan(statistic, rules, residual_model(True, Forests(), gram=gram_x), None, settings)
    trained = test.train(samples)
    needed = rows_needed(
        test, trained, effect, power=power, kind=kind, outcome=outcome, along=along, in_deviations=in_deviations
    )
    groups = samples.groups
    return PlanResult.of(
        needed, power=float(power), significance=settings.significance, pilot=(groups.n, groups.m),
        labels=(groups.p_label, groups.q_label), assumption=trained.null.assumption(trained.labels),
    )  # fmt: skip


def _chance_groups(count: int, share: float, seed: int) -> Groups:
    """Labels by chance, as many of P as their share says."""
    ones = min(max(round(share * count), 2), count - 2)
    if count < 4:
        raise ValueError(f"`X` has {count} rows; a pilot needs at least 4, two of each group.")
    t = np.random.default_rng([seed, 7]).permutation(np.arange(count) < ones).astype(np.float64)
    return Groups(t, "P", "Q")
