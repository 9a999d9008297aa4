"""Null labels in units, each from its own seed: the same whatever the batches and the workers."""

from functools import partial

import joblib
import numpy as np
import pytest

from condmmd import Compute
from condmmd.backend import HeldLabels, observed_labels
from condmmd.inference import evaluate
from condmmd.inference.evaluate import Settings, draw_batches, evaluate_null, labels_at_once, read_seed
from condmmd.labels import Multipliers, Permutation

T = np.repeat([1.0, 0.0], 10)


def test_seeds():
    assert read_seed(7) == 7
    assert read_seed(np.int64(7)) == 7
    assert read_seed(np.random.default_rng(0)) == read_seed(np.random.default_rng(0))
    assert read_seed(None) != read_seed(None)
    for bad in (-1, 1.5, "seed", True, [1]):
        with pytest.raises(TypeError, match="`rng` must be None, a non-negative integer or"):
            read_seed(bad)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_batches_are_the_same_labels_in_other_portions(count):
    draws = {
        at_once: np.concatenate([batch.held for batch in draw_batches(Permutation(T), count, 5, T, at_once=at_once)])
        for at_once in (1, 64, 130, 10**6)
    }
    for found in draws.values():
        np.testing.assert_array_equal(found, draws[1])
    assert draws[1].shape == (count, 20)
    assert len(np.unique(draws[1], axis=0)) > 0.95 * count  # units do not repeat each other


class Statistic:
    """Ones among the first rows, and the number of label vectors seen at once."""

    columns = ()

    def __call__(self, labels: HeldLabels):
        return np.asarray(labels.held[:, :7].sum(axis=1), dtype=float)[:, None]


@pytest.mark.parametrize("compute", [Compute(), Compute(batch_size=64), Compute(n_jobs=2, batch_size=64)], ids=str)
def test_the_observed_labels_come_first(compute):
    evaluated = partial(evaluate_null, Statistic(), observed_labels(T), Permutation(T), T, 150)
    found = evaluated(Settings(150, 3, 0.05, compute))
    assert found.shape == (151, 1)
    assert found[0, 0] == 7
    np.testing.assert_array_equal(found, evaluated(Settings(150, 3, 0.05, Compute())))
    null = np.concatenate([batch.held for batch in draw_batches(Permutation(T), 150, 3, T)])
    np.testing.assert_array_equal(found[1:, 0], null[:, :7].sum(axis=1))


def test_no_more_workers_than_cores_are_started(monkeypatch):
    asked, parallel = [], joblib.Parallel

    def spied(n_jobs, **options):
        asked.append(n_jobs)
        return parallel(n_jobs=1, **options)

    monkeypatch.setattr(joblib, "Parallel", spied)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 5)
    for n_resamples, expected in ((64 * 40, 5), (64 * 2 + 1, 3)):
        compute = Compute(n_jobs=100_000, batch_size=64)
        settings = Settings(n_resamples, 3, 0.05, compute)
        evaluate_null(Statistic(), observed_labels(T), Permutation(T), T, n_resamples, settings)
        assert asked.pop() == expected


def test_as_many_at_once_as_fit_in_memory(monkeypatch):
    assert labels_at_once(np.zeros(10_000)) == 256
    assert labels_at_once(T) >= 256
    monkeypatch.setattr(evaluate, "MAX_LABELS", 20 * 10)
    assert labels_at_once(T) == 10
    assert labels_at_once(T, 8) == 1


class Residual(Statistic):
    """A statistic of residual labels."""

    centre = np.full(20, 0.25)


def test_a_statistic_of_residual_labels_gets_these_or_signs():
    settings = Settings(70, 3, 0.05, Compute())
    found = evaluate_null(Residual(), observed_labels(T), Permutation(T), T, 70, settings)
    assert found[0, 0] == 7 - 7 * 0.25
    labels = np.concatenate([batch.held for batch in draw_batches(Permutation(T), 70, 3, T)])
    np.testing.assert_array_equal(found[1:, 0], labels[:, :7].sum(axis=1) - 7 * 0.25)
    less = [batch.held for batch in draw_batches(Permutation(T), 70, 3, T, centre=Residual.centre)]
    np.testing.assert_array_equal(np.concatenate(less), labels - 0.25)
    signs = Multipliers(T - 0.25)
    found = evaluate_null(Residual(), signs.observed, signs, T, 70, settings)
    drawn = np.concatenate([batch.held for batch in draw_batches(signs, 70, 3, T, centre=Residual.centre)])
    np.testing.assert_array_equal(found[:, 0], [7 - 7 * 0.25, *drawn[:, :7].sum(axis=1)])
