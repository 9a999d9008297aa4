"""A comparison with everything fixed but the labels. What the measure and the test both evaluate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.arrays import is_lazy, n_rows, namespace, steps_of, take, to_host
from condmmd.contrasts import Contrast, DoublyRobust, Joint, Orthogonal, PlugIn
from condmmd.embedding import Embedding, Solver, embed_covariates, embed_outcomes
from condmmd.kernels import KernelLike, resolve_kernel
from condmmd.moments import AnyWeights
from condmmd.outcome_models import OutcomeOptions, doubly_robust, train_predictions
from condmmd.regularization import Regularization, choose_reg
from condmmd.resampling import Drawn
from condmmd.samples import Array, Samples, select_rows
from condmmd.spectrum import level_values, mixture_spectrum

__all__ = [
    "Estimator",
    "Features",
    "Problem",
    "check_blocks_of_rows",
    "embed_outcome_side",
    "embed_samples",
    "pose",
    "pose_doubly_robust",
]

Estimator: TypeAlias = Literal["plugin", "joint", "orthogonal", "doubly_robust"]

# Numbers in the moments of one batch of label vectors (256 MB).
BATCH_NUMBERS = 2**25


@dataclass(frozen=True, eq=False)
class Problem:
    """Features of covariates and outcomes, and the contrast between the two groups.

    Attributes
    ----------
    x
        Covariates, with features in the eigenbasis of the pooled covariance C.
    sigma
        The eigenvalues of C.
    y
        Outcomes.
    contrast
        How D is made.
    mixture
        Weight of P in C (alpha of the paper); None: the pooled sample, n / (n + m).
    """

    x: Embedding
    sigma: Array
    y: Embedding
    contrast: Contrast
    mixture: float | None = None

    def spectra(self, T: AnyWeights) -> tuple[Array, Array, Array]:
        """Eigenvalues (r or B x r), energies (B x r) and D (B x r x q) for each label vector, a row of ``T``."""
        D = self.contrast(T, self.x, self.y)
        xp = namespace(D)
        if self.mixture is None:
            return self.sigma, xp.vecdot(D, D), D
        sigma, U = mixture_spectrum(T, self.x.phi, self.mixture)
        along = xp.matrix_transpose(U) @ D
        return sigma, xp.vecdot(along, along), D

    def levels(self, T: AnyWeights, s: Array, *, batch: int | None = None) -> Array:
        """CMMD_s^2 for each label vector (a row of ``T``) and each level: shape (B, len(s))."""
        r, q = self.x.rank, self.y.rank
        step = batch or max(1, BATCH_NUMBERS // (2 * r * (r + q) if self.x.gram is None else 4 * r * q))
        if isinstance(T, Drawn):  # a pass over the data costs more than the memory of all moments
            sigma, energies, _ = self.spectra(T)
            return to_host(level_values(sigma, energies, s, self.contrast.power))
        values = np.empty((n_rows(T), len(s)))
        for labels in steps_of(n_rows(T), step):
            sigma, energies, _ = self.spectra(T[labels, :])
            values[labels] = to_host(level_values(sigma, energies, s, self.contrast.power))
        return values


def check_blocks_of_rows(samples: Samples, *, options: OutcomeOptions | None, propensity: Any, **others: Any) -> None:
    """With rows in blocks (dask): refuse what needs all of them at once, before any work."""
    if not is_lazy(samples.x.values):
        return
    needed = [name for name, value in others.items() if value is not None and value is not False]
    if hasattr(propensity, "predict_proba"):
        needed.append("propensity (a classifier)")
    if options is not None and (
        options.model is not None or options.n_folds is not None or options.train is not None or not options.refit
    ):
        needed.append("outcome_model, outcome_fit or refit")
    if needed:
        raise TypeError(
            f"{', '.join(f'`{name}`' for name in needed)}: this needs all rows in memory, and these are in blocks "
            "(dask). Leave it out, or pass arrays in memory."
        )


@dataclass(frozen=True, eq=False)
class Features:
    """Covariates (in the eigenbasis of their pooled covariance, with its eigenvalues) and outcomes as features."""

    x: Embedding
    sigma: Array
    y: Embedding


def embed_outcome_side(samples: Samples, *, kernel_y: KernelLike, tol: float, max_rank: int | None) -> Embedding:
    """Fix the kernel of the outcomes and their features from the pooled rows. The labels are not looked at."""
    l = resolve_kernel(kernel_y, samples.y, samples.gram_y)  # noqa: E741 - the paper's letter
    return embed_outcomes(l, samples.y, tol=tol, max_rank=max_rank)


def embed_samples(
    samples: Samples,
    y: Embedding,
    *,
    kernel_x: KernelLike,
    tol: float,
    max_rank: int | None,
    solver: Solver,
) -> Features:
    """Fix the kernel of the covariates and their features likewise."""
    k = resolve_kernel(kernel_x, samples.x, samples.gram_x)
    x = embed_covariates(k, samples.x, tol=tol, max_rank=max_rank, solver=solver, outcomes=y.rank)
    return Features(*x.principal(), y)


def pose(
    features: Features,
    *,
    reg: Regularization | Literal["loo", "gcv"],
    estimator: Estimator,
    mixture: float | None,
    e: Array | None = None,
) -> tuple[Problem, Regularization | None]:
    """Fix lambda from the pooled rows, and so everything but the labels."""
    x, sigma, y = features.x, features.sigma, features.y
    if estimator == "joint":
        return Problem(x, sigma, y, Joint(), mixture), None
    chosen = choose_reg(reg, x.phi, y.phi, sigma)
    if estimator == "orthogonal":
        if e is None:
            raise ValueError("the orthogonal estimator needs a propensity.")
        return Problem(x, sigma, y, Orthogonal(_one_lambda(chosen).lam_p, e), mixture), chosen
    return Problem(x, sigma, y, PlugIn(chosen.pair), mixture), chosen


def pose_doubly_robust(
    features: Features,
    samples: Samples,
    *,
    reg: Regularization | Literal["loo", "gcv"],
    mixture: float | None,
    e: Array,
    options: OutcomeOptions,
) -> tuple[Problem, Regularization, Samples]:
    """Fix the doubly robust problem; with training rows, on the others, which are returned."""
    x, sigma, y = features.x, features.sigma, features.y
    if options.train is None:
        chosen = _one_lambda(choose_reg(reg, x.phi, y.phi, sigma))
        t = samples.groups.t
        contrast = doubly_robust(options, chosen.lam_p, e, x, y, samples.x, samples.y, t)
        return Problem(x, sigma, y, contrast, mixture), chosen, samples
    train = _check_train(options.train, samples)
    rest = select_rows(samples, ~train, argument="outcome_fit")
    inside, outside = np.flatnonzero(train), np.flatnonzero(~train)
    fit_on = tuple(take(rows, inside) for rows in (samples.x.values, x.phi, y.phi, samples.groups.t))
    parts = take(samples.x.values, outside), take(x.phi, outside)
    x, sigma = replace(x, phi=parts[1], gram=None).principal()
    y = replace(y, phi=take(y.phi, outside))
    chosen = _one_lambda(choose_reg(reg, x.phi, y.phi, sigma))
    predictions = train_predictions(options, chosen.lam_p, parts, fit_on)
    contrast = DoublyRobust(chosen.lam_p, take(e, outside), predictions=predictions)
    return Problem(x, sigma, y, contrast, mixture), chosen, rest


def _one_lambda(reg: Regularization) -> Regularization:
    if reg.lam_p != reg.lam_q:
        raise ValueError("`reg` must be one number here, the lambda of the difference; `outcome_reg` may be a pair.")
    return reg


def _check_train(train: npt.NDArray[np.bool_], samples: Samples) -> npt.NDArray[np.bool_]:
    t = to_host(samples.groups.t)
    if len(train) != len(t):
        raise ValueError(f"`outcome_fit` must have one value a row, {len(t)}; got {len(train)}.")
    if min(t[train].sum(), (1 - t[train]).sum()) < 2:
        raise ValueError("`outcome_fit` must mark at least 2 rows of each group to fit on.")
    return train
