"""What is refused is refused once, before any work, and in the user's words."""

import gc
import weakref

import matplotlib.pyplot as plt
import numpy as np
import pytest

from condmmd import CMMD, DoublyRobust, Forests, PerGroup, cmmd_test

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
GROUP = np.repeat([1, 0], 60)
Y = X[:, 0] + RNG.normal(size=120)
PREDICTED = CMMD(kernel_y="linear", estimator=DoublyRobust(model=PerGroup(Y, Y)))
FAST = {"n_resamples": 19, "rng": 0}


def test_a_function_of_x_is_called_when_x_was_found_to_be_good():
    spoiled = X.copy()
    spoiled[3, 1] = np.nan
    with pytest.raises(ValueError, match="1 NaN"):
        cmmd_test(spoiled, Y, GROUP, propensity=lambda _: pytest.fail("it was called"), **FAST)


def test_predictions_for_all_rows_go_with_all_rows():
    with pytest.raises(ValueError, match="`trim` leaves out rows for which DoublyRobust has predictions"):
        cmmd_test(X, Y, GROUP, statistic=PREDICTED, trim=0.1, **FAST)
    with pytest.raises(TypeError, match="cannot have predictions for all rows"):
        cmmd_test(X, Y, GROUP, statistic=PREDICTED, **FAST).by_stratum("x0")
    blocks = cmmd_test(X, Y, GROUP, propensity=None, blocks=np.arange(120) // 3, **FAST)
    with pytest.raises(TypeError, match="a test within strata cannot have `blocks`"):
        blocks.by_stratum("x0")


def test_classes_in_place_of_objects_are_refused():
    with pytest.raises(TypeError, match=r"`residualize` must be True, False, Forests\(\)"):
        cmmd_test(X, Y, GROUP, residualize=Forests, **FAST)
    for bad in ({"trees": 0}, {"leaf": 0}):
        with pytest.raises(ValueError, match=f"`{next(iter(bad))}`"):
            Forests(**bad)


def test_what_was_asked_of_a_result_does_not_outlive_it():
    result = cmmd_test(X[:, 0], Y, GROUP, **FAST)
    plt.close(result.plot("curves").figure)
    held = weakref.ref(result.evidence)
    del result
    gc.collect()
    assert held() is None


def test_strata_have_the_residual_labels_and_the_signs_of_the_whole_test():
    result = cmmd_test(X, Y, GROUP, statistic=CMMD(estimator="overlap"), **FAST)
    whole, some = result.evidence.labels, X[:, 0] > 0
    half = whole.on_rows(some, "strata")
    np.testing.assert_allclose(half.samples.groups.t - half.centre, (GROUP - whole.centre)[some], atol=1e-12)
    one, other = (own.multipliers.draw([(5, np.random.default_rng(0))], GROUP).held for own in (whole, half))
    np.testing.assert_allclose(other, one[:, some], atol=1e-12)
