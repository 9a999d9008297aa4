"""Weights of populations: what they are, and which rows have nobody beside them."""

import numpy as np
import pytest

from condmmd.regression.populations import POPULATIONS, check_population, effect_weights, residual_weights

E = np.array([0.1, 0.3, 0.5, 0.8])
H = {"overlap": E * (1 - E), "p": E, "q": 1 - E, "all": np.ones(4)}


@pytest.mark.parametrize("population", POPULATIONS)
def test_residuals_of_both_groups_weigh_as_much_as_the_population(population):
    """E[t c (1 - e)] = E[(1 - t) c e] = h."""
    np.testing.assert_allclose(residual_weights(E, population) * E * (1 - E), H[population])


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("t", [0.0, 1.0])
def test_the_difference_is_counted_once(population, t):
    """With a known difference tau, ``c (t - e) (t - e) tau - d (t - e) tau`` is tau times the row's own weight.

    Of "all" and of the overlap that is h; of "p" it is whether the row is of P, which has the mean e.
    """
    residual, tau = t - E, np.array([2.0, -1.0, 0.5, 3.0])
    found = residual_weights(E, population) * residual**2 * tau - effect_weights(E, population) * residual * tau
    own = {"p": np.full(4, t), "q": np.full(4, 1 - t)}.get(population, H[population])
    np.testing.assert_allclose(found, own * tau, atol=1e-12)


def test_rows_of_one_group_alone_are_left_out_if_they_are_few():
    e = np.full(200, 0.5)
    e[0] = 1e-12
    assert residual_weights(e, "q")[0] == 0.0
    assert effect_weights(e, "all")[0] == 0.0
    assert residual_weights(e, "p")[0] == pytest.approx(1.0)
    check_population("q", e)
    e[:3] = 1e-12
    check_population("p", e)
    check_population("overlap", e)
    with pytest.raises(ValueError, match=r"`population`: 3 row\(s\) of 'q' have covariates that only one group has"):
        check_population("q", e)
