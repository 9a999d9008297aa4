"""Levels of many label vectors: in batches of any size the same, and what estimators are given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condmmd import Gaussian
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.embedding import embed
from condmmd.nuisance import Learned
from condmmd.regression.regularization import read_reg
from condmmd.statistics import Comparison, JointContrast, PlugInContrast, comparison
from condmmd.statistics.comparison import Ingredients, pooled_shrinkage

LEVELS = np.array([0.0, 0.3, 1.0, 1.5, 2.0, 3.0])
JOINT_LEVELS = np.array([2.0, 2.5, 3.0])


def embedded(rng, rows=37):
    x, sigma = embed(Gaussian(1.0), rng.normal(size=(rows, 1)), tol=1e-12, max_rank=rows).principal()
    return x, sigma, embed(Gaussian(0.7), rng.normal(size=(rows, 1)), tol=1e-12, max_rank=rows)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from([1, 3, 4, 50]))
def test_batches_of_labels_add_up(seed, batch, n_labels):
    rng = np.random.default_rng(seed)
    labels = np.tile(np.arange(37) % 2, (n_labels, 1)).astype(float)
    for row in labels:
        rng.shuffle(row)
    x, sigma, y = embedded(rng)
    for contrast, levels in ((PlugInContrast((0.1, 0.2)), LEVELS), (JointContrast(), JOINT_LEVELS)):
        compared = Comparison(x, sigma, y, contrast)
        one_by_one = np.concatenate([compared.levels(HeldLabels(row[None]), levels) for row in labels])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(comparison, "BATCH_NUMBERS", batch * 2 * x.rank * (x.rank + y.rank))
            np.testing.assert_allclose(compared.levels(HeldLabels(labels), levels), one_by_one, rtol=1e-9)
        np.testing.assert_allclose(compared.levels(HeldLabels(labels), levels), one_by_one, rtol=1e-9)


@pytest.mark.parametrize("mixture", [None, 0.3])
def test_levels_are_weighted_sums_of_energies(mixture):
    rng = np.random.default_rng(0)
    x, sigma, y = embedded(rng)
    T = HeldLabels((rng.random((3, 37)) < 0.5).astype(float))
    compared = Comparison(x, sigma, y, PlugInContrast((0.1, 0.1)), mixture)
    values, energies, D = compared.spectra(T)
    np.testing.assert_allclose(energies.sum(axis=1), np.sum(D**2, axis=(1, 2)), rtol=1e-10)
    expected = np.stack([(values**s * energies).sum(axis=1) for s in LEVELS], axis=1)
    np.testing.assert_allclose(compared.levels(T, LEVELS), expected, rtol=1e-9)


def test_ingredients_choose_one_lambda_or_refuse():
    rng = np.random.default_rng(0)
    x, sigma, y = embedded(rng)
    samples = read_samples(rng.normal(size=37), rng.normal(size=37), np.arange(37) % 2)
    given = Ingredients(x, sigma, y, samples, Learned(y), read_reg(0.3), None)
    assert given.chosen_reg().pair == (0.3, 0.3)
    made = given.compare(JointContrast(), None, rows=np.ones(37, dtype=bool))
    assert (made.x, made.y, made.reg) == (x, y, None)
    assert made.rows.all()


def test_shrinkage_is_the_diagonal_of_the_pooled_ridge():
    x, _, _ = embedded(np.random.default_rng(0))
    inverse = np.linalg.inv(x.phi.T @ x.phi + 0.2 * 37 * np.eye(x.rank))
    np.testing.assert_allclose(pooled_shrinkage(x, 0.2), np.diag(inverse), rtol=1e-9)
