"""The batched logistic regression against scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from condmmd.logistic import cross_validated_logistic, fit_logistic

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


def test_cross_validation_takes_the_penalty_of_smallest_held_out_loss():
    C, folds = np.array([1e-2, 1e-1, 1.0, 10.0, 1e3]), np.arange(150) % 5
    loss = []
    for c in C:
        total = 0.0
        for fold in range(5):
            model = LogisticRegression(C=c, tol=1e-10, max_iter=10_000).fit(Z[folds != fold], T[folds != fold])
            p = model.predict_proba(Z[folds == fold])[:, 1]
            held_out = T[folds == fold]
            total -= np.sum(held_out * np.log(p) + (1 - held_out) * np.log(1 - p))
        loss.append(total)
    e, chosen = cross_validated_logistic(Z, T, C, folds)
    assert chosen == C[np.argmin(loss)]
    reference = LogisticRegression(C=chosen, tol=1e-10, max_iter=10_000).fit(Z, T).predict_proba(Z)[:, 1]
    np.testing.assert_allclose(e, reference, atol=1e-5)
