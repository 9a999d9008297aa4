"""A call as code: what is written can be run, and repeats the result."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression

from condmmd import (
    CMMD,
    Asymptotic,
    Delta,
    DoublyRobust,
    Energy,
    EnergyKernel,
    Family,
    Gaussian,
    Laplacian,
    Orthogonal,
    PerGroup,
    Resampling,
    cmmd_test,
)
from condmmd.results.code import call_code
from tests.doors.samples import GROUP, OTHER, SAME, E, X


def repeated(result, **given):
    """Run the code of a result with the data and what else only the user has."""
    names = {"X": X, "Y": OTHER, "group": GROUP} | given
    exec(result.call, names)  # noqa: S102 - what we have written ourselves
    return names["result"]


def test_the_call_repeats_the_result():
    rng = np.random.default_rng(1)
    statistic = CMMD(level=[0, 1])
    first = cmmd_test(X, OTHER, GROUP, statistic=statistic, propensity=None, n_resamples=99, trim=None, rng=rng)
    options = f"statistic=CMMD(level=(0, 1)), propensity=None, n_resamples=99, rng={first.rng_state}"
    lines = ["from condmmd import CMMD, cmmd_test", "", f"result = cmmd_test(X, Y, group, {options})"]
    assert first.call.splitlines() == lines
    again = repeated(first)
    assert again.pvalue == first.pvalue
    np.testing.assert_array_equal(again.null_distribution, first.null_distribution)
    assert again.call == first.call


SETTINGS = {
    "default": {},
    "kernels": {"statistic": CMMD(Gaussian(0.123456789) + Laplacian(1.0).on(0), "laplacian", reg=0.1)},
    "several": {"statistic": CMMD((Gaussian(0.5), None), reg=(0.1, "loo", PerGroup(0.1, 0.2)))},
    "energy": {"statistic": Energy(level=1)},
    "a kernel of a statistic": {"statistic": CMMD(kernel_y=EnergyKernel((0.0,)))},
    "doubly robust": {"statistic": CMMD(estimator=DoublyRobust(reg=PerGroup(0.1, 0.2), folds=3))},
    "orthogonal": {"statistic": CMMD(estimator=Orthogonal())},
    "asymptotic": {"statistic": Family(), "null": Asymptotic("bernoulli")},
    "scheme": {"null": Resampling("bernoulli")},
    "regressor": {"residualize": RandomForestRegressor(5, random_state=0, min_samples_leaf=3)},
    "classifier": {"propensity": LogisticRegression(C=0.5)},
    "numbers of NumPy": {"statistic": CMMD(level=np.float64(1.0), reg=np.float64(0.1)), "n_resamples": np.int64(39)},
    "trimmed": {"trim": 0.1, "significance": 0.1},
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_option_is_written_as_code(setting):
    options = {"n_resamples": 19, "rng": 3} | SETTINGS[setting]
    first = cmmd_test(X, OTHER, GROUP, **options)
    again = repeated(first)
    assert "as in this run" not in first.call
    assert again.pvalue == first.pvalue
    np.testing.assert_array_equal(again.null_distribution, first.null_distribution)


def test_what_only_the_user_has_is_named():
    first = cmmd_test(X, OTHER, GROUP, propensity=E, blocks=None, n_resamples=19, rng=3)
    assert first.call.endswith("propensity=propensity, n_resamples=19, rng=3)  # propensity: as in this run")
    assert repeated(first, propensity=E).pvalue == first.pvalue
    kernel = CMMD(kernel_x=lambda A, B: 1.0 * Gaussian(1.0).gram(A, B))
    own = cmmd_test(X, OTHER, GROUP, statistic=kernel, n_resamples=19, rng=3)
    assert own.call.endswith("# kernel_x: as in this run")
    assert repeated(own, kernel_x=kernel.kernel_x).pvalue == own.pvalue


def odds(x):
    return 1 / (1 + np.exp(x))


def test_functions_that_can_be_imported_are():
    first = cmmd_test(X, OTHER, GROUP, propensity=odds, n_resamples=19, rng=3)
    assert f"from {__name__} import odds" in first.call
    assert repeated(first).pvalue == first.pvalue


def test_defaults_are_not_written():
    options = {"statistic": Family(), "propensity": "estimate", "significance": 0.05, "rng": 1}
    assert call_code(cmmd_test, ["X"], options) == "from condmmd import cmmd_test\n\nresult = cmmd_test(X, rng=1)"
    delta = call_code(cmmd_test, ["X"], {"statistic": CMMD(Delta().on("sex") * Gaussian(2.0).on("age"))})
    assert "from condmmd import CMMD, Delta, Gaussian, cmmd_test" in delta
    assert "CMMD(kernel_x=Delta().on('sex') * Gaussian(lengthscale=2.0).on('age'))" in delta


def test_the_same_numbers_from_the_same_call_on_other_outcomes():
    first = cmmd_test(X, SAME, GROUP, n_resamples=19, rng=3)
    assert repeated(first, Y=SAME).statistic == first.statistic
