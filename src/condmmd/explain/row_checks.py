"""Are there rows enough, where both groups are, each of them once, and with outcomes that X does not fix?"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.data import Samples, Table
from condmmd.explain.diagnostics import Finding, Severity
from condmmd.labels import LabelPlan
from condmmd.nuisance.overlap import MAX_LEFT_OUT, TRIM, left_out, separating

__all__ = ["duplicate_rows", "enough_rows", "fixed_outcome", "overlap_of_groups"]

# Rows' worth of random labels for each column of X: a warning below the first, a note below the second.
ROWS_FOR_COLUMN = (5, 10)
# Values that differ by less than this part of their column's spread are the same; a warning from this share of rows on.
SAME = 1e-6
MANY_TWINS = 0.05
# Explained shares from which the outcome is (nearly) a function of X; rows that repeat an X before that says anything.
FIXED, NEARLY_FIXED = 0.999, 0.98
REPEATED_ROWS = 20


def overlap_of_groups(labels: LabelPlan) -> Finding:
    """Whether both groups are found where the rows are: the rule by which ``trim`` is advised."""
    propensity, groups = labels.propensity, labels.samples.groups
    count, size = groups.n + groups.m, propensity.effective_size
    beyond = left_out(to_host(propensity.balanced), to_host(groups.t))
    shares = beyond / np.array([groups.n, groups.m])
    numbers: dict[str, Any] = {
        "effective_rows": round(size, 1), "rows": count, "trim": TRIM,
        "left_out": {"P": int(beyond[0]), "Q": int(beyond[1])},
    }  # fmt: skip
    worth = f"the comparison is worth that of {size:.0f} of {count} rows"
    if shares.max() <= MAX_LEFT_OUT:
        return Finding("overlap", "fine", f"Both groups are found where the rows are: {worth}.", "", numbers)
    alone = ""
    if labels.samples.gram_x is None:
        x = labels.samples.x
        found = [(x.names[j], share) for j, share in separating(x, to_host(groups.t))]
        numbers["separating"] = [{"covariate": name, "share": round(share, 3)} for name, share in found]
        apart = ", ".join(f"{name} ({share:.0%})" for name, share in found)
        alone = f" Rows that one covariate alone sorts into their group: {apart}."
    return Finding(
        "overlap", "warning",
        f"In {int(beyond[0])} of {groups.n} rows of {groups.p_label} and {int(beyond[1])} of {groups.m} of "
        f"{groups.q_label} there is hardly anyone of the other group to compare with: {worth}.{alone}",
        f"trim={TRIM:g} leaves such rows out; what is said then is about the others.", numbers,
    )  # fmt: skip


def enough_rows(labels: LabelPlan) -> Finding:
    """Whether there are rows enough for so many covariates."""
    x, size = labels.samples.x, labels.propensity.effective_size
    if labels.blocks is not None:
        size *= len(labels.blocks.labels) / len(labels.blocks.of_row)
    columns = sum(1 if c.categories is None else max(1, len(c.categories) - 1) for c in x.columns)
    ratio = size / max(1, columns)
    numbers = {"effective_rows": round(size, 1), "columns": columns, "rows_for_column": round(ratio, 2)}
    units = "blocks" if labels.blocks is not None else "rows"
    words = f"{size:.0f} {units} can be compared, for {columns} columns of X: {ratio:.1f} for each."
    if ratio >= ROWS_FOR_COLUMN[1]:
        return Finding("rows", "fine", words, "", numbers)
    severity: Severity = "warning" if ratio < ROWS_FOR_COLUMN[0] else "note"
    return Finding(
        "rows", severity, f"There are few rows for so many covariates: {words} The propensity is a rough estimate.",
        "Leave out covariates that matter for neither the groups nor the outcome, or collect more rows.", numbers,
    )  # fmt: skip


def duplicate_rows(labels: LabelPlan) -> Finding:
    """Whether rows occur twice in tables where chance would not do that; rows of one block may."""
    samples = labels.samples
    codes = _codes(samples)
    blocks = None if labels.blocks is None else labels.blocks.of_row
    twins, across = _twins(codes, to_host(samples.groups.t), blocks)
    share = float(twins.mean())
    numbers = {"rows_with_twin": int(twins.sum()), "share": round(share, 4), "twin_in_other_group": int(across.sum())}
    if not twins.any() or not _continuous(codes):
        return Finding("duplicates", "fine", "No row occurs more often than chance would have it.", "", numbers)
    other = f", {int(across.sum())} of them with one in the other group" if across.any() else ""
    return Finding(
        "duplicates", "warning" if share > MANY_TWINS else "note",
        f"{int(twins.sum())} of {len(twins)} rows ({share:.1%}) have a twin with the same covariates and outcomes"
        f"{other}. Copies are no new evidence, so that a p-value may be far too small.",
        "Drop the copies, or pass the number of the original row as `blocks`.", numbers,
    )  # fmt: skip


def _codes(samples: Samples) -> Array:
    """All columns in steps of a tiny part of their spread."""
    values = np.concatenate([to_host(samples.x.values), to_host(samples.y.values)], axis=1)
    spread = np.subtract(*np.quantile(values, [0.95, 0.05], axis=0))
    spread = np.where(spread > 0, spread, np.maximum(np.ptp(values, axis=0), 1e-300))
    return np.round((values - values.min(axis=0)) / (SAME * spread))


def _twins(
    codes: Array, t: Array, blocks: npt.NDArray[np.int64] | None
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Rows that another block has as well, and those that the other group has."""
    kind = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    units = np.arange(len(kind)) if blocks is None else blocks
    pairs = np.unique(np.stack([kind, units], axis=1), axis=0)
    often = np.bincount(pairs[:, 0], minlength=int(kind.max()) + 1) > 1
    both = np.minimum(np.bincount(kind, weights=t), np.bincount(kind, weights=1 - t)) > 0
    return often[kind], (often & both)[kind]


