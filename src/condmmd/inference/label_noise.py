"""What null labels do to a sum over rows that is linear in them: its covariance, by the scheme that draws them.

``tau`` of null labels (`residual_labels`) has a covariance ``P V P^T`` and, where the penalty of the propensity shrinks
the refit, a mean m. V is that of the labels, P the refit to them. A matrix A of features has moments ``A^T tau`` with
second moments ``B^T B``, where B has a row for each row of A and one more, ``m^T A``: a mean so small counts as if it
were random, which agrees with a shifted law to the first order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from condmmd.backend import Array, to_host
from condmmd.labels import LabelPlan
from condmmd.labels.unfitted import randomness_before
from condmmd.regression.logistic import LogisticFit
from condmmd.regression.odds import overlap

__all__ = ["LabelNoise", "label_noise"]


class Projection(Protocol):
    """``P^T A``, or with ``transposed`` ``P A``: what a refit, or a fixed number of ones, leaves of sums over rows."""

    def __call__(self, A: Array, *, transposed: bool = False) -> Array: ...


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """A square root of the second moments of ``tau`` over null labels: ``B = root(A)``.

    Attributes
    ----------
    deviation
        Of each row's label.
    project
        What the scheme, or the refit of the propensity, takes away.
    mean
        The mean of ``tau``; None where it is zero.
    excess
        The excess kurtosis of each row's label, ``(1 - 6 w) / w``: -2 for a fair coin, large where one group is rare.
    taken
        The covariance once more, as ``diag(deviation^2) - taken @ taken^T``: for many features that differ by a factor.
    """

    deviation: Array
    project: Projection
    mean: Array | None
    excess: Array
    taken: Array

    def root(self, A: Array) -> Array:
        """``B`` for features A, a row for each row and one for the mean."""
        B = self.deviation[:, None] * self.project(A)
        return B if self.mean is None else np.concatenate([B, self.mean[None, :] @ A])

    def adjoint(self, B: Array) -> Array:
        """The transposed map: ``sum(root(A) * B) = sum(A * adjoint(B))``."""
        count = len(self.deviation)
        A = self.project(self.deviation[:, None] * B[:count], transposed=True)
        return A if self.mean is None else A + self.mean[:, None] * B[count:]


def label_noise(labels: LabelPlan, e: Array, fit: LogisticFit | None) -> LabelNoise:
    """The noise of the labels that a plan draws, in a statistic centred at e whose propensity is refitted by ``fit``.

    Independent labels have the covariance ``W = diag(e (1 - e))``. Given the number of ones it is ``W - w w^T / sum w``
    (exact, but for a factor n / (n - 1) that is included, where all e are equal), and within strata the same in each. A
    refit has an intercept, which takes the number of ones away already; its labels are as random as before the fit.
    """
    w = np.asarray(overlap(e))
    if fit is not None:
        return _refitted(w, fit, as_before=labels.refitted)
    if labels.kind == "bernoulli":
        return LabelNoise(w**0.5, _all_of_it, None, _excess(w), np.zeros((len(w), 0)))
    groups = np.zeros(len(e), dtype=np.int64) if labels.strata is None else labels.strata
    sizes = np.bincount(groups)[groups]
    deviation = (w * sizes / np.maximum(sizes - 1, 1)) ** 0.5
    taken = np.zeros((len(w), groups.max() + 1))
    taken[np.arange(len(w)), groups] = deviation * w**0.5
    taken /= np.maximum(np.bincount(groups, weights=w), 1e-300) ** 0.5
    return LabelNoise(deviation, partial(_centred, groups=groups, w=w), None, _excess(w), taken)


def _excess(w: Array) -> Array:
    return np.where(w > 0, (1 - 6 * w) / np.where(w > 0, w, 1.0), 0.0)


def _all_of_it(A: Array, *, transposed: bool = False) -> Array:  # noqa: ARG001
    return A


def _centred(A: Array, *, groups: npt.NDArray[np.int64], w: Array, transposed: bool = False) -> Array:
    """Less the weighted mean of each group of rows; transposed, less each row's share of the sum of its group."""
    total = np.bincount(groups, weights=w)
    share = np.where(total[groups] > 0, w / np.where(total > 0, total, 1.0)[groups], 0.0)[:, None]
    members = csr_array((np.ones(len(w)), (groups, np.arange(len(w)))))
    sums = np.asarray(members @ (A if transposed else share * A))[groups]
    return A - (share * sums if transposed else sums)


def _refitted(w: Array, fit: LogisticFit, *, as_before: bool) -> LabelNoise:
    Z = np.column_stack([np.ones(len(w)), to_host(fit.Z)])
    WZ = w[:, None] * Z
    held, pull = fit.held
    hessian = WZ.T @ Z + held
    mean = WZ @ np.linalg.solve(hessian, pull)
    inverse = np.linalg.inv(hessian)
    more = (min(randomness_before(w, Z, held), len(w) / 4) / w.sum()) ** 0.5 if as_before else 1.0
    taken = more * WZ @ np.linalg.cholesky(inverse + inverse @ held @ inverse)
    return LabelNoise(more * w**0.5, partial(_less_refit, Z=Z, WZ=WZ, hessian=hessian), mean, _excess(w), taken)


def _less_refit(A: Array, *, Z: Array, WZ: Array, hessian: Array, transposed: bool = False) -> Array:
    left, right = (WZ, Z) if transposed else (Z, WZ)
    return A - left @ np.linalg.solve(hessian, right.T @ A)
