"""Where do the two samples overlap in X? Nothing can be said about Y given X where only one of them is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, as_float, n_rows, namespace, pick_rows, sample_rows, sum_rows, to_host
from condmmd.data import SAMPLE_ROWS, Table
from condmmd.data.warning_types import OverlapWarning, warn_user
from condmmd.nuisance.propensity import Propensity

__all__ = ["warn_overlap"]

# Where one sample's density is this share of both, or less, the other is almost alone. A warning, if that is so for
# more than this part of either sample.
EDGE = 0.005
MAX_ALONE = 0.1


def warn_overlap(propensity: Propensity, x: Table, t: Rows) -> None:
    """Warn where one sample is almost alone; raise where no label is random."""
    n = propensity.n
    if propensity.random_rows < 1:
        raise ValueError(
            f"`propensity`: no overlap. As it stands every row could be of one group only ({n} rows of P, "
            f"{n_rows(t) - n} of Q), so Y given X is never seen in both. Compare groups whose X overlap; or, "
            "if X is known to have the same distribution in both, use propensity=None."
        )
    counts = to_host(sum_rows(_alone, propensity.balanced, t))
    crowded = counts[:, 1] > MAX_ALONE * np.array([n, n_rows(t) - n])
    regions = []
    if crowded.any():
        some = sample_rows(n_rows(t), SAMPLE_ROWS)
        balanced = to_host(pick_rows(propensity.balanced, some))
        regions = [
            f"almost only {name} in {int(count)} of {n_rows(t)} rows, with {_ranges(x, alone)}"
            for name, alone, count, too_many in (
                ("P", balanced > 1 - EDGE, counts[0, 0], crowded[0]), ("Q", balanced < EDGE, counts[1, 0], crowded[1])
            )
            if too_many and alone.any()
        ]  # fmt: skip
    if regions:
        warn_user(
            f"the two samples overlap little in X: {'; '.join(regions)}. Nothing can be said about Y given X there; "
            "trim=0.05 leaves such rows out.",
            OverlapWarning,
        )


def _alone(balanced: Rows, t: Rows) -> Array:
    """Rows where almost only P, or only Q, is found: of both groups, and of that group."""
    xp = namespace(balanced)
    only_p, only_q = as_float(balanced > 1 - EDGE), as_float(balanced < EDGE)
    counts = [xp.sum(only_p), xp.sum(only_p * t), xp.sum(only_q), xp.sum(only_q * (1 - t))]
    return xp.reshape(xp.stack(counts), (2, 2))


def _ranges(x: Table, rows: npt.NDArray[np.bool_]) -> str:
    ranges = []
    for j, column in enumerate(x.columns[:3]):
        values = x.sample[rows, j]
        if column.categories is None:
            ranges.append(f"{column.name} from {values.min():.3g} to {values.max():.3g}")
        else:
            ranges.append(f"{column.name} in {sorted({column.categories[int(code)] for code in values})[:4]}")
    return ", ".join(ranges)
