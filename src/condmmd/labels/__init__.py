"""Step 7 of the flow: who could have had which label, and null labels drawn from that."""

from condmmd.labels.blocks import Blocks, read_blocks
from condmmd.labels.plan import LabelPlan, LabelRules, SchemeName, propensity_of_rows
from condmmd.labels.schemes import Bernoulli, ByBlock, FixedSize, Permutation, Scheme, Units

__all__ = [
    "Bernoulli", "Blocks", "ByBlock", "FixedSize", "LabelPlan", "LabelRules", "Permutation", "Scheme", "SchemeName",
    "Units", "propensity_of_rows", "read_blocks",
]  # fmt: skip
