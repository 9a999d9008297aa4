"""How free the labels were: an estimated propensity, or a fixed number of rows of P, takes some of their noise away.

A sum ``sum_i (t_i - e_i) c_i`` with e fitted to the very labels t varies less than one with e known: what the columns
of the fit, Z, can imitate of c is balanced by it. To first order each row counts by ``c_i - G z_i``, with G the
regression of c on Z that the likelihood makes (`condmmd.regression.refitting` does the same for null labels).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, cached_property, to_host
from condmmd.explain import Evidence
from condmmd.regression.logistic import design, weighted_second
from condmmd.regression.odds import overlap

__all__ = ["MOST_LEVERAGE", "LabelFreedom", "sums_by"]

# A row's own part in what is fitted to it is taken out up to here.
MOST_LEVERAGE = 0.95


@dataclass(frozen=True, eq=False)
class LabelFreedom:
    """What was fitted to the labels: columns with what holds their coefficients, or shares in strata, or nothing.

    Attributes
    ----------
    w
        ``e (1 - e)`` of each row.
    fit
        The columns of a logistic regression, their Hessian with the penalty, and the weight of each row.
    strata
        Within which the number of rows of P is fixed; None where it is free.
    """

    w: Array
    fit: tuple[Array, Array, Array] | None
    strata: npt.NDArray[np.int64] | None

    @classmethod
    def of(cls, evidence: Evidence) -> LabelFreedom:
        labels, e = evidence.labels, evidence.e
        w, known = to_host(overlap(e)), labels.propensity.fit
        if known is not None:
            Z = to_host(known.Z)
            weight = np.ones(len(e)) if known.weight is None else to_host(known.weight)
            hessian = to_host(weighted_second(Z, e, weight)) + known.held[0]
            return cls(w, (to_host(design(Z)), hessian, weight), None)
        if labels.kind == "bernoulli":
            return cls(w, None, None)
        # with blocks the strata would be those of blocks, which only the rows' own labels know
        known_strata = labels.strata if labels.blocks is None else None
        return cls(w, None, np.zeros(len(e), dtype=np.int64) if known_strata is None else known_strata)

    @cached_property
    def stretch(self) -> Array:
        """What makes the squares of fitted labels' residuals as large on average as e (1 - e) is: those are too small.

        A label draws its own fit towards it, so that its residual has the variance ``w (1 - leverage)``.
        """
        if self.fit is not None:
            Z, hessian, _ = self.fit
            leverage = self.w * np.sum(Z * np.linalg.solve(hessian, Z.T).T, axis=1)
        elif self.strata is not None:
            leverage = self.w / np.maximum(np.bincount(self.strata, weights=self.w), 1e-300)[self.strata]
        else:
            leverage = np.zeros(len(self.w))
        return np.asarray(1 / np.sqrt(1 - np.clip(leverage, 0.0, MOST_LEVERAGE)))

    def left(self, c: Array, tau: Array) -> Array:
        """``tau_i c_i`` less what the fit takes of it: what each row adds to the noise of the sum, N x columns."""
        if self.fit is not None:
            Z, hessian, weight = self.fit
            G = np.linalg.solve(hessian, Z.T @ (self.w[:, None] * c))
            return np.asarray(tau[:, None] * (c - weight[:, None] * (Z @ G)))
        if self.strata is None:
            return np.asarray(tau[:, None] * c)
        total = np.maximum(np.bincount(self.strata, weights=self.w), 1e-300)
        mean = sums_by(self.w[:, None] * c, self.strata) / total[:, None]
        return np.asarray(tau[:, None] * (c - mean[self.strata]))


def sums_by(values: Array, part: npt.NDArray[np.int64] | None) -> Array:
    """Sums of the rows of each part; the parts are numbered from 0 and none is empty. Without parts, as they are."""
    if part is None:
        return values
    order = np.argsort(part, kind="stable")
    starts = np.flatnonzero(np.diff(part[order], prepend=-1))
    return np.add.reduceat(values[order], starts, axis=0)
