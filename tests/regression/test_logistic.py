"""The batched logistic regression against scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from condmmd.backend import HeldLabels
from condmmd.regression.logistic import cross_validated_logistic, fit_logistic, residual_labels

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


def test_cross_validation_takes_the_smallest_penalty_within_a_standard_error():
    """Held-out losses by scikit-learn; with more noise columns the best penalty is large and the rule goes below it."""
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
    best = int(np.argmin(loss.mean(axis=1)))
    error = (loss - loss[best]).std(axis=1) / 150**0.5
    expected = C[np.flatnonzero(loss.mean(axis=1) <= loss[best].mean() + error)[-1]]
    e, fit = cross_validated_logistic(Z_all, T, C, np.arange(len(T)), folds)
    chosen = fit.C
    assert chosen == expected
    assert chosen > C[best]  # or the rule would not be seen at work
    reference = LogisticRegression(C=chosen, tol=1e-10, max_iter=10_000).fit(Z_all, T).predict_proba(Z_all)[:, 1]
    np.testing.assert_allclose(e, reference, atol=1e-5)


def test_more_columns_than_rows():
    """The regression is then done in the span of the rows, which must not change it."""
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(40, 60))
    labels = (wide[:, 0] + rng.normal(size=40) > 0).astype(float)
    e, fit = cross_validated_logistic(wide, labels, np.array([0.01, 0.1]), np.arange(40), np.arange(40) % 5)
    reference = LogisticRegression(C=fit.C, tol=1e-10, max_iter=10_000).fit(wide, labels).predict_proba(wide)[:, 1]
    np.testing.assert_allclose(e, reference, atol=1e-5)


def test_a_few_rows_that_can_be_told_apart_keep_some_randomness():
    """With 10 + 10 rows of pure noise the smallest penalty as good may separate them; a larger one as good is taken."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        wide = rng.normal(size=(20, 30))
        e, _ = cross_validated_logistic(
            wide, np.repeat([1.0, 0.0], 10), 10.0 ** np.arange(-2.0, 3.1), np.arange(20), np.arange(20) % 5
        )
        assert np.sum(e * (1 - e)) >= 1.0


def test_all_rows_are_fitted_from_some():
    """Where the penalty is chosen on some rows, the coefficients are those of all."""
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(3000, 4))
    labels = (Z[:, 0] - 0.5 * Z[:, 1] ** 2 + rng.normal(size=3000) > 0).astype(float)
    rows = np.arange(0, 3000, 30)
    e, fit = cross_validated_logistic(Z, labels, np.array([0.01, 0.1, 1.0]), rows, np.arange(100) % 5)
    chosen = fit.C
    reference = LogisticRegression(C=chosen, tol=1e-10, max_iter=10_000).fit(Z, labels).predict_proba(Z)[:, 1]
    np.testing.assert_allclose(e, reference, atol=1e-7)


def test_some_rows_are_held_by_the_others():
    """Redrawing the labels of a part refits all coefficients, the other labels being what the fit expects of them."""
    rng = np.random.default_rng(4)
    Z, t = rng.normal(size=(200, 3)), rng.integers(2, size=200).astype(float)
    folds = np.arange(200) % 5
    e, fit = cross_validated_logistic(Z, t, np.array([1.0]), np.arange(200), folds)
    rows = np.flatnonzero(Z[:, 0] > 0.5)
    part, T = fit.on_rows(rows), rng.integers(2, size=(3, len(rows))).astype(float)
    found = residual_labels(HeldLabels(T), e[rows], part).held
    design, w = np.column_stack([np.ones(200), Z]), e * (1 - e)
    hessian = (design * w[:, None]).T @ design + np.diag(fit.ridge)
    for labels, own in zip(T, found, strict=True):
        step = np.linalg.solve(hessian, design[rows].T @ (labels - e[rows]))
        np.testing.assert_allclose(own, labels - e[rows] - w[rows] * (design[rows] @ step), atol=1e-8)
    expected = residual_labels(HeldLabels(e[None, rows]), e[rows], part).held
    np.testing.assert_allclose(expected, 0, atol=1e-12)  # centred, whatever the penalty is
