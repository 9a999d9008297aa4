"""Rows of equal covariates: labels may be shuffled among them, whatever the propensity is."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Rows, distinct_rows, each_chunk, first_rows, n_rows, place_rows, to_host
from condmmd.data import Samples
from condmmd.nuisance import Propensity

__all__ = ["find_strata", "shares_in_strata", "strata_propensity"]

# Covariates with this many rows for each distinct value are strata.
STRATUM_ROWS = 10
# Of more rows than these, in memory or in chunks, labels are not shuffled within strata, which takes them all at once.
MOST_ROWS = 1_000_000


def find_strata(samples: Samples) -> npt.NDArray[np.int64] | None:
    """Number of the stratum of each row, if X takes few values."""
    x = samples.x.values
    if samples.gram_x is not None or n_rows(x) > MOST_ROWS:
        return None
    some = first_rows(x, 50 * STRATUM_ROWS)
    if len(np.unique(some, axis=0)) > len(some) // 2:
        return None
    distinct = distinct_rows(x)
    if len(distinct) * STRATUM_ROWS > n_rows(x):
        return None
    return np.concatenate(each_chunk(partial(_numbers, distinct=distinct), x))


def _numbers(rows: Rows, distinct: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The number of each row among the distinct ones, all of which are there."""
    both = np.concatenate([distinct, to_host(rows)])
    return np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)[len(distinct) :]


def shares_in_strata(strata: npt.NDArray[np.int64], t: Rows) -> Rows:
    """The share of P among the rows of each row's stratum: the mean of its label over shuffles."""
    shares = np.bincount(strata, weights=to_host(t)) / np.maximum(np.bincount(strata), 1)
    found: Rows = place_rows(shares[strata], t)
    return found


def strata_propensity(strata: npt.NDArray[np.int64], t: Rows) -> Propensity:
    """Shares of P among rows of equal X, kept away from 0 and 1. Shuffling within strata does not use them."""
    labels = to_host(t)
    share = (np.bincount(strata, weights=labels) + 0.5) / (np.bincount(strata) + 1)
    return Propensity(
        place_rows(share[strata], t), "strata", f"shares of P in {len(share)} strata of equal X", int(labels.sum())
    )
