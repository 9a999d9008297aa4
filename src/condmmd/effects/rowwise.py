"""How large the difference between two sides of the same rows is: means and shares, with intervals over rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array
from condmmd.effects.bands import band_of
from condmmd.effects.effects import Effect, Effects
from condmmd.effects.sizes import check_confidence
from condmmd.embedding.rowwise import ComparedRows

__all__ = ["rowwise_effects"]


def rowwise_effects(
    rows: ComparedRows,
    confidence: float,
    seed: int,
    covariates: str,
    of_row: npt.NDArray[np.int64] | None = None,
) -> Effects:
    """Mean differences over all rows: each row (or block of rows) counts by itself, so there is nothing to adjust."""
    confidence = check_confidence(confidence)
    found = rows.differences()
    d, n = found.values, len(found.first)
    means = d.mean(axis=0)
    influence = _by_unit((d - means) / n, of_row if of_row is not None and len(of_row) == n else None)
    units = len(influence)
    df = float(max(1, units - 1))
    band = band_of(influence * np.sqrt(units / df), confidence, df, seed)
    entries = []
    for j, (mean, error) in enumerate(zip(means.tolist(), band.errors.tolist(), strict=True)):
        own, all_of = ((mean - width * error, mean + width * error) for width in (band.alone, band.together))
        levels = (float(found.first[:, j].mean()), float(found.second[:, j].mean()))
        entries.append(Effect(found.outcomes[j], found.kinds[j], found.names[j], mean, error, own, all_of, levels))
    return Effects(
        entries=tuple(entries), population="all", labels=rows.labels, n_obs=(n, n), rows=2 * n,
        effective_rows=(float(units), float(units)), confidence=confidence, joint_pvalue=band.pvalue(means), df=df,
        covariates=covariates,
    )  # fmt: skip


def _by_unit(influence: Array, of_row: npt.NDArray[np.int64] | None) -> Array:
    if of_row is None:
        return influence
    return np.stack([np.bincount(of_row, weights=column) for column in influence.T], axis=1)
