"""Many outcomes at once: the numbers that each would have by itself."""

import numpy as np
import pytest

from condmmd import Compute
from condmmd.data import read_samples
from condmmd.inference import Settings, screening
from condmmd.inference.chi_squares import upper_tail
from condmmd.inference.moment_laws import laws_of, stacked_laws
from condmmd.inference.screening import _Ridge, _shapes, _Sides, screen_outcomes
from condmmd.labels import LabelRules
from condmmd.nuisance.propensity import EqualMarginals, Logistic
from condmmd.statistics import Products

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 2))
GROUP = (RNG.random(N) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
Y = X[:, :1] + RNG.normal(size=(N, 12))
Y[:, 3] += GROUP
Y[:, 5] = 2.0


def run(values=Y, model=None, group=GROUP):
    rules = LabelRules(model or Logistic())
    return screen_outcomes(read_samples(X, values, group), rules, Settings(1, 0, 0.05, Compute()))


@pytest.mark.filterwarnings("ignore:`Y` is constant")
def test_what_differs_is_found_and_a_constant_is_not():
    found = run()
    assert np.argmin(found.pvalues) == 3
    assert found.pvalues[3] < 1e-3
    assert found.kinds[3] == "mean"
    assert found.effects[3] == pytest.approx(1.0, abs=0.35)
    assert found.pvalues[5] == 1.0
    assert found.effects[5] == 0.0


@pytest.mark.filterwarnings("ignore:`Y` is constant")
def test_chunks_change_nothing(monkeypatch):
    whole = run()
    monkeypatch.setattr(screening, "CHUNK_NUMBERS", 10_000)
    np.testing.assert_allclose(run().pvalues, whole.pvalues, rtol=1e-8)


def test_columns_are_those_of_each_outcome_alone():
    """For many outcomes, and from the features of one outcome by `laws_of`."""
    trained = run(Y[:, :5]).trained
    noise = trained.labels.noise
    sides, psi, tau = _Sides.of(trained.fitted, noise), RNG.normal(size=(N, 3)), GROUP - trained.labels.centre
    found = sides.pvalues(psi)
    for o in range(3):
        for c, (part, weights) in enumerate(sides.columns):
            phi = sides.phi[:, part]
            law = stacked_laws(laws_of(Products(phi, psi[:, o : o + 1], weights[None, :]), noise))
            observed = np.array([(phi.T @ (tau * psi[:, o])) ** 2 @ weights])
            assert found[o, c] == pytest.approx(upper_tail(observed, law)[0], rel=0.1)  # it corrects for signs


def test_the_ridge_takes_the_lambda_that_predicts_best():
    """Against a refit without each row."""
    features = np.linalg.qr(RNG.normal(size=(40, 6)))[0] * 0.6 ** np.arange(6)
    y = features @ RNG.normal(size=(6, 2)) * [1.0, 0.0] + RNG.normal(size=(40, 2)) * [0.1, 1.0]
    ridge = _Ridge.of(features)
    residuals, best = ridge.residuals(y)
    for o in range(2):
        centred, errors = y[:, o] - y[:, o].mean(), []
        for lam in screening.GRID[::2] * np.sum(features**2):
            left = []
            for i in range(40):
                F, v = np.delete(features, i, axis=0), np.delete(centred, i)
                left.append(centred[i] - features[i] @ np.linalg.solve(F.T @ F + lam * np.eye(6), F.T @ v))
            errors.append(np.sum(np.square(left)))
        assert errors[best[o]] == pytest.approx(min(errors), rel=1e-9)
        lam = screening.GRID[::2][best[o]] * np.sum(features**2)
        B = np.linalg.solve(features.T @ features + lam * np.eye(6), features.T @ centred)
        np.testing.assert_allclose(residuals[:, o], centred - features @ B, atol=1e-10)


def test_pvalues_of_noise_are_not_too_small():
    """400 outcomes of noise: at most four standard errors above 0.05."""
    found = run(RNG.normal(size=(N, 400)), EqualMarginals())
    assert np.mean(found.pvalues <= 0.05) <= 0.05 + 4 * (0.05 * 0.95 / 400) ** 0.5
    assert np.mean(found.pvalues <= 0.5) > 0.2


def test_shapes_are_orthonormal_for_a_uniform_law():
    """Of the ranks of any outcome, whatever its law."""
    shapes = np.stack(_shapes(np.exp(RNG.normal(size=(4000, 1)))), axis=2)[:, 0]
    np.testing.assert_allclose(shapes.T @ shapes / 4000, np.eye(shapes.shape[1]), atol=1e-3)
