"""Outcome models of the doubly robust estimator: which kind, on which rows, and whether resampling refits them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.arguments import check_count, is_number
from condmmd.arrays import is_device, matching, n_rows, to_host
from condmmd.contrasts import DoublyRobust, ridge_models
from condmmd.embedding import Embedding
from condmmd.kernels import Linear
from condmmd.samples import Array, Table

__all__ = ["OutcomeOptions", "check_outcome_options", "doubly_robust", "train_predictions"]


@dataclass(frozen=True, eq=False)
class OutcomeOptions:
    """What the user asked of the outcome models.

    Attributes
    ----------
    model
        None for ridge embeddings, a scikit-learn regressor, or two arrays of predictions.
    reg
        Lambdas of the ridge embeddings; None: that of the difference.
    n_folds
        Cross-fitting; None without.
    train
        Rows to fit on and to leave out of the statistic; None: fit on all.
    refit
        Fit anew for every label vector (ridge embeddings only).
    """

    model: Any = None
    reg: tuple[float, float] | None = None
    n_folds: int | None = None
    train: npt.NDArray[np.bool_] | None = None
    refit: bool = True


def check_outcome_options(model: Any, reg: Any, fit: Any, *, refit: bool, estimator: str) -> OutcomeOptions | None:
    """Read the options before any work; None if the estimator has no outcome models."""
    if estimator != "doubly_robust":
        if model is not None or reg is not None or not (isinstance(fit, str) and fit == "all"):
            raise ValueError(
                f"`outcome_model`, `outcome_reg` and `outcome_fit` do not apply to the {estimator} estimator."
            )
        return None
    is_pair = isinstance(model, tuple) and len(model) == 2
    if not (model is None or is_pair or (hasattr(model, "fit") and hasattr(model, "predict"))):
        raise TypeError(
            f"`outcome_model` must be None, a scikit-learn regressor or a pair of arrays of predictions; got {model!r}."
        )
    options = OutcomeOptions(model, _check_pair(reg), refit=refit)
    if isinstance(fit, str) and fit == "all":
        return options
    if is_number(fit):
        if check_count(fit, "outcome_fit") < 2:
            raise ValueError(f"`outcome_fit` must be at least 2 folds; got {fit!r}.")
        return replace(options, n_folds=int(fit))
    train = np.asarray(fit)
    if train.dtype != np.bool_ or train.ndim != 1:
        raise TypeError(
            f"`outcome_fit` must be 'all', a number of folds, or a boolean mask of training rows; got {fit!r}."
        )
    if is_pair:
        raise ValueError("`outcome_fit` says where to fit, but `outcome_model` has the predictions already.")
    return replace(options, train=train, refit=False)


def _check_pair(reg: Any) -> tuple[float, float] | None:
    if reg is None:
        return None
    pair = (reg, reg) if is_number(reg) else reg
    if not (isinstance(pair, tuple) and len(pair) == 2 and all(is_number(lam) and 0 < lam < np.inf for lam in pair)):
        raise ValueError(f"`outcome_reg` must be a positive number or a pair of them (P, Q); got {reg!r}.")
    return float(pair[0]), float(pair[1])


def doubly_robust(
    options: OutcomeOptions, lam: float, e: Array, x: Embedding, y: Embedding, table: Table, y_table: Table, t: Array
) -> DoublyRobust:
    """The contrast, with models refitted for every label vector, or fitted here, once, on the observed labels."""
    reg = options.reg or (lam, lam)
    folds = None if options.n_folds is None else _folds(t, options.n_folds)
    refitted = DoublyRobust(lam, e, reg, folds)
    if isinstance(options.model, tuple):
        return DoublyRobust(lam, e, predictions=_given(options.model, y, y_table))
    if options.model is not None:
        return DoublyRobust(lam, e, predictions=_regressors(options.model, table.values, y.phi, t, folds))
    if options.refit:
        return refitted
    return DoublyRobust(lam, e, predictions=refitted.models(t, x, y))


def train_predictions(
    options: OutcomeOptions, lam: float, parts: tuple[Array, Array], fit_on: tuple[Array, Array, Array, Array]
) -> tuple[Array, Array]:
    """mu_P and mu_Q at the rows of the statistic, from models fitted on the training rows.

    ``parts``: values and features of the rows to predict at; ``fit_on``: values, features, outcomes, labels to fit on.
    """
    values, phi = parts
    train_values, train_phi, psi, t = fit_on
    if options.model is None:
        B_p, B_q = ridge_models(t[None, :], train_phi, psi, options.reg or (lam, lam))
        return phi @ B_p[0], phi @ B_q[0]
    host = [to_host(array) for array in (train_values, psi, t)]
    fitted = [_fit(options.model, host[0][rows], host[1][rows]) for rows in (host[2] == 1, host[2] == 0)]
    predicted = [matching(_predict(model, to_host(values), psi.shape[1]), phi) for model in fitted]
    return predicted[0], predicted[1]


def _given(predictions: tuple[Any, Any], y: Embedding, table: Table) -> tuple[Array, Array]:
    if not isinstance(y.kernel, Linear):
        raise TypeError("`outcome_model` with predictions needs kernel_y='linear': they are in the units of Y.")
    found = []
    for values in predictions:
        mu = np.asarray(to_host(values) if is_device(values) else values, dtype=np.float64)
        mu = mu[:, None] if mu.ndim == 1 else mu
        shape = (n_rows(y.phi), len(table.columns))
        if mu.shape != shape or not np.isfinite(mu).all():
            raise ValueError(
                f"`outcome_model` must have finite predictions of shape {shape} for each group; got shape {mu.shape}."
            )
        found.append(y.transform(matching(mu, y.phi)))
    return found[0], found[1]


def _regressors(model: Any, X: Array, psi: Array, t: Array, folds: npt.NDArray[np.int64] | None) -> tuple[Array, Array]:
    rows_on_device, (X, psi, t) = psi, (to_host(array) for array in (X, psi, t))
    mu = np.empty((2, *psi.shape))
    for fold in [None] if folds is None else np.unique(folds):
        rows = slice(None) if fold is None else folds == fold
        inside = np.ones(len(t), dtype=bool) if fold is None else folds != fold
        for k, label in enumerate((1, 0)):
            chosen = inside & (t == label)
            mu[k, rows] = _predict(_fit(model, X[chosen], psi[chosen]), X[rows], psi.shape[1])
    return matching(mu[0], rows_on_device), matching(mu[1], rows_on_device)


def _fit(model: Any, X: Array, psi: Array) -> Any:
    from sklearn.base import clone  # noqa: PLC0415 - a slow import that few runs need

    return clone(model).fit(X, psi[:, 0] if psi.shape[1] == 1 else psi)


def _predict(model: Any, X: Array, width: int) -> Array:
    return np.asarray(model.predict(X), dtype=np.float64).reshape(-1, width)


def _folds(t: Array, n_folds: int) -> npt.NDArray[np.int64]:
    """Shuffled folds, the same every time and blind to the labels."""
    folds = np.arange(n_rows(t)) % n_folds
    np.random.default_rng(0).shuffle(folds)
    return folds
