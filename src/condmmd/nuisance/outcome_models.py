"""Predictions of the outcomes' features within each group, for the doubly robust estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, host_floats, move_to, n_rows, to_host
from condmmd.data import Table
from condmmd.data.masks import unmasked
from condmmd.embedding import Embedding
from condmmd.kernels import Linear
from condmmd.nuisance.folds import fold_parts

__all__ = ["fit_regressor", "given_predictions", "predict", "regressor_predictions"]


def given_predictions(predictions: tuple[Any, Any], y: Embedding, table: Table) -> tuple[Rows, Rows]:
    """Predictions of Y that the user has, in the coordinates of the outcomes' features."""
    if not isinstance(y.kernel, Linear):
        raise TypeError("`model` with predictions needs kernel_y='linear': they are in the units of Y.")
    found = []
    for values in predictions:
        mu = host_floats(unmasked(values, "model"))
        mu = mu[:, None] if mu.ndim == 1 else mu
        shape = (n_rows(y.phi), len(table.columns))
        if mu.shape != shape or not np.isfinite(mu).all():
            raise ValueError(
                f"`model` must have finite predictions of shape {shape} for each group; got shape {mu.shape}."
            )
        found.append(y.transform(move_to(mu, y.phi)))
    return found[0], found[1]


def regressor_predictions(
    model: Any, X: Rows, psi: Rows, t: Rows, folds: npt.NDArray[np.int64] | None
) -> tuple[Rows, Rows]:
    """A scikit-learn regressor fitted to each group; with folds, on the rows of the others."""
    values, outcomes, labels = to_host(X), to_host(psi), to_host(t)
    mu = np.empty((2, *outcomes.shape))
    for rows, train in fold_parts(len(labels), folds):
        for k, label in enumerate((1, 0)):
            own = train[labels[train] == label]
            fitted = fit_regressor(model, values[own], outcomes[own])
            mu[k, rows] = predict(fitted, values[rows], outcomes.shape[1])
    return move_to(mu[0], psi), move_to(mu[1], psi)


def fit_regressor(model: Any, X: Array, psi: Array) -> Any:
    """A fitted copy of a regressor; one outcome is passed as a vector, as scikit-learn expects."""
    from sklearn.base import clone  # noqa: PLC0415 - a slow import that few runs need

    return clone(model).fit(X, psi[:, 0] if psi.shape[1] == 1 else psi)


def predict(model: Any, X: Array, width: int, argument: str = "model") -> Array:
    """Predictions, all of them finite, with a column for each of ``width`` outcomes."""
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    if predicted.size != len(X) * width:
        raise ValueError(
            f"`{argument}`: {model!r} must predict {width} number(s) for each of {len(X)} rows; got {predicted.shape}."
        )
    bad = int((~np.isfinite(predicted)).sum())
    if bad:
        raise ValueError(f"`{argument}`: {model!r} predicted {bad} NaN or infinite value(s) of {predicted.size}.")
    return predicted.reshape(-1, width)
