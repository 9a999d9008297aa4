"""The mean and the spread of outcomes as residuals: zero on average where nothing differs, and of the right sign."""

import dask.array as da
import numpy as np

from condmmd.embedding.views import bent, expected_bent, paired_views

RNG = np.random.default_rng(0)
N = 500
FIRST, SECOND = RNG.normal(size=(2, N, 2))


def centre(values):
    return 0.0 * values


def test_the_expectation_of_a_bent_square():
    """Against 400,000 draws: the standard error is below 0.001."""
    weight, mean, deviation = np.array([[0.3, 0.7]]), np.array([[-1.0, 0.5]]), np.array([[0.4, 1.5]])
    which = RNG.choice(2, size=400_000, p=weight[0])
    z = mean[0, which] + deviation[0, which] * RNG.normal(size=400_000)
    np.testing.assert_allclose(expected_bent(weight, mean, deviation), bent(z**2).mean(), atol=0.003)


def test_who_is_first_turns_the_sign():
    for one, other in zip(paired_views(FIRST, SECOND, centre), paired_views(SECOND, FIRST, centre), strict=True):
        np.testing.assert_allclose(one.values, -other.values)


def test_a_wider_outcome_has_a_positive_spread():
    mean, spread = paired_views(2 * FIRST + 1, SECOND, centre)
    assert (mean.values.mean(axis=0) > 0.3).all()
    assert (spread.values.mean(axis=0) > 0.1).all()
    null = paired_views(FIRST, SECOND, centre)[1].values
    assert (np.abs(null.mean(axis=0)) < 4 * null.std(axis=0) / N**0.5).all()


def test_the_same_in_chunks():
    chunked = paired_views(*(da.from_array(part, chunks=(77, -1)) for part in (FIRST, SECOND)), centre)
    for there, here in zip(chunked, paired_views(FIRST, SECOND, centre), strict=True):
        np.testing.assert_allclose(np.asarray(there.values), here.values)


def test_a_constant_outcome_has_no_view_that_is_not_a_number():
    views = paired_views(np.ones((5, 1)), np.ones((5, 1)), lambda values: values)
    assert all((view.values == 0).all() for view in views)
