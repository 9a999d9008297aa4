"""Nothing that is NaN or infinite becomes a p-value, by any door: it is an error that names where it arose."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import (
    CMMD,
    Asymptotic,
    Compute,
    DoublyRobust,
    Energy,
    Family,
    OverlapWarning,
    Resampling,
    cmmd,
    cmmd_test,
)  # fmt: skip
from condmmd.statistics import Statistic

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
GROUP = np.repeat([1, 0], 60)
Y = X[:, 0] + RNG.normal(size=120)
TINY = np.full(120, 0.5)
TINY[[0, 100]] = 1e-300
QUICK = {"n_resamples": 19, "rng": 1}


class OneNaN(LinearRegression):
    """Predicts one NaN."""

    def predict(self, X):
        predicted = super().predict(X)
        predicted.reshape(-1)[0] = np.nan
        return predicted


@pytest.mark.parametrize("statistic", [Family(), CMMD(), CMMD(estimator="overlap"), Energy()], ids=repr)
def test_a_regressor_that_predicts_nan(statistic):
    with pytest.raises(ValueError, match=r"`residualize`.*OneNaN.*1 NaN or infinite"):
        cmmd_test(X, Y, GROUP, statistic=statistic, residualize=OneNaN(), **QUICK)


def test_a_regressor_that_predicts_nan_without_resampling():
    with pytest.raises(ValueError, match="`residualize`"):
        cmmd_test(X, Y, GROUP, residualize=OneNaN(), null=Asymptotic())


@pytest.mark.parametrize("folds", [None, 3])
def test_a_model_of_the_doubly_robust_estimator_that_predicts_nan(folds):
    statistic = CMMD(estimator=DoublyRobust(model=OneNaN(), folds=folds))
    with pytest.raises(ValueError, match=r"`model`.*OneNaN.*NaN or infinite"):
        cmmd_test(X, Y, GROUP, statistic=statistic, **QUICK)
    with pytest.raises(ValueError, match=r"`model`.*OneNaN.*NaN or infinite"):
        cmmd(X, Y, GROUP, statistic=statistic)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("estimator", ["plugin", "overlap"])
def test_a_level_too_high_for_double_precision(estimator):
    statistic = CMMD(level=60, kernel_x="linear", estimator=estimator)
    with pytest.raises(ValueError, match=r"level 60.*observed labels"):
        cmmd_test(1e6 * X, Y, GROUP, statistic=statistic, **QUICK)
    with pytest.raises(ValueError, match="level"):
        cmmd(1e6 * X, Y, GROUP, statistic=CMMD(kernel_x="linear", estimator=estimator)).level(60)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_level_too_high_without_resampling():
    statistic = CMMD(level=60, kernel_x="linear", estimator="overlap")
    with pytest.raises(ValueError, match=r"level 60.*observed labels"):
        cmmd_test(1e6 * X, Y, GROUP, statistic=statistic, null=Asymptotic())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("estimator", ["doubly_robust", "orthogonal"])
@pytest.mark.parametrize("scheme", ["auto", "bernoulli"])
def test_a_propensity_whose_inverse_has_no_square(estimator, scheme):
    statistic, null = CMMD(estimator=estimator), Resampling(scheme)
    with pytest.raises(ValueError, match="not finite"):
        cmmd_test(X, Y, GROUP, statistic=statistic, propensity=TINY, null=null, **QUICK)
    with pytest.raises(ValueError, match="not finite"):
        cmmd(X, Y, GROUP, statistic=statistic, propensity=TINY)


class Broken(CMMD):
    """A statistic from outside that is NaN at one null label vector."""

    def fit(self, samples, learned):
        fitted = super().fit(samples, learned)

        class AtSome(type(fitted)):
            def __call__(self, T):
                values = super().__call__(T)
                values[-1, 0] = np.nan
                return values

        return AtSome(**vars(fitted))


def test_a_statistic_from_outside():
    assert isinstance(Broken(), Statistic)
    with pytest.raises(ValueError, match="1 of 19 null draws"):
        cmmd_test(X, Y, GROUP, statistic=Broken(level=1), **QUICK)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_where_and_strata_say_so_too():
    """Values that NaN got into after the test."""
    result = cmmd_test(X, Y, GROUP, compute=Compute(keep_fits=True), **QUICK)
    result.evidence.y.phi[3, 0] = np.nan
    with pytest.raises(ValueError, match="NaN or infinite"):
        result.where()
    result.evidence.learned.outcomes.phi[3, 0] = np.nan
    strata = result.by_stratum("x0", bins=2)
    assert all(one.pvalue is None or one.pvalue > 0.05 for one in strata)
    assert any(one.pvalue is None for one in strata)


def test_what_is_written_is_json():
    with pytest.warns(OverlapWarning):
        result = cmmd_test(X * [40, 1], Y, (X[:, 0] + 0.05 * RNG.normal(size=120) > 0).astype(int), **QUICK)
    json.dumps(result.to_dict(), allow_nan=False)
    json.dumps(cmmd(X, Y, GROUP).to_dict(), allow_nan=False)
