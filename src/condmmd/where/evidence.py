"""What a test keeps, for whoever asks further."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from condmmd.embedding import Embedding
from condmmd.nuisance import PooledRegression
from condmmd.resampling import Scheme
from condmmd.samples import Array, Samples

if TYPE_CHECKING:
    from condmmd.result import CMMDTestResult

__all__ = ["Evidence"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a test keeps so that further questions can be asked of the same null labels."""

    samples: Samples
    x: Embedding
    y: Embedding
    pooled: PooledRegression | None
    e: Array
    blocks: npt.NDArray[np.int64] | None
    scheme: Scheme
    n_resamples: int
    entropy: int
    significance: float
    assumption: str
    again: Callable[[npt.NDArray[np.bool_], int], CMMDTestResult]
