"""Where do the two samples overlap in X? Nothing can be said about Y given X where only one of them is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, as_float, n_rows, namespace, pick_rows, sample_rows, sum_rows, to_host
from condmmd.data import SAMPLE_ROWS, Table
from condmmd.data.warning_types import OverlapWarning, warn_user
from condmmd.nuisance.propensity import Propensity

__all__ = ["MAX_LEFT_OUT", "TRIM", "left_out", "separating", "warn_overlap"]

# One rule for the warning and for its remedy: a warning, if the ``trim`` that it advises would leave out more than this
# part of either sample.
TRIM = 0.05
MAX_LEFT_OUT = 0.2
# Covariates that a warning names.
NAMED = 3


def warn_overlap(propensity: Propensity, x: Table, t: Rows) -> None:
    """Warn where one sample is almost alone; raise where no label is random."""
    n, count = propensity.n, n_rows(t)
    if propensity.random_rows < 1:
        raise ValueError(
            f"`propensity`: no overlap. As it stands every row could be of one group only ({n} rows of P, "
            f"{count - n} of Q), so Y given X is never seen in both. Compare groups whose X overlap; or, "
            "if X is known to have the same distribution in both, use propensity=None."
        )
    beyond = left_out(propensity.balanced, t)
    if not (beyond > MAX_LEFT_OUT * np.array([n, count - n])).any():
        return
    some = sample_rows(count, SAMPLE_ROWS)
    balanced, labels = to_host(pick_rows(propensity.balanced, some)), to_host(pick_rows(t, some))
    named = separating(x, labels)
    regions = [
        f"almost only {name} in {int(alone.sum())} of {len(some)} rows{_ranges(x, alone, [j for j, _ in named])}"
        for name, alone in (("P", balanced > 1 - TRIM), ("Q", balanced < TRIM))
        if alone.any()
    ]
    apart = ", ".join(f"{x.names[j]} ({share:.0%})" for j, share in named)
    by_one = f" Rows that one covariate alone sorts into their sample: {apart}." if apart else ""
    warn_user(
        f"the two samples overlap little in X: {'; '.join(regions)}.{by_one} Little can be said about Y given X there; "
        f"trim={TRIM:g} leaves such rows out, {int(beyond[0])} of {n} of P and {int(beyond[1])} of {count - n} of Q.",
        OverlapWarning,
    )


def left_out(balanced: Rows, t: Rows) -> Array:
    """Rows of P and rows of Q that the advised ``trim`` would leave out."""
    return to_host(sum_rows(_left_out, balanced, t))


def _left_out(balanced: Rows, t: Rows) -> Array:
    xp = namespace(balanced)
    beyond = as_float(balanced > 1 - TRIM) + as_float(balanced < TRIM)
    counts: Array = xp.stack([xp.sum(beyond * t), xp.sum(beyond * (1 - t))])
    return counts


def separating(x: Table, t: Array) -> list[tuple[int, float]]:
    """Positions of the covariates that tell the samples apart best, each by itself.

    With the share of rows that one cut of it (or its category) would sort into their sample, were both of one size.
    """
    found = [
        (j, 0.5 + 0.5 * _distance(x.sample[:, j], t, category=column.categories is not None))
        for j, column in enumerate(x.columns)
    ]
    return sorted(found, key=lambda pair: -pair[1])[:NAMED]


def _distance(values: Array, t: Array, *, category: bool) -> float:
    """Between the laws of a covariate in the two samples: Kolmogorov's of a number, total variation of a category."""
    kinds = np.unique(values, return_inverse=True)[1].reshape(-1)
    difference = np.bincount(kinds, weights=t) / t.sum() - np.bincount(kinds, weights=1 - t) / (1 - t).sum()
    return float(np.abs(difference).sum() / 2 if category else np.abs(np.cumsum(difference)).max())


def _ranges(x: Table, rows: npt.NDArray[np.bool_], columns: list[int]) -> str:
    ranges = []
    for j in columns:
        values, name, categories = x.sample[rows, j], x.columns[j].name, x.columns[j].categories
        if categories is None:
            ranges.append(f"{name} from {values.min():.3g} to {values.max():.3g}")
        else:
            ranges.append(f"{name} in {sorted({categories[int(code)] for code in values})[:4]}")
    return f", with {', '.join(ranges)}" if ranges else ""
