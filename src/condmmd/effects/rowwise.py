"""How large the difference between two sides of the same rows is: means and shares, with intervals over rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condmmd.effects.bands import Ratios, band_of
from condmmd.effects.effects import Effect, Effects
from condmmd.effects.sizes import check_confidence
from condmmd.embedding.rowwise import ComparedRows
from condmmd.inference import Settings, SignDraws
from condmmd.labels import Multipliers

__all__ = ["rowwise_effects"]


def rowwise_effects(
    rows: ComparedRows,
    confidence: float,
    settings: Settings,
    covariates: str,
    of_row: npt.NDArray[np.int64] | None = None,
) -> Effects:
    """Mean differences over all rows: each row (or block of rows) counts by itself, so there is nothing to adjust."""
    confidence = check_confidence(confidence)
    found = rows.differences()
    d, n = found.values, len(found.first)
    blocks = of_row if of_row is not None and len(of_row) == n else None
    units = Multipliers(np.ones(n if blocks is None else int(blocks.max()) + 1), None, blocks)
    draws = SignDraws.of(units, settings)
    ratios = Ratios(d.sum(axis=0), float(n), units.root(np.column_stack([d, np.ones(n)])), draws)
    means, df = ratios.A / n, float(max(1, units.count - 1))
    band = band_of(ratios.influence * np.sqrt(units.count / df), confidence, df, draws)
    entries = []
    ends = zip(means.tolist(), band.errors.tolist(), ratios.intervals(confidence), strict=True)
    for j, (mean, error, own) in enumerate(ends):
        width = band.together * error
        all_of = min(mean - width, own[0]), max(mean + width, own[1])
        levels = (float(found.first[:, j].mean()), float(found.second[:, j].mean()))
        entries.append(Effect(found.outcomes[j], found.kinds[j], found.names[j], mean, error, own, all_of, levels))
    return Effects(
        entries=tuple(entries), population="all", labels=rows.labels, n_obs=(n, n), rows=2 * n,
        effective_rows=(float(units.count), float(units.count)), confidence=confidence,
        joint_pvalue=ratios.pvalue, df=df, covariates=covariates,
    )  # fmt: skip
