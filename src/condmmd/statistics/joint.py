"""The joint estimator of the paper: the difference of the two joint distributions, where X has one distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from condmmd.backend import AnyArray, LabelBatch, Weights, label_sums
from condmmd.embedding import Embedding
from condmmd.regression.moments import cross_moments
from condmmd.regression.ridge import group_sizes
from condmmd.statistics.base import Need
from condmmd.statistics.comparison import Comparison, Ingredients

__all__ = ["Joint", "JointContrast"]


@dataclass(frozen=True)
class Joint:
    """Right only if X has the same distribution in both samples; it gives levels from 2 on and has no lambda.

    Examples
    --------
    >>> from condmmd import CMMD, Joint
    >>> CMMD(estimator=Joint(), level=2).estimator.name
    'joint'
    """

    name: ClassVar[str] = "joint"
    needs: ClassVar[frozenset[Need]] = frozenset()
    lowest_level: ClassVar[int] = 2
    one_lambda: ClassVar[bool] = False

    def compare(self, given: Ingredients) -> Comparison:
        """There is nothing to choose."""
        return given.compare(JointContrast(), None)


@dataclass(frozen=True)
class JointContrast:
    """``M(t) / n - M(1 - t) / m``, which estimates ``C D`` if P_X = Q_X (paper, equation jmmd_est).

    So level 2 is the squared MMD of the two joint distributions, and there is no level below.
    """

    power: ClassVar[int] = 2

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:
        n, m = group_sizes(label_sums(T), x.phi)
        return cross_moments(T.reweighted(partial(_mean_weights, n=n, m=m)), x.phi, y.phi)


def _mean_weights(T: Weights, n: AnyArray, m: AnyArray) -> Weights:
    return T / n[:, None] - (1 - T) / m[:, None]
