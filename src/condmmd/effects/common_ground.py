"""Several samples made comparable: one kernel, one regression, and weights to where all of them are.

Distances to a reference can be ranked only if they are over the same covariates. With the probability ``e_k(x)`` that a
row at x is of sample k, rows of sample k count by ``h / e_k`` with ``1 / h = sum_k 1 / e_k``: so weighted all samples
have the covariates of one population, that in which all of them are at home. Everything but the probabilities is blind
to which sample a row is of.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, n_rows, to_host
from condmmd.data import Samples
from condmmd.data.warning_types import CondmmdWarning, OverlapWarning, warn_user
from condmmd.effects.differences import directions
from condmmd.embedding import embed_covariates
from condmmd.kernels import resolve_kernel
from condmmd.labels import LabelRules
from condmmd.nuisance import PropensityModel, Residuals, regress_pooled
from condmmd.statistics import CMMD

__all__ = ["CommonGround", "common_ground"]

# Features of the covariates at most, and the share of their kernel that they may leave out.
RANK, TOL = 128, 1e-6
# Rows' worth of common ground, as a share of all, below which that is warned of.
LITTLE = 0.2


@dataclass(frozen=True, eq=False)
class CommonGround:
    """Rows of several samples, as they are compared.

    Attributes
    ----------
    sample
        The sample of each row; 0 is the reference.
    u
        Directions of the covariates, orthonormal over the common population.
    rho
        Features of the outcomes less what X says of them.
    h
        How much of the common population each row stands for, whatever its sample.
    weight
        How much it counts in its sample.
    kernels
        The kernels of X and of Y, in words.
    overlap
        The share of the rows that the common population is worth; 1 if all samples have the same covariates.
    """

    sample: npt.NDArray[np.int64]
    u: Array
    rho: Array
    h: Array
    weight: Array
    kernels: tuple[str, str]
    overlap: float


def common_ground(
    samples: Samples, sample: npt.NDArray[np.int64], statistic: CMMD, model: PropensityModel, residuals: Residuals
) -> CommonGround:
    """Fix kernels, regress the outcomes on X, and estimate where all samples are."""
    y = statistic.embed_outcomes(samples)
    pooled = regress_pooled(y.phi, samples)
    rho = to_host(residuals.fit(y, samples, pooled).outcomes.phi)
    kernel = resolve_kernel(statistic.kernels[0], samples.x, samples.gram_x)
    rank = min(RANK, n_rows(samples.x.values))
    x = embed_covariates(kernel, samples.x, tol=TOL, max_rank=rank, solver="primal", outcomes=y.rank)
    rules, strata = LabelRules(model), LabelRules(model).strata(samples)
    columns = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CondmmdWarning)  # of one sample against all others; see below
        for k in range(int(sample.max()) + 1):
            own = replace(samples, groups=replace(samples.groups, t=(sample == k).astype(np.float64)))
            columns.append(to_host(rules.make(own, pooled, strata).propensity.at_prevalence))
    e = np.stack(columns, axis=1)
    e /= e.sum(axis=1, keepdims=True)
    h = 1 / np.sum(1 / np.maximum(e, 1e-12), axis=1)
    count = e.shape[1]
    overlap = float(h.mean() / (1 / np.sum(len(e) / np.bincount(sample))))
    if overlap < LITTLE:
        warn_user(
            f"the {count} samples overlap little in X: where all of them are there is {overlap:.0%} of what equal "
            "covariates would give. Their distances are over that part alone.",
            OverlapWarning,
        )
    smallest = int(np.bincount(sample).min())
    most = max(1, int(np.ceil((2 * smallest) ** 0.5 / 2)))
    u = directions(to_host(x.phi), h, most, list((h[:, None] ** 2 / np.maximum(e, 1e-12)).T))
    weight = h / np.maximum(e[np.arange(len(e)), sample], 1e-12)
    return CommonGround(sample, u, rho - rho.mean(axis=0), h, weight, (repr(kernel), repr(y.kernel)), overlap)