def _continuous(codes: Array) -> bool:
    """Whether there is a column that has another value in nearly every row that is not a copy."""
    distinct = np.unique(codes, axis=0)
    return any(2 * len(np.unique(column)) > len(distinct) for column in distinct.T)


def fixed_outcome(samples: Samples, explained: float | None) -> Finding:
    """Whether the outcome is a function of X: then what a regression misses is all that is left to compare."""
    share = 0.0 if explained is None else float(explained)
    repeated, same = _repeats(samples.x, samples.y)
    numbers = {"explained": round(share, 4), "rows_with_repeated_x": repeated, "of_them_same_outcome": same}
    always = repeated >= REPEATED_ROWS and same == repeated
    if share < NEARLY_FIXED and not always:
        return Finding("outcome", "fine", "The outcome is not fixed by X.", "", numbers)
    seen = f"X explains {share:.1%} of it" if not always else f"all {repeated} rows of an X that repeats agree on it"
    return Finding(
        "outcome", "warning" if always or share >= FIXED else "note",
        f"The outcome is (nearly) a function of X: {seen}. There is then no chance in Y given X, and what the "
        "regression misses of the function is taken for a difference.",
        "Leave out of X what the outcome was computed from.", numbers,
    )  # fmt: skip


def _repeats(x: Table, y: Table) -> tuple[int, int]:
    """Rows whose X occurs again, and those of them where the outcomes then agree; 0 where outcomes take few values."""
    X, Y = to_host(x.values), to_host(y.values)
    if not X.shape[1] or not Y.shape[1] or len(np.unique(Y, axis=0)) < REPEATED_ROWS:
        return 0, 0
    kind = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    count = np.bincount(kind)
    order = np.argsort(kind, kind="stable")
    starts = np.concatenate([[0], np.cumsum(count)[:-1]])
    spread = np.maximum.reduceat(Y[order], starts) - np.minimum.reduceat(Y[order], starts)
    agree = (spread <= SAME * np.maximum(np.ptp(Y, axis=0), 1e-300)).all(axis=1)
    return int(count[count > 1].sum()), int(count[(count > 1) & agree].sum())
