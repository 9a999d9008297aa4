"""The conditional mean embedding where the outcomes of some rows are not seen, which is doubly robust.

What is regressed on x over all rows is ``t / e (psi - mu(x)) + mu(x)`` (paper, section Doubly Robust Estimator): t says
whether the outcome is seen, e is the probability of that given x, and mu is a model of the outcomes that are. If e or
mu is right, its mean given x is that of psi.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, host_floats
from condmmd.data.frames import as_frame
from condmmd.regression.regularization import Lambda, choose_reg

__all__ = ["RobustSmoother", "read_observed", "read_propensity", "robust_smoother", "with_rows_filled"]


class RobustSmoother(NamedTuple):
    """Weights of the seen outcomes along each feature of x, lambda, and the pseudo-outcomes behind it."""

    weights: Array
    lam: float
    pseudo: Array


def robust_smoother(
    features: tuple[Array, Array], psi: Array, observed: npt.NDArray[np.bool_], e: Array, reg: Lambda
) -> RobustSmoother:
    """Ridge regression of the pseudo-outcomes on the features of x, as weights of the outcomes that are seen.

    Parameters
    ----------
    features
        Those of x at all rows, in the eigenbasis of their covariance, and its eigenvalues.
    psi
        Features of the outcomes that are seen.
    observed, e
        Which rows these are, and the probability of it at all rows.
    reg
        Lambda of the model and of the regression of pseudo-outcomes, or how each of them is chosen.
    """
    phi, sigma = features
    own, n = phi[observed], int(observed.sum())
    values, U = np.linalg.eigh(own.T @ own / n)
    lam = choose_reg(reg, own @ U, psi, np.maximum(values, 0.0)).lam_p
    B = np.linalg.solve(own.T @ own + lam * n * np.eye(phi.shape[1]), own.T)  # r x n: the model, by outcomes
    seen = observed / e
    pseudo = (1 - seen)[:, None] * (phi @ (B @ psi))
    pseudo[observed] += psi / e[observed, None]
    lam = choose_reg(reg, phi, pseudo, sigma).lam_p
    by_outcome = own.T / e[observed] + (phi * (1 - seen)[:, None]).T @ phi @ B
    return RobustSmoother((by_outcome / (len(phi) * (sigma + lam))[:, None]).T, lam, pseudo)


def read_observed(observed: Any, rows: int) -> npt.NDArray[np.bool_]:
    """Which outcomes are seen: a boolean, or 1 and 0, for each row."""
    found = np.asarray(observed)
    if found.shape != (rows,):
        raise ValueError(f"`observed` must have one value a row, {rows}; got shape {found.shape}.")
    if found.dtype != np.bool_:
        if not np.isin(found, (0, 1)).all():
            raise ValueError("`observed` must be booleans, or 1 and 0.")
        found = found == 1
    if found.sum() < 2:
        raise ValueError(f"`observed` marks {int(found.sum())} rows; at least 2 outcomes must be seen.")
    return np.asarray(found, dtype=np.bool_)


def read_propensity(propensity: Any, rows: int) -> Array:
    """The probability that the outcome of a row is seen."""
    if propensity is None:
        raise ValueError("`propensity` must be given with `observed`: the probability that an outcome is seen, by row.")
    e = host_floats(propensity)
    if e.shape != (rows,):
        raise ValueError(f"`propensity` must have one probability a row, {rows}; got shape {e.shape}.")
    bad = np.flatnonzero(~((e > 0) & (e <= 1)))
    if len(bad):
        raise ValueError(f"`propensity` must be above 0 and at most 1; row {bad[0]} has {e[bad[0]]:g}.")
    return e


def with_rows_filled(y: Any, observed: npt.NDArray[np.bool_]) -> Any:
    """The outcomes, with those that are not seen, which may be missing, replaced by one that is."""
    take = np.where(observed, np.arange(len(observed)), int(np.flatnonzero(observed)[0]))
    frame = as_frame(y)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame[take.tolist()].to_native()
    return np.asarray(y)[take]
