"""Where does it differ? Profiles over covariates and a witness in one band; mean shifts; tests within strata."""

from condmmd.where.evidence import Evidence
from condmmd.where.found import Profile, Region, Where
from condmmd.where.locate import locate
from condmmd.where.strata import Stratum, strata_tests

__all__ = ["Evidence", "Profile", "Region", "Stratum", "Where", "locate", "strata_tests"]
