"""What is compared: one file a statistic, or an estimator of one."""

from condmmd.statistics.base import ConditionalFit, Fitted, Statistic, StatisticColumn, centre_of, residual_labels
from condmmd.statistics.cmmd import CMMD, FittedCMMD
from condmmd.statistics.comparison import Comparison
from condmmd.statistics.conditional import ConditionalStatistic
from condmmd.statistics.doubly_robust import DoublyRobust, DoublyRobustContrast
from condmmd.statistics.energy import Energy, EnergyKernel
from condmmd.statistics.family import Family
from condmmd.statistics.interventional import FittedInterventional, Interventional, pseudo_outcomes
from condmmd.statistics.joint import Joint, JointContrast
from condmmd.statistics.mmd import MMD
from condmmd.statistics.orthogonal import Orthogonal, OrthogonalContrast
from condmmd.statistics.overlap import Overlap, OverlapContrast
from condmmd.statistics.plugin import PlugIn, PlugInContrast
from condmmd.statistics.products import LinearFit, Products
from condmmd.statistics.shifted_mmd import FittedShiftedMMD, ShiftedMMD

__all__ = [
    "CMMD",
    "MMD",
    "Comparison",
    "ConditionalFit",
    "ConditionalStatistic",
    "DoublyRobust",
    "DoublyRobustContrast",
    "Energy",
    "EnergyKernel",
    "Family",
    "Fitted",
    "FittedCMMD",
    "FittedInterventional",
    "FittedShiftedMMD",
    "Interventional",
    "Joint",
    "JointContrast",
    "LinearFit",
    "Orthogonal",
    "OrthogonalContrast",
    "Overlap",
    "OverlapContrast",
    "PlugIn",
    "PlugInContrast",
    "Products",
    "ShiftedMMD",
    "Statistic",
    "StatisticColumn",
    "centre_of",
    "pseudo_outcomes",
    "residual_labels",
]  # fmt: skip
