"""The same test within strata of a column, with Holm's correction over them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.data import Column, pick_columns, read_table, select_rows
from condmmd.data.checks import PerGroup, check_count
from condmmd.data.frames import frame_of, unknown
from condmmd.data.on_screen import SCREEN, on_screen
from condmmd.data.warning_types import CondmmdWarning
from condmmd.explain.evidence import Evidence, evidence_of
from condmmd.explain.shifts import Means
from condmmd.explain.windows import span

__all__ = ["EffectsOf", "Strata", "Stratum", "strata_tests"]

# Strata that are shown at a prompt.
SHOWN = 6

# Effects of some of the rows of what a test looked at.
EffectsOf: TypeAlias = Callable[[Evidence, npt.NDArray[np.bool_]], tuple[Any, ...]]


@dataclass(frozen=True)
class Stratum:
    """One stratum of `result.by_stratum()`: its rows, its own p-value and Holm's, which holds over all strata.

    ``effects`` are those of the means of its outcomes (shares of classes, rates of counts), as in `result.effect()`,
    each with its own 95 % interval; ``shift`` and ``error`` are the first of them, where there is one numeric outcome.
    """

    name: str
    n_obs: tuple[int, int]
    pvalue: float | None
    holm_pvalue: float | None
    note: str = ""
    shift: float | None = None
    error: float | None = None
    effects: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return on_screen(f"Stratum({self.words})")

    @property
    def words(self) -> str:
        """All of it in a line."""
        n, m = self.n_obs
        start = f"{self.name}: {n} + {m} rows"
        if self.pvalue is None or self.holm_pvalue is None:
            return f"{start}, {self.note}" if self.note else start
        told = "".join(
            f", {e.name} {e.estimate:+.3g} ({e.interval[0]:.3g} to {e.interval[1]:.3g})"
            for e in self.effects[:1]
        )  # fmt: skip
        return f"{start}, p = {self.pvalue:.3g}, by Holm {self.holm_pvalue:.3g}{told}"


class Strata(tuple[Stratum, ...]):
    """The strata of one column, in its order."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = [shorten(stratum.words, SCREEN - 2, placeholder=" ...") for stratum in self[:SHOWN]]
        rest = [f"... and {len(self) - SHOWN} more; .to_frame() has them"] if len(self) > SHOWN else []
        return "\n".join(["Strata:", *(f"  {line}" for line in lines + rest)])

    def to_frame(self) -> Any:
        """A line for each effect in each stratum, as a pandas data frame; needs pandas."""
        columns = (
            "stratum", "rows_p", "rows_q", "pvalue", "holm_pvalue", "effect", "estimate", "error", "low", "high",
            "note",
        )  # fmt: skip
        lines = []
        for s in self:
            for e in s.effects or (None,):
                effect = (None,) * 5 if e is None else (e.name, e.estimate, e.error, *e.interval)
                cells = (s.name, *s.n_obs, s.pvalue, s.holm_pvalue, *effect, s.note)
                lines.append(dict(zip(columns, cells, strict=True)))
        return frame_of(lines, "by_stratum() itself", columns)


def strata_tests(
    evidence: Evidence, column: Any, bins: int = 4, *, data: Any = None, effects: EffectsOf | None = None
) -> Strata:
    """Repeat the test within each category, or each of ``bins`` quantile bins, of a column; Holm over them.

    Within strata of a covariate labels are drawn as in the whole test, given how many of each group there are, and all
    models are those of the whole table. Any other column may have to do with the labels in ways that no model of the
    whole table knows, so where the propensity was estimated, each stratum has models of its own.
    """
    _check_can_restrict(evidence)
    found = _values(evidence, column, data)
    parts = _parts(found, bins)
    alone = found.beside and evidence.plan.rules.model.learns
    # Holm's smallest p-value is as many times 1 / (B + 1) as there are strata.
    settings = evidence.plan.settings
    count = max(settings.n_resamples, int(np.ceil(2 * len(parts) / settings.significance)))
    strata = []
    for name, mask in parts:
        n = int(evidence.t[mask].sum())
        n_obs = (n, int(mask.sum()) - n)
        if min(n_obs) < 2:
            strata.append(Stratum(name, n_obs, None, None, "fewer than 2 rows of a group"))
            continue
        try:
            pvalue, here, rows = _alone(evidence, mask, count) if alone else _within(evidence, mask, count)
            own = () if effects is None else effects(here, rows)
        except ValueError as problem:  # no overlap in this stratum; the others stand
            strata.append(Stratum(name, n_obs, None, None, str(problem)))
            continue
        shift, error = _shift(here, rows, own)
        strata.append(Stratum(name, n_obs, pvalue, None, "", shift, error, own))
    return _holm(strata)


class _Values(NamedTuple):
    """A column at the rows of a test, and whether it is none of the covariates."""

    name: str
    column: Column
    values: Array
    beside: bool


