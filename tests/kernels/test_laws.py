"""The Gaussian kernel between laws is the mean of the Gaussian kernel over draws of them."""

import array_api_strict as strict
import numpy as np
import pytest

from condmmd import Gaussian
from condmmd.backend import to_host
from condmmd.kernels.laws import GaussianOfLaws, point_laws

RNG = np.random.default_rng(0)


def laws(components, columns, rows=4):
    weights = RNG.dirichlet(np.ones(components), size=rows)
    means, deviations = RNG.normal(size=(rows, components * columns)), RNG.uniform(0.2, 1, (rows, components * columns))
    return np.concatenate([weights, means, deviations], axis=1)


def drawn(law, components, columns, count):
    which = RNG.choice(components, size=count, p=law[:components])
    means = law[components : components * (1 + columns)].reshape(components, columns)
    deviations = law[components * (1 + columns) :].reshape(components, columns)
    return means[which] + deviations[which] * RNG.normal(size=(count, columns))


@pytest.mark.parametrize(("components", "columns"), [(1, 1), (1, 2), (3, 1)])
def test_against_draws(components, columns):
    """2,000 x 2,000 pairs: the standard error of their mean is below 0.01."""
    scales = (0.8, 1.5)[:columns]
    rows = laws(components, columns)
    K = GaussianOfLaws(scales, components).gram(rows, rows)
    samples = [drawn(law, components, columns, 2000) for law in rows]
    for i in range(4):
        for j in range(4):
            if i != j:
                assert Gaussian(scales)(samples[i], samples[j]).mean() == pytest.approx(K[i, j], abs=0.04)
    np.testing.assert_allclose(GaussianOfLaws(scales, components).diagonal(rows), np.diag(K), rtol=1e-12)


def test_a_value_is_a_law_without_spread():
    y = RNG.normal(size=(5, 2))
    for components in (1, 3):
        K = GaussianOfLaws((0.8, 1.5), components).gram(point_laws(y, components), point_laws(y, components))
        np.testing.assert_allclose(K, Gaussian((0.8, 1.5))(y), rtol=1e-12)


def test_on_a_device():
    rows = laws(2, 1)
    kernel = GaussianOfLaws((0.8,), 2)
    np.testing.assert_allclose(
        to_host(kernel.gram(strict.asarray(rows), strict.asarray(rows))), kernel.gram(rows, rows)
    )
