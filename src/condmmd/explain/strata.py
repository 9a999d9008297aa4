"""The same test within strata of a covariate, with Holm's correction over them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from condmmd.backend import to_host
from condmmd.data.checks import PerGroup, check_count
from condmmd.explain.evidence import Evidence
from condmmd.explain.shifts import Means
from condmmd.explain.windows import span

__all__ = ["Stratum", "strata_tests"]


@dataclass(frozen=True)
class Stratum:
    """One stratum of `result.by_stratum()`: its rows, its own p-value and Holm's, which holds over all strata.

    ``shift`` and ``error`` are as in `Region`: the mean of one numeric outcome in P minus that in Q, and its standard
    error.
    """

    name: str
    n_obs: tuple[int, int]
    pvalue: float | None
    holm_pvalue: float | None
    note: str = ""
    shift: float | None = None
    error: float | None = None


def strata_tests(evidence: Evidence, covariate: str, bins: int = 4) -> tuple[Stratum, ...]:
    """Repeat the test within each category, or each of ``bins`` quantile bins, of a covariate; Holm over them.

    Labels are drawn within the stratum as in the whole test, given how many of each group it has; the propensity and
    the models of the outcomes are those of the whole table.
    """
    samples = evidence.samples
    if samples.gram_x is not None:
        raise TypeError("by_stratum() needs the columns of X; a precomputed kernel has none.")
    if not isinstance(covariate, str) or covariate not in samples.x.names:
        raise ValueError(f"`covariate` must be one of {list(samples.x.names)}; got {covariate!r}.")
    j = samples.x.names.index(covariate)
    column, values = samples.x.columns[j], to_host(samples.x.values)[:, j]
    if column.categories is not None:
        codes = values.astype(int)
        parts = [(f"{covariate} is {column.categories[code]}", codes == code) for code in np.unique(codes)]
    else:
        edges = np.quantile(values, np.linspace(0, 1, check_count(bins, "bins") + 1)[1:-1], method="inverted_cdf")
        of_row = np.searchsorted(np.unique(edges), values, side="left")
        masks = [of_row == k for k in np.unique(of_row)]
        parts = [(f"{covariate} {span(values[mask].min(), values[mask].max())}", mask) for mask in masks]
    _check_can_restrict(evidence)
    # Holm's smallest p-value is as many times 1 / (B + 1) as there are strata.
    settings = evidence.plan.settings
    count = max(settings.n_resamples, int(np.ceil(2 * len(parts) / settings.significance)))
    strata, means = [], Means.of(evidence)
    for name, mask in parts:
        n = int(evidence.t[mask].sum())
        n_obs = (n, int(mask.sum()) - n)
        if min(n_obs) < 2:
            strata.append(Stratum(name, n_obs, None, None, "fewer than 2 rows of a group"))
            continue
        try:
            found = evidence.plan.run_within(evidence.labels, evidence.learned, mask, count).outcome.pvalue
        except ValueError as problem:  # no overlap in this stratum; the others stand
            strata.append(Stratum(name, n_obs, None, None, str(problem)))
            continue
        shift, error = (None, None) if means is None else means.shift(np.flatnonzero(mask))
        strata.append(Stratum(name, n_obs, found, None, "", shift, error))
    return _holm(strata)


def _check_can_restrict(evidence: Evidence) -> None:
    """Refuse, once, what cannot be asked of some of the rows."""
    if evidence.labels.blocks is not None:
        raise TypeError("a test within strata cannot have `blocks`; leave them out, or split the table beforehand.")
    estimator = getattr(evidence.plan.statistic, "estimator", None)
    if isinstance(getattr(estimator, "model", None), PerGroup):
        raise TypeError("a test within strata cannot have predictions for all rows as the `model` of DoublyRobust.")


def _holm(strata: list[Stratum]) -> tuple[Stratum, ...]:
    pvalues = np.array([np.inf if stratum.pvalue is None else stratum.pvalue for stratum in strata])
    tested, largest, adjusted = int(np.isfinite(pvalues).sum()), 0.0, {}
    for rank, k in enumerate(np.argsort(pvalues, kind="stable")[:tested]):
        largest = max(largest, min(1.0, (tested - rank) * float(pvalues[k])))
        adjusted[int(k)] = largest
    return tuple(replace(stratum, holm_pvalue=adjusted.get(k)) for k, stratum in enumerate(strata))
