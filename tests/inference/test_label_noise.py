"""Second moments of the residual labels, against all label vectors that the scheme can draw."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from condmmd.backend import HeldLabels
from condmmd.inference.label_noise import label_noise
from condmmd.labels.unfitted import randomness_before
from condmmd.regression.logistic import LogisticFit, residual_labels

RNG = np.random.default_rng(0)
N = 9
ALL = np.array(list(product([0.0, 1.0], repeat=N)))
STRATA = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])


def case(name):
    """A plan, the mean of each label, the fit, and the probability of each of all label vectors."""
    e, fit, strata, kind = RNG.uniform(0.2, 0.8, N), None, None, "bernoulli"
    probability = np.prod(np.where(ALL == 1, e, 1 - e), axis=1)
    if name == "refitted":
        Z = RNG.normal(size=(N, 2))
        beta = np.array([0.1, 0.8, -0.5])
        fit = LogisticFit(Z, beta, 0.7, np.array([0.0, 1.0, 1.0]) / 0.7 * beta)
        e = 1 / (1 + np.exp(-(fit.beta[0] + Z @ fit.beta[1:])))
        probability = np.prod(np.where(ALL == 1, e, 1 - e), axis=1)
    if name == "permutation":
        kind, e = "permutation", np.full(N, 4 / N)
        probability = (ALL.sum(axis=1) == 4) * 1.0
    if name == "strata":
        kind, strata, ones = "permutation", STRATA, np.array([1, 2, 0])
        e = (ones / np.bincount(STRATA))[STRATA]
        sums = np.stack([ALL[:, s == STRATA].sum(axis=1) for s in range(3)], axis=1)
        probability = np.all(sums == ones, axis=1) * 1.0
    return SimpleNamespace(kind=kind, strata=strata, refitted=False), e, fit, probability / probability.sum()


@pytest.mark.parametrize("name", ["bernoulli", "refitted", "permutation", "strata"])
def test_it_is_that_of_all_label_vectors(name):
    labels, e, fit, probability = case(name)
    tau = np.asarray(residual_labels(HeldLabels(ALL), e, fit).held)
    exact = (tau * probability[:, None]).T @ tau
    noise = label_noise(labels, e, fit)
    B = noise.root(np.eye(N))
    np.testing.assert_allclose(B.T @ B, exact, atol=1e-12)
    mean = np.zeros(N) if noise.mean is None else noise.mean
    again = np.diag(noise.deviation**2) - noise.taken @ noise.taken.T + np.outer(mean, mean)
    np.testing.assert_allclose(again, exact, atol=1e-12)


def test_labels_of_a_refit_are_as_random_as_before_the_fit():
    labels, e, fit, _ = case("refitted")
    as_they_are = label_noise(labels, e, fit)
    labels.refitted = True
    before = label_noise(labels, e, fit)
    wanted = randomness_before(e * (1 - e), np.column_stack([np.ones(N), fit.Z]), fit.held[0])
    ratio = min(wanted, N / 4) / np.sum(e * (1 - e))  # no label is more random than a fair coin
    assert ratio > 1.1
    np.testing.assert_allclose(before.deviation**2, ratio * as_they_are.deviation**2)
    np.testing.assert_allclose(before.taken @ before.taken.T, ratio * as_they_are.taken @ as_they_are.taken.T)
    np.testing.assert_allclose(before.mean, as_they_are.mean)


def test_given_the_number_of_ones_it_is_nearly_that():
    e = RNG.uniform(0.2, 0.8, N)
    probability = np.prod(np.where(ALL == 1, e, 1 - e), axis=1) * (ALL.sum(axis=1) == round(e.sum()))
    probability /= probability.sum()
    centre = probability @ ALL
    exact = ((ALL - centre) * probability[:, None]).T @ (ALL - centre)
    B = label_noise(SimpleNamespace(kind="fixed-size", strata=None), centre, None).root(np.eye(N))
    np.testing.assert_allclose(B.T @ B, exact, atol=0.01)
    assert np.abs(exact).max() > 0.15


@pytest.mark.parametrize("name", ["bernoulli", "refitted", "permutation", "strata"])
def test_the_transposed_map(name):
    labels, e, fit, _ = case(name)
    noise = label_noise(labels, e, fit)
    A = RNG.normal(size=(N, 3))
    B = RNG.normal(size=noise.root(A).shape)
    assert np.sum(noise.root(A) * B) == pytest.approx(np.sum(A * noise.adjoint(B)), rel=1e-10)
