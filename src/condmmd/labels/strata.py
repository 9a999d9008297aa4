"""Rows of equal covariates: labels may be shuffled among them, whatever the propensity is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condmmd.backend import Rows, first_rows, move_to, to_host
from condmmd.data import Samples
from condmmd.nuisance import Propensity

__all__ = ["find_strata", "shares_in_strata", "strata_propensity"]

# Covariates with this many rows for each distinct value are strata.
STRATUM_ROWS = 10


def find_strata(samples: Samples) -> npt.NDArray[np.int64] | None:
    """Number of the stratum of each row, if X takes few values."""
    if samples.gram_x is not None or samples.chunked:
        return None
    some = first_rows(samples.x.values, 50 * STRATUM_ROWS)
    if len(np.unique(some, axis=0)) > len(some) // 2:
        return None
    values = to_host(samples.x.values)
    distinct, strata = np.unique(values, axis=0, return_inverse=True)
    return strata.reshape(-1) if len(distinct) * STRATUM_ROWS <= len(values) else None


def shares_in_strata(strata: npt.NDArray[np.int64], t: Rows) -> Rows:
    """The share of P among the rows of each row's stratum: the mean of its label over shuffles."""
    shares = np.bincount(strata, weights=to_host(t)) / np.maximum(np.bincount(strata), 1)
    found: Rows = move_to(shares[strata], t)
    return found


def strata_propensity(strata: npt.NDArray[np.int64], t: Rows) -> Propensity:
    """Shares of P among rows of equal X, kept away from 0 and 1. Shuffling within strata does not use them."""
    labels = to_host(t)
    share = (np.bincount(strata, weights=labels) + 0.5) / (np.bincount(strata) + 1)
    return Propensity(
        move_to(share[strata], t), "strata", f"shares of P in {len(share)} strata of equal X", int(labels.sum())
    )
