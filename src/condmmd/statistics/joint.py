"""The joint estimator of the paper: the difference of the joint distributions, where X has one, or is given one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from condmmd.backend import AnyArray, LabelBatch, Rows, Weights, label_sums, map_rows, move_to
from condmmd.embedding import Embedding
from condmmd.regression.moments import cross_moments
from condmmd.regression.odds import overlap, total_overlap
from condmmd.regression.ridge import group_sizes
from condmmd.statistics.base import Need
from condmmd.statistics.comparison import Comparison, Ingredients

__all__ = ["Joint", "JointContrast", "WeightedJointContrast"]


@dataclass(frozen=True)
class Joint:
    """Right only if X has the same distribution in both samples, or weighted; levels from 2 on, and no lambda.

    Parameters
    ----------
    weighted
        Count a row of P by 1 - e(x) and one of Q by e(x), which gives X the same distribution in both, where both are.
        Such weights are bounded, as inverse propensities are not. The level then refers to the covariance of X in that
        population.

    Examples
    --------
    >>> from condmmd import CMMD, Joint
    >>> CMMD(estimator=Joint(), level=2).estimator.name
    'joint'
    """

    weighted: bool = False
    lowest_level: ClassVar[int] = 2
    one_lambda: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.weighted, bool):
            raise TypeError(f"`weighted` must be True or False; got {self.weighted!r}.")

    @property
    def name(self) -> str:
        """What the result calls it."""
        return "joint, weighted" if self.weighted else "joint"

    @property
    def needs(self) -> frozenset[Need]:
        """The propensity, for weights."""
        return frozenset({"propensity", "residual labels"}) if self.weighted else frozenset()

    def compare(self, given: Ingredients) -> Comparison:
        """There is nothing to choose."""
        if not self.weighted:
            return given.compare(JointContrast(), None)
        e, _ = given.learned.law_of_labels("the weighted joint estimator")
        x, sigma = given.x.principal(map_rows(overlap, e))
        own = replace(given, x=replace(x, gram=None), sigma=move_to(sigma, x.phi))
        return own.compare(WeightedJointContrast(e, total_overlap(e)), None)


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


@dataclass(frozen=True, eq=False)
class WeightedJointContrast:
    """``(M(t (1 - e)) - M((1 - t) e)) / sum e (1 - e)``, which estimates ``C D`` wherever X is.

    C is the covariance of X over the population that counts rows by e (1 - e). As ``t (1 - e) - (1 - t) e = t - e``, it
    is ``M(a) / sum e (1 - e)`` with ``a`` the labels less their ``centre`` e; the weights are those of the shifted MMD
    (Bordino and Berrett, 2025).
    """

    centre: Rows
    total: float
    power: ClassVar[int] = 2

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:
        return cross_moments(T, x.phi, y.phi) / self.total
