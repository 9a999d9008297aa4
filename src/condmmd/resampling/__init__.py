"""Step 7 of the flow: null labels."""

from condmmd.resampling.drawn import Drawn
from condmmd.resampling.halving import HalvingSampler
from condmmd.resampling.schemes import Bernoulli, FixedSize, InBlocks, Permutation, Scheme, draw_together, log_odds
from condmmd.resampling.tables import TABLE_ROWS, ExactSampler, tilt

__all__ = [
    "TABLE_ROWS", "Bernoulli", "Drawn", "ExactSampler", "FixedSize", "HalvingSampler", "InBlocks", "Permutation",
    "Scheme", "draw_together", "log_odds", "tilt",
]  # fmt: skip
