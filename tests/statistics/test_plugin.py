"""The plug-in estimator: from features and from the Gram matrix the same difference."""

from dataclasses import replace

import numpy as np

from condmmd import CMMD, Gaussian, PerGroup, PlugIn, cmmd
from condmmd.backend import HeldLabels
from condmmd.embedding import embed
from condmmd.statistics import PlugInContrast
from tests import oracle

RNG = np.random.default_rng(0)
X, Y, GROUP = RNG.normal(size=(25, 1)), RNG.normal(size=(25, 1)), np.repeat([1, 0], [10, 15])


def test_features_and_gram_matrix_give_one_difference():
    x, _ = embed(Gaussian(1.0), X, tol=0.0, max_rank=25).principal()
    y = embed(Gaussian(0.7), Y, tol=0.0, max_rank=25)
    T = HeldLabels((RNG.random((5, 25)) < 0.4).astype(np.int8))
    contrast = PlugInContrast((0.1, 0.2))
    from_gram = contrast(T, replace(x, gram=Gaussian(1.0)(X)), y)
    np.testing.assert_allclose(from_gram, contrast(T, x, y), atol=1e-9)


def test_lambda_may_differ_between_the_groups():
    found = cmmd(X, Y, GROUP, statistic=CMMD(Gaussian(1.0), Gaussian(0.7), reg=PerGroup(0.1, 0.3), estimator=PlugIn()))
    k, l = oracle.gaussian(1.0), oracle.gaussian(0.7**-2)
    naive = oracle.Naive(X[:10], Y[:10], X[10:], Y[10:], k, l, 0.1, 0.3)
    np.testing.assert_allclose(found.level([0, 1, 2]), [naive.cmmd0(), naive.cmmd1(), naive.cmmd2()], rtol=1e-9)
    assert found.reg.pair == (0.1, 0.3)
