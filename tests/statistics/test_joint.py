"""The joint estimator: level 2 is the squared MMD of the joint distributions, and there is nothing below."""

import numpy as np
import pytest

from condmmd import CMMD, Gaussian, Joint, cmmd
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
