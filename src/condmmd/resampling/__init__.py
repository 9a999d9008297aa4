"""Step 7 of the flow: null labels."""

from condmmd.resampling.fixed_size import ExactSampler, HalvingSampler, tilt
from condmmd.resampling.schemes import Bernoulli, FixedSize, InBlocks, Permutation, Scheme

__all__ = ["Bernoulli", "ExactSampler", "FixedSize", "HalvingSampler", "InBlocks", "Permutation", "Scheme", "tilt"]