def _values(evidence: Evidence, column: Any, data: Any) -> _Values:
    """A covariate by its name; a column of a table that goes with the test by its own; or one value a row."""
    samples = evidence.samples
    if isinstance(column, str):
        if samples.gram_x is None and column in samples.x.names:
            j = samples.x.names.index(column)
            return _Values(column, samples.x.columns[j], to_host(samples.x.values)[:, j], beside=False)
        if column in samples.y.names and samples.gram_y is None:
            raise ValueError(f"`column`: {column!r} is an outcome; rows that were chosen by it differ by that alone.")
        if data is None:
            if samples.gram_x is not None:
                raise TypeError("by_stratum() needs the columns of X; a precomputed kernel has none.")
            raise ValueError(
                f"`column`: X has no column {unknown([column], samples.x.names)} For any other column of "
                f"the table, pass that too: by_stratum({column!r}, data=frame)."
            )
    if samples.gram_x is not None or samples.gram_y is not None:
        raise TypeError("by_stratum() needs the columns of X and Y; a precomputed kernel has none.")
    (rows,) = pick_columns(data, column=column)
    table = read_table(rows, "column")
    if len(table.columns) != 1:
        raise ValueError(f"`column` must be one column; got {list(table.names)}.")
    kept = evidence.labels.kept
    values, wanted = to_host(table.values)[:, 0], len(evidence.t) if kept is None else len(kept)
    if len(values) != wanted:
        raise ValueError(f"`column` must have one value for each row of the test, {wanted}; got {len(values)}.")
    return _Values(table.names[0], table.columns[0], values if kept is None else values[kept], beside=True)


def _parts(found: _Values, bins: int) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    """The strata, in words, and their rows."""
    values, categories = found.values, found.column.categories
    if categories is not None:
        codes = values.astype(int)
        return [(f"{found.name} is {categories[code]}", codes == code) for code in np.unique(codes)]
    distinct, count = np.unique(values), check_count(bins, "bins")
    edges = distinct  # of few values each is a stratum: quantiles of zeros and ones may all be the same
    if len(distinct) > count:
        edges = np.unique(np.quantile(values, np.linspace(0, 1, count + 1)[1:-1], method="inverted_cdf"))
    of_row = np.searchsorted(edges, values, side="left")
    masks = [of_row == k for k in np.unique(of_row)]
    dates = found.column.dates
    return [(f"{found.name} {span(values[mask].min(), values[mask].max(), dates=dates)}", mask) for mask in masks]


def _within(
    evidence: Evidence, mask: npt.NDArray[np.bool_], count: int
) -> tuple[float, Evidence, npt.NDArray[np.bool_]]:
    """By the models of the whole table."""
    return evidence.plan.run_within(evidence.labels, evidence.learned, mask, count).outcome.pvalue, evidence, mask


def _alone(
    evidence: Evidence, mask: npt.NDArray[np.bool_], count: int
) -> tuple[float, Evidence, npt.NDArray[np.bool_]]:
    """By models of these rows alone."""
    whole = evidence.plan
    rules, settings = replace(whole.rules, trim=None), replace(whole.settings, n_resamples=count)
    plan = replace(whole, rules=rules, settings=settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CondmmdWarning)
        run = plan.run(select_rows(evidence.samples, mask, "column"))
    return run.outcome.pvalue, evidence_of(plan, run.trained), np.ones(int(mask.sum()), dtype=bool)


def _shift(
    evidence: Evidence, rows: npt.NDArray[np.bool_], effects: tuple[Any, ...]
) -> tuple[float, float] | tuple[None, None]:
    """The mean shift of one numeric outcome, as its effect has it where there is one."""
    if evidence.outcome is None:
        return None, None
    if effects and effects[0].kind == "mean":
        return effects[0].estimate, effects[0].error
    means = Means.of(evidence)
    return (None, None) if means is None else means.shift(np.flatnonzero(rows))


def _check_can_restrict(evidence: Evidence) -> None:
    """Refuse, once, what cannot be asked of some of the rows."""
    if evidence.labels.blocks is not None:
        raise TypeError("a test within strata cannot have `blocks`; leave them out, or split the table beforehand.")
    estimator = getattr(evidence.plan.statistic, "estimator", None)
    if isinstance(getattr(estimator, "model", None), PerGroup):
        raise TypeError("a test within strata cannot have predictions for all rows as the `model` of DoublyRobust.")


def _holm(strata: list[Stratum]) -> Strata:
    pvalues = np.array([np.inf if stratum.pvalue is None else stratum.pvalue for stratum in strata])
    tested, largest, adjusted = int(np.isfinite(pvalues).sum()), 0.0, {}
    for rank, k in enumerate(np.argsort(pvalues, kind="stable")[:tested]):
        largest = max(largest, min(1.0, (tested - rank) * float(pvalues[k])))
        adjusted[int(k)] = largest
    return Strata(replace(stratum, holm_pvalue=adjusted.get(k)) for k, stratum in enumerate(strata))
