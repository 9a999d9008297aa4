"""The batched logistic regression against scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from condmmd.backend import to_host
from condmmd.nuisance.propensity import PENALTIES
from condmmd.regression.logistic import LogisticFit, cross_validated_logistic, fit_logistic
from condmmd.regression.odds import tilt

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(150, 4)) * [1.0, 0.5, 0.1, 0.01]
T = (RNG.random(150) < 1 / (1 + np.exp(-2 * Z[:, 0]))).astype(float)


@pytest.mark.parametrize("labels", [T, (Z[:, 0] > 0).astype(float)], ids=["noisy", "separable"])
def test_agrees_with_scikit_learn(labels):
    C = np.array([0.01, 1.0, 1000.0])
    weights = np.ones((3, 150))
    weights[1, 75:] = 0  # the second problem sees half of the rows
    found = fit_logistic(Z, labels, C, weights)
    for beta, c, w in zip(found, C, weights, strict=True):
        reference = LogisticRegression(C=c, tol=1e-10, max_iter=10_000).fit(Z[w > 0], labels[w > 0])
        np.testing.assert_allclose(beta[1:], reference.coef_[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(beta[0], reference.intercept_[0], rtol=1e-4, atol=1e-4)


def twice(Z, t, C):
    """Scikit-learn's fit and its Hessian, and one Newton step from it without the penalty's part of the score."""
    reference = LogisticRegression(C=C, tol=1e-12, max_iter=100_000).fit(Z, t)
    beta, p = np.append(reference.intercept_, reference.coef_[0]), reference.predict_proba(Z)[:, 1]
    X = np.column_stack([np.ones(len(Z)), Z])
    hessian = (X * (p * (1 - p))[:, None]).T @ X + np.diag([0.0] + [1 / C] * Z.shape[1])
    beta = beta + np.linalg.solve(hessian, X.T @ (t - p))
    return to_host(tilt(X @ beta, round(t.sum())))


def test_cross_validation_takes_the_penalty_that_predicts_held_out_labels_best():
    """Held-out losses by scikit-learn; with more noise columns the best penalty is neither end of the grid."""
    rng = np.random.default_rng(2)
    Z_all = np.column_stack([Z, 0.9 * rng.normal(size=(150, 6))])
    C, folds = 10.0 ** np.arange(-2.0, 3.1), np.arange(150) % 5
    loss = np.empty((len(C), 150))
    for c in range(len(C)):
        for fold in range(5):
            held_out = folds == fold
            model = LogisticRegression(C=C[c], tol=1e-10, max_iter=10_000).fit(Z_all[~held_out], T[~held_out])
            p = model.predict_proba(Z_all[held_out])[:, 1]
            loss[c, held_out] = -(T[held_out] * np.log(p) + (1 - T[held_out]) * np.log(1 - p))
    expected = C[int(np.argmin(loss.mean(axis=1)))]
    fit = cross_validated_logistic(Z_all, T, C, np.arange(len(T)), folds)
    assert expected == fit.C
    assert C[0] < fit.C < C[-1]
    np.testing.assert_allclose(fit.e, twice(Z_all, T, fit.C), atol=1e-5)


def test_more_columns_than_rows():
    """The regression is then done in the span of the rows, which must not change it."""
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(40, 60))
    labels = (wide[:, 0] + rng.normal(size=40) > 0).astype(float)
    fit = cross_validated_logistic(wide, labels, np.array([0.01, 0.1]), np.arange(40), np.arange(40) % 5)
    np.testing.assert_allclose(fit.e, twice(wide, labels, fit.C), atol=1e-5)


@pytest.mark.parametrize("seed", [9, 14, 28, 35, 43, 46])
def test_a_few_rows_that_can_be_told_apart_keep_some_randomness(seed):
    """With 8 + 8 rows of pure noise the best penalty may separate them; a larger one that is as good is taken."""
    wide, labels, C = np.random.default_rng(seed).normal(size=(16, 30)), np.repeat([1.0, 0.0], 8), PENALTIES
    fit = cross_validated_logistic(wide, labels, C, np.arange(16), np.arange(16) % 5)
    assert np.sum(fit.e * (1 - fit.e)) >= 1.0
    smaller = twice(wide, labels, 10 * fit.C)
    assert np.sum(smaller * (1 - smaller)) < 1.0


def test_rows_that_a_column_sorts_stay_sorted():
    """No penalty that predicts far worse is taken for the sake of randomness: there is no overlap, and that is said."""
    x, labels = np.linspace(-1, 1, 60)[:, None] + np.repeat([-1.0, 1.0], 30)[:, None], np.repeat([0.0, 1.0], 30)
    fit = cross_validated_logistic(x, labels, PENALTIES, np.arange(60), np.arange(60) % 5)
    assert np.sum(fit.e * (1 - fit.e)) < 1.0


def test_all_rows_are_fitted_from_some():
    """Where the penalty is chosen on some rows, the coefficients are those of all."""
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(3000, 4))
    labels = (Z[:, 0] - 0.5 * Z[:, 1] ** 2 + rng.normal(size=3000) > 0).astype(float)
    rows = np.arange(0, 3000, 30)
    fit = cross_validated_logistic(Z, labels, np.array([0.01, 0.1, 1.0]), rows, np.arange(100) % 5)
    np.testing.assert_allclose(fit.e, twice(Z, labels, fit.C), atol=1e-7)


def test_the_inverse_hessian_has_the_penalty_but_not_of_the_intercept():
    once = LogisticFit(Z, np.full(150, 0.3), np.zeros(5), C=0.5)
    X = np.column_stack([np.ones(150), Z])
    hessian = 0.21 * X.T @ X + np.diag([0.0, 2.0, 2.0, 2.0, 2.0])
    np.testing.assert_allclose(once.inverse, np.linalg.inv(hessian), rtol=1e-9)
    assert once.share == 1.0


def test_a_fit_made_twice_has_the_square_of_the_penalty_s_bias():
    """Its residuals of the labels are those of the first fit, taken once more: P P u."""
    fit = cross_validated_logistic(Z, T, np.array([0.5]), np.arange(150), np.arange(150) % 5)
    np.testing.assert_allclose(fit.e, twice(Z, T, 0.5), atol=1e-6)
    X = np.column_stack([np.ones(150), Z])
    second = (X * (fit.e * (1 - fit.e))[:, None]).T @ X
    left = np.eye(5) - np.linalg.inv(second + np.diag([0.0, 2.0, 2.0, 2.0, 2.0])) @ second  # by one fit
    np.testing.assert_allclose(np.eye(5) - fit.inverse @ second, left @ left, atol=1e-9)
