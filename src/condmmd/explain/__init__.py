"""Where does it differ? Profiles and a witness in one band; mean shifts; tests within strata. And what is doubtful?"""

from condmmd.explain.courses import Course
from condmmd.explain.diagnostics import Diagnostics, Finding
from condmmd.explain.everywhere import Everywhere
from condmmd.explain.evidence import Evidence, evidence_of
from condmmd.explain.findings import RowWhere, Where
from condmmd.explain.locate import locate
from condmmd.explain.profiles import Profile, RowProfile
from condmmd.explain.regions import Contrast, Region
from condmmd.explain.strata import Strata, Stratum, strata_tests

__all__ = [
    "Contrast", "Course", "Diagnostics", "Everywhere", "Evidence", "Finding", "Profile", "Region", "RowProfile",
    "RowWhere", "Strata", "Stratum", "Where", "evidence_of", "locate", "strata_tests",
]  # fmt: skip
