"""The measure as a user calls it."""

import numpy as np
import pytest

from condmmd import CMMD, MMD, DoublyRobust, Energy, Gaussian, Orthogonal, cmmd
from tests.doors.samples import GROUP, OTHER, SAME, E, N, X


def test_bad_arguments():
    for statistic in (CMMD, MMD(), "cmmd", None):
        with pytest.raises(TypeError, match=r"`statistic` must be an object such as CMMD\(reg=0.1\)"):
            cmmd(X, OTHER, GROUP, statistic=statistic)
    with pytest.raises(ValueError, match="`propensity` does not apply to the plugin estimator; use DoublyRobust"):
        cmmd(X, OTHER, GROUP, propensity=E)
    for several in ({"reg": [0.1, 0.2]}, {"kernel_x": [Gaussian(1.0), None]}):
        with pytest.raises(ValueError, match="a measurement takes one `kernel_x` and one `reg`"):
            cmmd(X, OTHER, GROUP, statistic=CMMD(**several))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"statistic": CMMD(reg=0.1)},
        {"statistic": Energy(reg=0.1)},
        {"statistic": CMMD(estimator=DoublyRobust(), reg=0.01), "propensity": E},
        {"statistic": CMMD(estimator=Orthogonal(), reg=0.01), "propensity": E},
        {"statistic": CMMD(estimator="doubly_robust", reg=0.01)},
        {"statistic": CMMD(mixture=0.5, reg=0.1)},
    ],
)
def test_a_planted_difference_is_larger_than_none(settings):
    there, nothing = (cmmd(X, Y, GROUP, **settings).level(1) for Y in (OTHER, SAME))
    assert there > 2 * nothing


def test_sizes_labels_and_chosen_numbers_are_told():
    d = cmmd(X, SAME, np.where(GROUP == 1, "b", "a"))
    assert d.n_obs == (N // 2, N // 2)
    assert d.labels == ("b", "a")
    assert d.reg.rule == "loo"
    assert d.estimator == "plugin"
    assert d.mixture is None


def test_the_level_of_the_statistic_is_chosen_afterwards():
    """A level is for a test; a measurement has all of them."""
    one, all_ = (cmmd(X, SAME, GROUP, statistic=CMMD(level=level, reg=0.1)) for level in (1, "adaptive"))
    np.testing.assert_array_equal(one.level([0, 1, 2]), all_.level([0, 1, 2]))
