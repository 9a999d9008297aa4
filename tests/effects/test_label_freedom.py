"""What a fit to the labels takes of the noise, against the refit of the test itself and against shuffles."""

import numpy as np
import pytest

from condmmd import cmmd_test
from condmmd.effects.label_freedom import LabelFreedom, sums_by


def evidence(blocks=False, **settings):
    rng = np.random.default_rng(1)
    x, t = rng.normal(size=(80, 2)), np.tile([1, 1, 0, 0], 20)
    given = {"blocks": np.arange(80) // 2} if blocks else {}
    return cmmd_test(x, x[:, 0] + rng.normal(size=80), t, n_resamples=19, rng=0, **given, **settings).evidence


@pytest.mark.parametrize("blocks", [False, True])
def test_two_label_vectors_differ_by_what_the_refit_of_the_test_says(blocks):
    own = evidence(blocks)
    rng = np.random.default_rng(2)
    c = rng.normal(size=(80, 3))
    T = np.repeat(rng.integers(0, 2, size=(2, 40)), 2, axis=1).astype(float)
    refitted = own.residual_labels(T) @ c
    left = LabelFreedom.of(own).left(c, T[0] - T[1]).sum(axis=0)
    np.testing.assert_allclose(left, refitted[0] - refitted[1], atol=1e-9)


@pytest.mark.parametrize("blocks", [False, True])
def test_squares_of_fitted_labels_add_up_to_the_noise_that_a_sum_has(blocks):
    """Labels drawn by their propensity and fitted anew: without the stretch the squares are too small."""
    own = evidence(blocks)
    freedom, of_row = LabelFreedom.of(own), own.blocks
    rng = np.random.default_rng(3)
    first = np.unique(of_row, return_index=True)[1]
    T = (rng.random((20_000, len(first))) < own.e[first])[:, of_row].astype(float)
    refitted = own.residual_labels(T)
    c = rng.normal(size=(80, 1))
    noise, each = np.var(refitted @ c), freedom.left(c, np.ones(80))[:, 0]  # the variance has an error of 0.01 of it
    rows_of_a_block = 2 if blocks else 1

    def claimed(stretch):
        return np.mean((refitted * stretch * each).reshape(20_000, -1, rows_of_a_block).sum(axis=2) ** 2) * len(first)

    assert claimed(freedom.stretch) == pytest.approx(noise, rel=0.03)
    assert claimed(1.0) < 0.97 * noise


def test_labels_that_are_shuffled_are_blind_to_a_constant():
    freedom = LabelFreedom.of(evidence(propensity=None))
    tau = np.tile([0.5, 0.5, -0.5, -0.5], 20)
    np.testing.assert_allclose(freedom.left(np.ones((80, 1)), tau), 0, atol=1e-12)


def test_labels_that_are_shuffled_within_strata_are_blind_to_what_is_constant_there():
    x = np.repeat([0, 1, 2, 3], 20)
    t = np.tile([1, 0], 40)
    y = np.random.default_rng(0).normal(size=80)
    own = cmmd_test(x, y, t, n_resamples=19, rng=0).evidence
    assert own.labels.strata is not None
    c = np.column_stack([own.labels.strata**2.0, y])
    left = LabelFreedom.of(own).left(c, t - 0.5)
    np.testing.assert_allclose(left[:, 0], 0, atol=1e-12)
    assert np.abs(left[:, 1]).max() > 0.1


def test_known_labels_that_are_drawn_one_by_one_lose_nothing():
    from condmmd import Resampling  # noqa: PLC0415

    own = evidence(propensity=np.full(80, 0.5), null=Resampling(scheme="bernoulli"))
    c, tau = np.random.default_rng(0).normal(size=(80, 2)), own.t - own.e
    np.testing.assert_array_equal(LabelFreedom.of(own).left(c, tau), tau[:, None] * c)


def test_sums_by_part():
    part = np.array([2, 0, 1, 0, 2])
    values = np.arange(10.0).reshape(5, 2)
    np.testing.assert_array_equal(sums_by(values, part), [values[part == k].sum(axis=0) for k in range(3)])
