"""The plug-in estimator of the paper: the difference of the two groups' ridge regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from condmmd.backend import AnyArray, LabelBatch, Rows
from condmmd.embedding import Embedding
from condmmd.regression.ridge import ridge_coefficients, ridge_difference, ridge_models
from condmmd.statistics.base import Need
from condmmd.statistics.comparison import Comparison, Ingredients

__all__ = ["PlugIn", "PlugInContrast"]


@dataclass(frozen=True)
class PlugIn:
    """Right whether or not X has the same distribution in both samples (paper, Theorem cmmd_s_est_closed).

    Under null labels the mean of its difference D is not zero where the groups' covariates differ: a ridge shrinks
    their regressions by different amounts, and what it leaves of the outcomes looks like a difference. A real one of
    the opposite sign makes D smaller than null labels do, and a test of it finds nothing, however many rows there are;
    one of the same sign is found the sooner. The p-value is exact given the propensity all the same; `Overlap` sees
    both signs.

    With ``CMMD(level=1)``, and ``residualize=False`` in a test, it is the statistic of KCD (Park et al., 2021).

    Examples
    --------
    >>> from condmmd import CMMD, PlugIn
    >>> CMMD(estimator=PlugIn()) == CMMD(estimator="plugin") == CMMD()
    True
    """

    name: ClassVar[str] = "plugin"
    needs: ClassVar[frozenset[Need]] = frozenset()
    lowest_level: ClassVar[int] = 0
    one_lambda: ClassVar[bool] = False

    def compare(self, given: Ingredients) -> Comparison:
        """Lambda from the pooled rows; then everything is fixed but the labels."""
        reg = given.chosen_reg()
        return given.compare(PlugInContrast(reg.pair), reg)


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
