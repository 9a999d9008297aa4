"""Weights under which several samples have the same covariates."""

import numpy as np
import pytest

from condmmd import CMMD, Forests, OverlapWarning
from condmmd.data import read_samples
from condmmd.effects.common_ground import common_ground
from condmmd.nuisance import propensity_model


def ground(x, y, sample, propensity="estimate"):
    samples = read_samples(x, y, (sample == 0).astype(int))
    return common_ground(samples, sample, CMMD(estimator="overlap"), propensity_model(propensity), Forests(trees=20))


def test_of_covariates_with_few_values_the_weighted_shares_are_the_same():
    """With shares s_k of sample k at a value, a value counts by the harmonic mean of its counts."""
    rng = np.random.default_rng(0)
    sample = np.repeat([0, 1, 2], [120, 90, 60])
    x = (rng.random(270) < np.array([0.3, 0.5, 0.7])[sample]).astype(float)
    found = ground(x, rng.normal(size=270), sample)
    harmonic = [1 / sum(1 / np.sum((sample == k) & (x == v)) for k in range(3)) for v in (0, 1)]
    for k in range(3):
        own = sample == k
        share = np.average(x[own], weights=found.weight[own])
        assert share == pytest.approx(harmonic[1] / sum(harmonic), abs=0.01)


def test_covariates_that_moved_are_brought_together():
    rng = np.random.default_rng(1)
    sample = np.repeat([0, 1, 2], 150)
    x = rng.normal(size=450) + np.array([0.0, 0.7, -0.7])[sample]
    found = ground(x, rng.normal(size=450), sample)
    means = [np.average(x[sample == k], weights=found.weight[sample == k]) for k in range(3)]
    assert np.ptp(means) < 0.15
    np.testing.assert_allclose(
        (found.u * found.h[:, None]).T @ found.u / found.h.sum(), np.eye(found.u.shape[1]), atol=1e-8
    )
    assert 0.2 < found.overlap < 0.95


def test_equal_covariates_count_evenly():
    rng = np.random.default_rng(2)
    sample = np.repeat([0, 1, 2], [100, 50, 150])
    found = ground(rng.normal(size=300), rng.normal(size=300), sample, None)
    assert found.overlap == pytest.approx(1)
    for k in range(3):
        assert np.ptp(found.weight[sample == k]) < 1e-12


def test_samples_that_are_hardly_together_are_warned_of():
    rng = np.random.default_rng(3)
    sample = np.repeat([0, 1, 2], 60)
    x = rng.normal(size=180) + 2.5 * sample
    with pytest.warns(OverlapWarning, match="3 samples overlap little"):
        ground(x, rng.normal(size=180), sample)


def test_probabilities_of_all_samples_add_up_to_one():
    """The same function for each of three samples of one size says nothing of which it is: a third for each."""
    rng = np.random.default_rng(4)
    found = ground(rng.normal(size=120), rng.normal(size=120), np.repeat([0, 1, 2], 40), np.linspace(0.2, 0.8, 120))
    np.testing.assert_allclose(found.h, 1 / 9)
    np.testing.assert_allclose(found.weight, 1 / 3)
