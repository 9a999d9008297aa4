"""The marginal statistic at many label vectors, against the paper's formulas at each."""

import numpy as np
import pytest

from condmmd import MMD, Gaussian
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.nuisance import Learned
from tests import oracle

RNG = np.random.default_rng(0)
Y, GROUP = RNG.normal(size=(30, 2)), np.repeat([1, 0], [12, 18])
SAMPLES = read_samples(Y, Y, GROUP)


def fitted(statistic):
    return statistic.fit(SAMPLES, Learned(statistic.embed_outcomes(SAMPLES)))


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("steps", [64, 2**21])
def test_every_label_vector(unbiased, steps, monkeypatch):
    monkeypatch.setattr("condmmd.backend.arrays.HOST_NUMBERS", steps)
    T = np.stack([RNG.permutation(GROUP) for _ in range(5)]).astype(np.int8)
    found = fitted(MMD(Gaussian(1.0), unbiased=unbiased, tol=1e-12))(HeldLabels(T))
    K, formula = Gaussian(1.0)(Y), oracle.mmd_unbiased if unbiased else oracle.mmd_biased
    expected = []
    for t in T:
        p, q = np.flatnonzero(t == 1), np.flatnonzero(t == 0)
        expected.append(formula(K[np.ix_(p, p)], K[np.ix_(p, q)], K[np.ix_(q, q)]))
    assert found.shape == (5, 1)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-8, atol=1e-12)


def test_what_it_is():
    statistic = MMD(Gaussian(1.0))
    assert statistic.needs == frozenset()
    assert MMD("precomputed").precomputed == (False, True)
    (column,) = fitted(statistic).columns
    assert (column.level, column.reg, column.kernel_y) == (0.0, "none", "Gaussian(lengthscale=1.0)")
    for bad, words in (({"kernel": "rbf"}, "`kernel`"), ({"tol": 2}, "`tol`"), ({"max_rank": 0}, "`max_rank`")):
        with pytest.raises(ValueError, match=words):
            MMD(**bad)
    assert statistic.embed_outcomes(SAMPLES).rank > MMD(Gaussian(1.0), max_rank=3).embed_outcomes(SAMPLES).rank == 3
