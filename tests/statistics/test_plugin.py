"""The plug-in estimator: from features and from the Gram matrix the same difference."""

from dataclasses import replace

import numpy as np
import pytest

from condmmd import CMMD, Gaussian, PerGroup, PlugIn, cmmd, cmmd_test
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


def test_pvalues_are_uniform_given_the_propensity():
    """Labels from the propensity, which Y follows; with 19 null labels a p-value is each twentieth as often."""
    pvalues = []
    for seed in range(240):
        rng = np.random.default_rng([8, seed])
        x = rng.uniform(-1, 1, size=14)
        e = 1 / (1 + np.exp(-1.5 * x))
        group = (rng.random(14) < e).astype(int)
        if 2 <= group.sum() <= 12:  # others are refused; given that, fixed sizes are exact
            found = cmmd_test(
                x, 3 * x + rng.normal(size=14), group, propensity=e, residualize=False, n_resamples=19, rng=seed,
                statistic=CMMD(Gaussian(0.5), Gaussian(1.0), level=0),
            )  # fmt: skip
            pvalues.append(found.pvalue)
    for level in (0.05, 0.1, 0.25, 0.5, 0.75):
        error = (level * (1 - level) / len(pvalues)) ** 0.5
        assert np.mean(np.array(pvalues) <= level + 1e-9) == pytest.approx(level, abs=3.5 * error)


def test_a_difference_that_opposes_the_confounding_is_hidden_from_it_and_seen_by_the_overlap_estimator():
    """The ridge leaves some of a steep regression, which looks like a difference; half of a real one hides it."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    e = 1 / (1 + np.exp(-1.5 * x[:, 0]))
    group = (rng.random(200) < e).astype(int)
    y = 2 * x[:, 0] + 0.5 * rng.normal(size=200)
    given = {"propensity": e, "residualize": False, "n_resamples": 199, "rng": 0}
    for shift, alone in ((1.0, True), (-1.0, False)):
        centred = CMMD(estimator="overlap")
        assert cmmd_test(x, y + shift * group, group, statistic=centred, **given).pvalue <= 0.02
        assert (cmmd_test(x, y + shift * group, group, statistic=CMMD(), **given).pvalue <= 0.02) == alone
