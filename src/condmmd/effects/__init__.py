"""How large the difference is, how sure one can be of that, and what would have been seen or would overturn it."""

from condmmd.effects.adjusted import Adjusted
from condmmd.effects.effects import Effect, Effects
from condmmd.effects.estimate import StrataEffects, check_effect, estimate_effects
from condmmd.regression.populations import PopulationName

__all__ = ["Adjusted", "Effect", "Effects", "PopulationName", "StrataEffects", "check_effect", "estimate_effects"]
