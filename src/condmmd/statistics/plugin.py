"""The plug-in estimator of the paper: the difference of the two groups' ridge regressions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from condmmd.backend import AnyArray, LabelBatch, Rows, namespace
from condmmd.embedding import Embedding
from condmmd.labels.schemes import Bernoulli
from condmmd.regression.ridge import ridge_coefficients, ridge_difference, ridge_models
from condmmd.statistics.base import Need
from condmmd.statistics.comparison import Comparison, Contrast, Ingredients

__all__ = ["PlugIn", "PlugInContrast", "RecentredContrast"]

# Label vectors whose mean D is the centre; they are drawn in units of so many from one seed, the same for every test.
CENTRE_LABELS, UNIT = 256, 64
CENTRE_SEED = 20_240_229


@dataclass(frozen=True)
class PlugIn:
    """Right whether or not X has the same distribution in both samples (paper, Theorem cmmd_s_est_closed).

    Under null labels the mean of its difference D is not zero where the groups' covariates differ: a ridge shrinks
    their regressions by different amounts, and what it leaves of the outcomes looks like a difference. A real one of
    the opposite sign makes D smaller than null labels do, and a test of it finds nothing, however many rows there are;
    one of the same sign is found the sooner. The p-value is exact given the propensity all the same.

    With ``CMMD(level=1)``, and ``residualize=False`` in a test, it is the statistic of KCD (Park et al., 2021).

    Parameters
    ----------
    recentred
        Compare ``|D - centre|^2``, which sees both signs. The centre is the mean of D over label vectors drawn
        from the propensity; it knows nothing of the observed labels that the propensity does not, so the p-value is as
        exact as before. For tests: a measurement is of D itself.

    Examples
    --------
    >>> from condmmd import CMMD, PlugIn
    >>> CMMD(estimator=PlugIn()) == CMMD(estimator="plugin") == CMMD()
    True
    >>> CMMD(estimator=PlugIn(recentred=True)).needs >= {"propensity"}
    True
    """

    recentred: bool = False
    lowest_level: ClassVar[int] = 0
    one_lambda: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.recentred, bool):
            raise TypeError(f"`recentred` must be True or False; got {self.recentred!r}.")

    @property
    def name(self) -> str:
        """What the result calls it."""
        return "plugin, recentred" if self.recentred else "plugin"

    @property
    def needs(self) -> frozenset[Need]:
        """The propensity, for a centre."""
        return frozenset({"propensity"}) if self.recentred else frozenset()

    def compare(self, given: Ingredients) -> Comparison:
        """Lambda from the pooled rows; then everything is fixed but the labels."""
        reg = given.chosen_reg()
        compared = given.compare(PlugInContrast(reg.pair), reg)
        if not self.recentred:
            return compared
        e, _ = given.learned.law_of_labels("the recentred plug-in estimator")
        return replace(compared, contrast=RecentredContrast(compared.contrast, _mean_difference(compared, e)))


def _mean_difference(compared: Comparison, e: Rows) -> AnyArray:
    """The mean of D over label vectors that are drawn from the propensity ``e``."""
    sums = []
    for seed in np.random.SeedSequence(CENTRE_SEED).spawn(CENTRE_LABELS // UNIT):
        labels = Bernoulli(e).draw([(UNIT, np.random.default_rng(seed))], e)
        for some in labels.steps(compared.at_once):
            D = compared.contrast(some, compared.x, compared.y)
            sums.append(namespace(D).sum(D, axis=0))
    return sum(sums[1:], start=sums[0]) / CENTRE_LABELS


@dataclass(frozen=True)
class PlugInContrast:
    """``D = B_P - B_Q`` with ``B_P = (A(t) + lam_p n I)^-1 M(t)`` and B_Q likewise.

    Where the Gram matrix was formed, the same from it: ``B_P = phi_P^T (K_PP + lam_p n I)^-1 psi_P``.
    """

    reg: tuple[float, float]
    power: ClassVar[int] = 0

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:
        if x.gram is not None and T.held is not None:
            return ridge_difference(T.held, x.phi, y.phi, x.gram, self.reg)
        B_p, B_q = ridge_models(T, x.phi, y.phi, self.reg)
        return B_p - B_q

    def coefficients(self, t: Rows, x: Embedding, y: Embedding) -> Rows | None:
        """Where the Gram matrix was formed, those of ``k(., x_i)`` in the difference: N x q.

        Features of new points are those of the pivots and hold half the digits far from them; this has them all.
        """
        if x.gram is None:
            return None
        found: Rows = ridge_coefficients(t[None, :], y.phi, x.gram, self.reg)[0, ...]
        return found


@dataclass(frozen=True, eq=False)
class RecentredContrast:
    """``D - centre``, with a centre that is the same for all label vectors."""

    contrast: Contrast
    centre: AnyArray

    @property
    def power(self) -> int:
        """That of D."""
        return self.contrast.power

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:
        return self.contrast(T, x, y) - self.centre
