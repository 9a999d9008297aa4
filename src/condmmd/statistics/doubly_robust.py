"""The doubly robust estimator of the paper: right if the propensity or the outcome models are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    HeldLabels,
    LabelBatch,
    Rows,
    Weights,
    content_order,
    move_to,
    n_rows,
    namespace,
    put_rows,
    take,
    to_host,
)
from condmmd.data import Samples
from condmmd.data.checks import PerGroup, check_count, is_number
from condmmd.embedding import Embedding
from condmmd.nuisance.folds import fold_parts, shuffled_folds
from condmmd.nuisance.outcome_models import fit_regressor, given_predictions, predict, regressor_predictions
from condmmd.regression.moments import cross_moments, second_moments
from condmmd.regression.odds import inverse_weights
from condmmd.regression.ridge import ridge_models
from condmmd.statistics.base import Need
from condmmd.statistics.comparison import Comparison, Ingredients, pooled_shrinkage

__all__ = ["DoublyRobust", "DoublyRobustContrast"]


@dataclass(frozen=True, eq=False)
class DoublyRobust:
    """Ridge regression of pseudo-outcomes on x (paper, section Doubly Robust Estimator).

    Parameters
    ----------
    model
        None for the ridge embeddings of each group; a scikit-learn regressor (of several outputs) for the outcomes'
        features; or ``PerGroup(p, q)`` with predictions of Y at the rows (then ``kernel_y`` must be linear).
    reg
        Lambda of the ridge embeddings, a number or a `PerGroup`; None: that of the difference.
    folds
        Fit the models for each of so many folds on the others; None: on all rows.
    train
        A boolean for each row: fit on these rows, which then take no other part. For measurements only.
    refit
        Fit the ridge embeddings anew for every null label vector, which keeps the p-value exact given the propensity.
        False keeps those of the observed labels, as the paper does, and so does any other model: the statistic then
        knows the observed labels, and the p-value is approximate.

    Examples
    --------
    >>> from condmmd import CMMD, DoublyRobust, PerGroup
    >>> CMMD(estimator=DoublyRobust(reg=PerGroup(0.1, 0.2), folds=5)).estimator.name
    'doubly_robust'
    """

    model: Any = None
    reg: float | PerGroup | None = None
    folds: int | None = None
    train: Any = None
    refit: bool = True
    name: ClassVar[str] = "doubly_robust"
    needs: ClassVar[frozenset[Need]] = frozenset({"propensity"})
    lowest_level: ClassVar[int] = 0
    one_lambda: ClassVar[bool] = True

    def __post_init__(self) -> None:
        given = isinstance(self.model, PerGroup)
        fits = hasattr(self.model, "fit") and hasattr(self.model, "predict") and not isinstance(self.model, type)
        if not (self.model is None or given or fits):
            raise TypeError(
                "`model` must be None, a scikit-learn regressor or PerGroup(p, q) with predictions of each group; got "
                f"{self.model!r}."
            )
        if self.reg is not None and not all(is_number(lam) and 0 < lam < np.inf for lam in self._pair(0.0)):
            raise ValueError(f"`reg` of DoublyRobust must be a positive number or a PerGroup of two; got {self.reg!r}.")
        if self.folds is not None and check_count(self.folds, "folds") < 2:
            raise ValueError(f"`folds` must be at least 2; got {self.folds!r}.")
        if self.train is not None:
            self._check_mask()

    def _check_mask(self) -> None:
        if np.asarray(self.train).dtype != np.bool_ or np.ndim(self.train) != 1:
            raise TypeError(f"`train` must be a boolean for each row; got {self.train!r}.")
        if isinstance(self.model, PerGroup) or self.folds is not None:
            raise ValueError("`train` says where to fit; leave out `folds`, and predictions, which are fitted already.")

    @property
    def approximate(self) -> bool:
        """Whether the models are those of the observed labels, whatever the null labels are."""
        return self.model is not None or not self.refit

    @property
    def needs_memory(self) -> bool:
        """Whether all rows must be in memory at once."""
        return self.approximate or self.folds is not None or self.train is not None

    def compare(self, given: Ingredients) -> Comparison:
        """The contrast, with models refitted for every label vector, or fitted here, once, on the observed labels."""
        if given.learned.propensity is None:
            raise ValueError("the doubly robust estimator needs a propensity.")
        e = given.learned.propensity.e
        if self.train is not None:
            return self._compare_apart(given, e)
        reg = given.chosen_reg()
        t, lam = given.samples.groups.t, reg.lam_p
        folds = None if self.folds is None else _folds(given.samples, int(self.folds))
        refitted = DoublyRobustContrast(lam, e, self._pair(lam), folds)
        if isinstance(self.model, PerGroup):
            predictions = given_predictions(self.model.pair, given.y, given.samples.y)
        elif self.model is not None:
            predictions = regressor_predictions(self.model, given.samples.x.values, given.y.phi, t, folds)
        elif self.refit:
            return given.compare(refitted, reg)
        else:
            predictions = refitted.models(t, given.x, given.y)
        return given.compare(DoublyRobustContrast(lam, e, predictions=predictions), reg)

    def _pair(self, lam: float) -> tuple[float, float]:
        if self.reg is None:
            return lam, lam
        return self.reg.pair if isinstance(self.reg, PerGroup) else (self.reg, self.reg)

    def _compare_apart(self, given: Ingredients, e: Rows) -> Comparison:
        """Models from the training rows, the comparison on the others."""
        train = _check_train(np.asarray(self.train), given.samples)
        inside, outside = np.flatnonzero(train), np.flatnonzero(~train)
        x, sigma = replace(given.x, phi=take(given.x.phi, outside), gram=None).principal()
        y = replace(given.y, phi=take(given.y.phi, outside))
        own = replace(given, x=x, sigma=sigma, y=y)
        reg = own.chosen_reg()
        t, psi = take(given.samples.groups.t, inside), take(given.y.phi, inside)
        if self.model is None:
            pair = self._pair(reg.lam_p)
            B_p, B_q = ridge_models(HeldLabels(t[None, :]), take(given.x.phi, inside), psi, pair)
            apart = take(given.x.phi, outside)
            predictions = apart @ B_p[0, ...], apart @ B_q[0, ...]
        else:
            X, labels = to_host(given.samples.x.values), to_host(t)
            groups = [inside[labels == label] for label in (1, 0)]
            outcomes = to_host(given.y.phi)
            fitted = [fit_regressor(self.model, X[rows], outcomes[rows]) for rows in groups]
            mu = [move_to(predict(model, X[outside], psi.shape[1]), y.phi) for model in fitted]
            predictions = mu[0], mu[1]
        contrast = DoublyRobustContrast(reg.lam_p, take(e, outside), predictions=predictions)
        return own.compare(contrast, reg, rows=~train)


def _folds(samples: Samples, n_folds: int) -> npt.NDArray[np.int64]:
    """The fold of each row, wherever it stands."""
    order = content_order(to_host(samples.x.values), to_host(samples.y.values)[:, 0])
    return shuffled_folds(len(order), n_folds, order)


def _check_train(train: npt.NDArray[np.bool_], samples: Samples) -> npt.NDArray[np.bool_]:
    t = to_host(samples.groups.t)
    if len(train) != len(t):
        raise ValueError(f"`train` must have one value a row, {len(t)}; got {len(train)}.")
    if min(t[train].sum(), (1 - t[train]).sum()) < 2:
        raise ValueError("`train` must mark at least 2 rows of each group to fit on.")
    return train


@dataclass(frozen=True, eq=False)
class DoublyRobustContrast:
    """``D = (A(1) + lam N I)^-1 sum_i phi_i pseudo_i^T``.

    With ``a_i = (t_i - e_i) / (e_i (1 - e_i))`` the pseudo-outcome is
    ``a_i [psi_i - (1 - e_i) mu_P(x_i) - e_i mu_Q(x_i)]``.
    ``x`` must be in the eigenbasis of C, where A(1) is diagonal.

    Attributes
    ----------
    reg
        Lambda of the difference.
    e
        Propensity at the rows.
    outcome_reg
        Lambdas of the two groups' ridge embeddings mu_P and mu_Q, which are refitted for every label vector.
    folds
        With folds, the models for a fold's rows are fitted on the other folds.
    predictions
        mu_P and mu_Q at the rows, fixed for every label vector; in place of ridge embeddings.
    """

    reg: float
    e: Rows
    outcome_reg: tuple[float, float] = (0.1, 0.1)
    folds: npt.NDArray[np.int64] | None = None
    predictions: tuple[Rows, Rows] | None = None
    power: ClassVar[int] = 0

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:
        phi, psi, e = x.phi, y.phi, self.e
        right = cross_moments(T.reweighted(inverse_weights, e), phi, psi)
        of_p, of_q = T.reweighted(_weights_of_p, e), T.reweighted(_weights_of_q, e)
        if self.predictions is not None:
            mu_p, mu_q = self.predictions
            right = right - (cross_moments(of_p, phi, mu_p) + cross_moments(of_q, phi, mu_q))
        elif self.folds is None:
            B_p, B_q = ridge_models(T, phi, psi, self.outcome_reg)
            right = right - (second_moments(of_p, phi) @ B_p + second_moments(of_q, phi) @ B_q)
        else:
            for rows, train in fold_parts(n_rows(e), self.folds):
                some, fit_on = take(phi, rows), take(phi, train)
                B_p, B_q = ridge_models(T.on_rows(train), fit_on, take(psi, train), self.outcome_reg)
                right = right - second_moments(of_p.on_rows(rows), some) @ B_p
                right = right - second_moments(of_q.on_rows(rows), some) @ B_q
        return right * pooled_shrinkage(x, self.reg)[:, None]

    def models(self, t: Rows, x: Embedding, y: Embedding) -> tuple[Rows, Rows]:
        """mu_P and mu_Q at the rows for one label vector."""
        if self.predictions is not None:
            return self.predictions
        xp = namespace(y.phi)
        mu_p, mu_q = xp.empty_like(y.phi), xp.empty_like(y.phi)
        for rows, train in fold_parts(n_rows(t), self.folds):
            fit_on = (HeldLabels(take(t, train)[None, :]), take(x.phi, train), take(y.phi, train))
            B_p, B_q = ridge_models(*fit_on, self.outcome_reg)
            put_rows(mu_p, rows, take(x.phi, rows) @ B_p[0, ...])
            put_rows(mu_q, rows, take(x.phi, rows) @ B_q[0, ...])
        return mu_p, mu_q

    def pseudo_outcomes(self, t: Rows, x: Embedding, y: Embedding) -> Rows:
        """What is regressed on x, in the coordinates of the outcomes' features."""
        mu_p, mu_q = self.models(t, x, y)
        e = self.e[:, None]
        return inverse_weights(t, self.e)[:, None] * (y.phi - (1 - e) * mu_p - e * mu_q)


def _weights_of_p(T: Weights, e: Rows) -> Weights:
    return inverse_weights(T, e) * (1 - e)


def _weights_of_q(T: Weights, e: Rows) -> Weights:
    return inverse_weights(T, e) * e
