"""Step 7 of the flow: who could have had which label; null labels drawn from that, or random signs in their place."""

from condmmd.labels.blocks import Blocks, read_blocks
from condmmd.labels.plan import LabelPlan, LabelRules, SchemeName, propensity_of_rows
from condmmd.labels.schemes import Bernoulli, ByBlock, FixedSize, Permutation, Scheme, Units
from condmmd.labels.signs import Multipliers, SignBatch, ways_to_flip

__all__ = [
    "Bernoulli", "Blocks", "ByBlock", "FixedSize", "LabelPlan", "LabelRules", "Multipliers", "Permutation",
    "Scheme", "SchemeName", "SignBatch", "Units", "propensity_of_rows", "read_blocks", "ways_to_flip",
]  # fmt: skip
