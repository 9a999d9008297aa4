"""What is learned from the pooled rows before any comparison: the regression of the outcomes on X, the propensity.

A model of the propensity is a `PropensityModel`, one of what X says of the outcomes a `Residuals`: a frozen value with
a ``fit``. A new one is a class like those beside them.
"""

from condmmd.nuisance.forests import Forests
from condmmd.nuisance.learned import Learned
from condmmd.nuisance.pooled import PooledRegression, regress_pooled
from condmmd.nuisance.propensity import Propensity, PropensityLike, PropensityModel, propensity_model
from condmmd.nuisance.residuals import PooledRidge, Residualization, Residuals, residual_model

__all__ = [
    "Forests", "Learned", "PooledRegression", "PooledRidge", "Propensity", "PropensityLike", "PropensityModel",
    "Residualization", "Residuals", "propensity_model", "regress_pooled", "residual_model",
]  # fmt: skip
