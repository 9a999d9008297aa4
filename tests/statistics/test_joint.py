"""The joint estimator: level 2 is the squared MMD of the joint distributions, and there is nothing below."""

import numpy as np
import pytest

from condmmd import CMMD, Gaussian, Joint, cmmd, cmmd_test
from condmmd.backend import HeldLabels
from tests import oracle

RNG = np.random.default_rng(0)
X, Y, GROUP = RNG.normal(size=(25, 1)), RNG.normal(size=(25, 1)), np.repeat([1, 0], [10, 15])


def test_level_two_is_the_mmd_of_the_joint_distributions():
    found = cmmd(X, Y, GROUP, statistic=CMMD(Gaussian(1.0), Gaussian(0.7), estimator=Joint()))
    J = oracle.gaussian(1.0)(X, X) * oracle.gaussian(0.7**-2)(Y, Y)
    np.testing.assert_allclose(found.level(2), oracle.mmd_biased(J[:10, :10], J[:10, 10:], J[10:, 10:]), rtol=1e-9)
    assert found.reg is None


def test_there_is_no_lower_level():
    np.testing.assert_array_equal(CMMD(estimator=Joint()).levels, [2.0])
    with pytest.raises(ValueError, match="`level` must be at least 2 with the joint"):
        CMMD(estimator=Joint(), level=1)
    with pytest.raises(ValueError, match=r"at least 2 for the joint estimator.*PlugIn\(\)"):
        cmmd(X, Y, GROUP, statistic=CMMD(estimator="joint")).level(1)


def test_weights_give_x_the_same_distribution():
    """Level 2 is the squared MMD of the samples in which P counts by 1 - e and Q by e, in units of the overlap."""
    e = 1 / (1 + np.exp(-X[:, 0]))
    statistic = CMMD(Gaussian(1.0), Gaussian(0.7), estimator=Joint(weighted=True))
    trained = cmmd_test(
        X, Y, GROUP, statistic=statistic, propensity=e, residualize=False, n_resamples=19, rng=0
    )._trained
    e = trained.learned.centre
    tau = (GROUP - e) / (e * (1 - e)).sum()
    J = oracle.gaussian(1.0)(X, X) * oracle.gaussian(0.7**-2)(Y, Y)
    found = trained.fitted(HeldLabels((GROUP - e)[None, :]))[0, 0]
    np.testing.assert_allclose(found, tau @ J @ tau, rtol=1e-5)
    with pytest.raises(TypeError, match="`weighted` must be True or False"):
        Joint(weighted="yes")


def test_the_weighted_one_has_its_level_where_the_covariates_moved_and_the_other_has_not():
    """40 tables, of which the plain one rejects all; 7 or more of 40 at 0.05 have a chance of 0.0034."""
    rejected = {False: 0, True: 0}
    for seed in range(40):
        rng = np.random.default_rng([seed, 5])
        x = np.concatenate([rng.normal(-0.6, 1, 50), rng.normal(0.6, 1, 50)])
        y, group = x + 0.5 * rng.normal(size=100), np.repeat([1, 0], 50)
        for weighted in rejected:
            statistic = CMMD(estimator=Joint(weighted=weighted))
            result = cmmd_test(
                x, y, group, statistic=statistic, propensity=1 / (1 + np.exp(1.2 * x)) if weighted else None,
                residualize=False, n_resamples=39, rng=seed,
            )  # fmt: skip
            rejected[weighted] += result.pvalue <= 0.05
    assert rejected[True] <= 6
    assert rejected[False] >= 35


def test_the_weighted_one_finds_a_difference_and_measures_it():
    x, group = RNG.normal(size=300), RNG.integers(0, 2, size=300)
    y = x + 0.5 * RNG.normal(size=300) + 0.8 * group
    weighted = CMMD(estimator=Joint(weighted=True))
    assert cmmd_test(x, y, group, statistic=weighted, n_resamples=39, rng=0).pvalue == 0.025
    near, far = (cmmd(x, y + shift * group, group, statistic=weighted).level(2) for shift in (0, 1))
    assert far > near > 0
