"""Step 7 of the flow: null labels."""

from condmmd.resampling.drawn import Drawn
from condmmd.resampling.fixed_size import TABLE_ROWS, ExactSampler, HalvingSampler, tilt
from condmmd.resampling.schemes import Bernoulli, FixedSize, InBlocks, Permutation, Scheme, draw_together, log_odds

__all__ = [
    "TABLE_ROWS", "Bernoulli", "Drawn", "ExactSampler", "FixedSize", "HalvingSampler", "InBlocks", "Permutation",
    "Scheme", "draw_together", "log_odds", "tilt",
]  # fmt: skip
