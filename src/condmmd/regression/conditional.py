"""The conditional mean embedding as a scikit-learn estimator: one model for every expectation of Y given X."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from condmmd.backend import Array, n_rows, to_host
from condmmd.data import Table, encode, read_table
from condmmd.data.checks import check_embedding
from condmmd.embedding import embed_covariates, embed_outcomes
from condmmd.kernels import KernelLike, check_kernel, resolve_kernel
from condmmd.regression.missing_outcomes import read_observed, read_propensity, robust_smoother, with_rows_filled
from condmmd.regression.regularization import Regularization, choose_reg, cross_validation_error, read_reg

__all__ = ["ConditionalMeanEmbedding"]


class ConditionalMeanEmbedding(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """``E[l(., Y) | X = x]`` by ridge regression of the outcomes' features on those of X (paper, equation cme_est).

    The fitted embedding at x is a weighting of the training outcomes, ``weights(x)``, with which the conditional
    expectation of any function of y is a weighted sum.

    Parameters
    ----------
    kernel_x, kernel_y
        As in `cmmd`.
    reg
        Ridge lambda (the ridge is lambda times the number of rows), "loo", "gcv" or "marginal likelihood".
    tol, max_rank
        As in `cmmd`.

    Attributes
    ----------
    reg_
        The lambda used.
    loo_score_
        Share of the outcomes' features that is explained, by leave-one-out: 0 for the unconditional mean.
    n_features_in_
        Columns of X.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import ConditionalMeanEmbedding
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2, 2, size=(400, 1))
    >>> y = np.sin(x[:, 0]) + 0.1 * rng.normal(size=400)
    >>> cme = ConditionalMeanEmbedding().fit(x, y)
    >>> cme.predict([[1.0]]).round(1)                        # conditional mean: sin(1) is 0.84
    array([0.8])
    >>> cme.expectation(lambda v: v > 0, [[1.0]]).round(1)   # conditional probability
    array([1.])
    """

    def __init__(
        self,
        kernel_x: KernelLike = None,
        kernel_y: KernelLike = None,
        *,
        reg: float | Literal["loo", "gcv", "marginal likelihood"] = "loo",
        tol: float = 1e-10,
        max_rank: int | None = None,
    ) -> None:
        self.kernel_x = kernel_x
        self.kernel_y = kernel_y
        self.reg = reg
        self.tol = tol
        self.max_rank = max_rank

    def fit(self, X: Any, y: Any, *, observed: Any = None, propensity: Any = None) -> Self:
        """Fit to covariates and outcomes; arrays, or data frames with categories.

        Parameters
        ----------
        X, y
            Covariates and outcomes, row by row.
        observed
            Where some outcomes are not seen, or are of another sample: which rows' outcomes count. Those of the others
            are not looked at, but their covariates are: the embedding is then the doubly robust one of the paper, over
            the covariates of all rows, and ``weights`` are those of the outcomes that count.
        propensity
            With ``observed``, the probability of it at each row. The embedding is right if this is, or if a ridge
            regression on the rows that count is.
        """
        check_kernel(self.kernel_x, "kernel_x")
        check_kernel(self.kernel_y, "kernel_y")
        check_embedding(self.tol, self.max_rank, "auto")
        reg = read_reg(self.reg)
        if isinstance(reg, Regularization) and reg.lam_p != reg.lam_q:
            raise ValueError("`reg` must be one number here: there is one group.")
        if observed is None and propensity is not None:
            raise ValueError("`propensity` goes with `observed`: which rows' outcomes count.")
        seen = None
        if observed is not None:
            seen = read_observed(observed, len(observed))
            e = read_propensity(propensity, len(seen))
            y = with_rows_filled(y, seen)
        x_table, y_table = self._read(X, y)
        if seen is not None:
            y_table = y_table.at(y_table.values[seen])
        self.columns_x_, self.columns_y_ = x_table.head(), y_table.head()
        self.y_ = np.asarray(y_table.values)
        outcomes = embed_outcomes(resolve_kernel(self.kernel_y, y_table), y_table, tol=self.tol, max_rank=self.max_rank)
        covariates, sigma = embed_covariates(
            resolve_kernel(self.kernel_x, x_table), x_table, tol=self.tol, max_rank=self.max_rank, solver="auto",
            outcomes=outcomes.rank,
        ).principal()  # fmt: skip
        self.embedding_x_, self.embedding_y_ = covariates, outcomes
        if seen is not None:
            features = to_host(covariates.phi), to_host(sigma)
            robust = robust_smoother(features, to_host(outcomes.phi), seen, e, reg)
            self.smoother_, self.reg_ = robust.weights, robust.lam
            error = cross_validation_error(np.array([self.reg_]), features[0], robust.pseudo, features[1])[0][0]
            self.loo_score_ = self._explained(float(error), robust.pseudo)
            return self
        self.reg_ = choose_reg(reg, covariates.phi, outcomes.phi, sigma).lam_p
        error = cross_validation_error(np.array([self.reg_]), covariates.phi, outcomes.phi, sigma)[0][0]
        self.loo_score_ = self._explained(float(error), to_host(outcomes.phi))
        self.smoother_ = to_host(covariates.phi) / (n_rows(covariates.phi) * (sigma + self.reg_))  # N x r
        return self

    def weights(self, X: Any) -> Array:
        """Weights of the training outcomes at each row of ``X``: shape (rows, training rows). They may be negative."""
        return self._features(X) @ self.smoother_.T

    def expectation(self, g: Callable[[Any], Any], X: Any) -> Array:
        """``E[g(Y) | X = x]`` at each row of ``X``; ``g`` gets the training outcomes as `fit` got them."""
        check_is_fitted(self)
        outcomes = self.y_[:, 0] if self.one_outcome_ else self.y_
        values = np.asarray(g(outcomes), dtype=np.float64)
        if len(values) != len(self.y_):
            raise ValueError(f"`g` must return one value (or row) for each of the {len(self.y_)} outcomes.")
        return self.weights(X) @ values

    def predict(self, X: Any) -> Array:
        """Conditional mean of the outcomes at each row of ``X``."""
        return self.expectation(lambda y: y, X)

    def quantile(self, q: npt.ArrayLike, X: Any) -> Array:
        """Conditional quantiles of one outcome: shape (rows, len(q)), from the weighted distribution made monotone."""
        levels = np.atleast_1d(np.asarray(q, dtype=np.float64))
        if not ((levels > 0) & (levels < 1)).all():
            raise ValueError(f"`q` must lie strictly between 0 and 1; got {q!r}.")
        order = np.argsort(self._single_outcome())
        distribution = np.maximum.accumulate(np.cumsum(self._unit_weights(X)[:, order], axis=1), axis=1)
        position = np.stack([(distribution < level).sum(axis=1) for level in levels], axis=1)
        return self.y_[order, 0][np.minimum(position, len(order) - 1)]

    def density(self, y: npt.ArrayLike, X: Any, *, bandwidth: float | None = None) -> Array:
        """Sketch of the conditional density of one outcome at ``y``: shape (rows, len(y)), by weighted Gaussians.

        ``bandwidth`` None is Silverman's rule for the spread that is left around the conditional mean.
        """
        outcomes = self._single_outcome()
        if bandwidth is None:
            noise = max(1e-3, 1 - max(self.loo_score_, 0.0)) ** 0.5 * float(outcomes.std())
            bandwidth = (1.06 * noise * len(outcomes) ** -0.2) or 1.0
        weights = self._unit_weights(X)

        def sketch(at: Array) -> Array:
            bumps = np.exp(-0.5 * ((at[None, :] - outcomes[:, None]) / bandwidth) ** 2)
            return np.maximum(weights @ bumps, 0.0)

        grid = np.linspace(outcomes.min() - 4 * bandwidth, outcomes.max() + 4 * bandwidth, 1001)
        mass = sketch(grid).sum(axis=1, keepdims=True) * (grid[1] - grid[0])
        return sketch(np.atleast_1d(np.asarray(y, dtype=np.float64))) / mass

    def score(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> float:
        """Explained share of the outcomes' features at new rows; without arguments by leave-one-out at the old ones."""
        check_is_fitted(self)
        if X is None and y is None:
            return self.loo_score_
        psi = to_host(self.embedding_y_.transform(encode(self.columns_y_, y, "y")))
        fitted = self._features(X) @ (self.smoother_.T @ to_host(self.embedding_y_.phi))
        errors = np.sum((psi - fitted) ** 2, axis=1)
        return self._explained(float(np.average(errors, weights=sample_weight)), psi)

    @staticmethod
    def _explained(error: float, psi: Array) -> float:
        total = float(np.mean(np.sum((psi - psi.mean(axis=0)) ** 2, axis=1)))
        return 1.0 - error / total if total > 0 else 0.0

    def _read(self, X: Any, y: Any) -> tuple[Table, Table]:
        """Plain arrays by scikit-learn's rules; frames by ours, which know categories."""
        if hasattr(X, "columns") or hasattr(y, "columns"):
            x_table, y_table = read_table(X, "X"), read_table(y, "y")
            self.n_features_in_ = len(x_table.columns)
            self.one_outcome_ = not hasattr(y, "columns") and np.ndim(y) == 1
            counts = n_rows(x_table.values), n_rows(y_table.values)
            if counts[0] != counts[1]:
                raise ValueError(f"`X` has {counts[0]} rows and `y` has {counts[1]}.")
            return x_table, y_table
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None.")
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64, ensure_min_samples=2)
        self.one_outcome_ = y.ndim == 1
        return read_table(X, "X"), read_table(y, "y")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _features(self, X: Any) -> Array:
        check_is_fitted(self)
        if self.columns_x_.from_frame:
            values = encode(self.columns_x_, X, "X")
        else:
            values = validate_data(self, X, reset=False, dtype=np.float64)
        return to_host(self.embedding_x_.transform(values))

    def _unit_weights(self, X: Any) -> Array:
        """Weights with sum one; where the ridge has left almost nothing (far from all rows), equal ones."""
        weights = self.weights(X)
        total = weights.sum(axis=1, keepdims=True)
        return np.where(total > 0.1, weights / np.where(total > 0.1, total, 1.0), 1 / weights.shape[1])

    def _single_outcome(self) -> Array:
        check_is_fitted(self)
        if self.y_.shape[1] != 1 or self.columns_y_.categorical:
            raise ValueError("quantiles and densities are for one numeric outcome.")
        return self.y_[:, 0]
