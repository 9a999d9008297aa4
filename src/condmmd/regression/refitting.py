"""Moments of labels less a propensity that was refitted to them, for many label vectors over the same rows.

With ``tau = t - e - w Z step(t)`` (`residual_labels`), ``sum_i tau_i phi_i psi_i^T`` is the same sum with the labels
themselves, less one with e, less ``step(t)`` times those with the columns of ``w Z``. The last two know no labels, so
they are made once, and a label vector costs what its own sum costs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    Weights,
    as_float,
    cached_property,
    made_labels,
    move_to,
    namespace,
    sum_rows,
    to_host,
)
from condmmd.regression.logistic import LogisticFit, design, score_sums, weighted_second
from condmmd.regression.moments import cross_moments
from condmmd.regression.odds import overlap

__all__ = ["RefittedMoments"]


@dataclass(frozen=True, eq=False)
class RefittedMoments:
    """``sum_i tau_i phi_i psi_i^T`` for every label vector of a batch.

    Attributes
    ----------
    e
        The mean of each row's label over null labels.
    fit
        The estimate of the propensity, to be refitted; None leaves it as it is.
    phi, psi
        Features of the covariates and of the outcomes.
    """

    e: Rows
    fit: LogisticFit | None
    phi: Rows
    psi: Rows

    def __call__(self, T: LabelBatch) -> AnyArray:
        """Shape (B, r, q)."""
        M = cross_moments(T, self.phi, self.psi) - self._of_e
        if self.fit is None:
            return M
        xp = namespace(M)
        scores = to_host(T.sum(score_sums, self.fit.Z, self.e, *self.fit.given_weight)) - self.fit.held[1]
        steps = move_to(np.ascontiguousarray(np.linalg.solve(self._hessian, scores.T).T), M)
        taken: AnyArray = xp.reshape(steps @ xp.reshape(self._of_columns, (steps.shape[1], -1)), M.shape)
        return M - taken

    @cached_property
    def _of_e(self) -> AnyArray:
        return cross_moments(made_labels(_as_vector, (self.e,), 1), self.phi, self.psi)

    @cached_property
    def _of_columns(self) -> AnyArray:
        """The sums with each column of ``w Z``, the intercept's first."""
        if self.fit is None:
            raise ValueError("there is nothing to refit.")
        weights = made_labels(_weighted_columns, (self.fit.Z, self.e), 1 + self.fit.Z.shape[1])
        return cross_moments(weights, self.phi, self.psi)

    @cached_property
    def _hessian(self) -> Array:
        if self.fit is None:
            raise ValueError("there is nothing to refit.")
        own = to_host(sum_rows(weighted_second, self.fit.Z, self.e, *self.fit.given_weight))
        return np.asarray(own + self.fit.held[0])


def _as_vector(e: Rows) -> Weights:
    return as_float(e)[None, :]


def _weighted_columns(Z: Rows, e: Rows) -> Weights:
    return (overlap(e)[:, None] * design(Z)).T
