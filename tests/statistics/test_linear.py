"""A linear form is the statistic itself, written as sums of squares."""

import numpy as np
import pytest

from condmmd import CMMD, Family, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.regression.logistic import residual_labels
from condmmd.statistics import LinearFit

RNG = np.random.default_rng(0)
X, GROUP = RNG.normal(size=(60, 2)), np.arange(60) % 2
Y = X[:, 0] + RNG.normal(size=60)


@pytest.mark.parametrize("statistic", [Family(), CMMD(estimator="overlap", reg=[0.1, 0.5])], ids=["family", "cmmd"])
def test_it_is_what_the_statistic_computes(statistic):
    fitted = cmmd_test(X, Y, GROUP, statistic=statistic, n_resamples=19, rng=0)._trained.fitted
    assert isinstance(fitted, LinearFit)
    form = fitted.linear
    T = RNG.integers(0, 2, size=(5, 60)).astype(float)
    tau = np.asarray(residual_labels(HeldLabels(T), form.e, form.fit).held)
    values = [
        [np.sum(weights[:, None] * (part.phi.T @ (row[:, None] * part.psi)) ** 2) for part in form.products
         for weights in part.weights]
        for row in tau
    ]  # fmt: skip
    np.testing.assert_allclose(fitted(HeldLabels(T)), values, rtol=1e-9)


def test_other_estimators_have_none():
    fitted = cmmd_test(X, Y, GROUP, statistic=CMMD(), n_resamples=19, rng=0)._trained.fitted
    with pytest.raises(TypeError, match="estimator='overlap'"):
        _ = fitted.linear
