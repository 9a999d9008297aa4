"""Arrays of other libraries give the numbers that arrays of NumPy give, and stay where they are."""

import array_api_strict as strict
import numpy as np
import pytest

from condmmd import (
    CMMD,
    DoublyRobust,
    Energy,
    Family,
    Interventional,
    Joint,
    Laplacian,
    Matern,
    Polynomial,
    Resampling,
    cmmd,
    cmmd_test,
    mmd_test,
)
from condmmd.backend import kind_of, to_host
from condmmd.labels import Multipliers
from condmmd.labels.schemes import FixedSize

try:
    import torch
except ImportError:
    torch = None

LIBRARIES = [
    pytest.param(
        getattr(torch, "asarray", None), id="torch", marks=pytest.mark.skipif(torch is None, reason="torch is an extra")
    ),
    pytest.param(strict.asarray, id="array-api-strict"),
]


def data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    t = np.repeat([1, 0], n)
    X = rng.normal(size=(2 * n, d)) + 0.3 * t[:, None]
    return X, np.sin(2 * X[:, 0]) + 0.15 * t * X[:, 0] + 0.5 * rng.normal(size=2 * n), t


def odds(X):
    return 1 / (1 + 2.0 ** (0.2 - 0.4 * X[:, 0]))


SETTINGS = {
    "default": (1, {}),
    "five covariates": (5, {}),
    "equal marginals": (1, {"propensity": None}),
    "a known propensity": (2, {"propensity": odds}),
    "a population": (2, {"statistic": Interventional("all"), "propensity": odds}),
    "joint, weighted": (2, {"statistic": CMMD(estimator=Joint(weighted=True)), "propensity": odds}),
    "joint": (2, {"propensity": None, "statistic": CMMD(estimator="joint")}),
    "orthogonal": (2, {"statistic": CMMD(estimator="orthogonal")}),
    "doubly robust": (2, {"statistic": CMMD(estimator="doubly_robust")}),
    "cross-fitted": (2, {"statistic": CMMD(estimator=DoublyRobust(folds=3))}),
    "independent labels": (2, {"null": Resampling("bernoulli")}),
    "a mixture": (1, {"statistic": CMMD(mixture=0.3)}),
    "dual": (5, {"statistic": CMMD(solver="dual")}),
    "other kernels": (2, {"statistic": CMMD(Laplacian(), Matern())}),
    "explicit features": (2, {"statistic": CMMD(Polynomial(2))}),
    "energy": (2, {"statistic": Energy()}),
    "overlap": (2, {"statistic": CMMD(estimator="overlap")}),
    "family": (5, {"statistic": Family()}),
    "leave-one-out": (1, {"statistic": CMMD(reg="loo")}),
    "trimmed": (1, {"trim": 0.1}),
    "not residualised": (1, {"residualize": False, "statistic": CMMD(level=1)}),
}


@pytest.mark.parametrize("array", LIBRARIES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_same_labels_same_p_value(array, setting):
    d, options = SETTINGS[setting]
    X, y, t = data(150, d)
    here = cmmd_test(X, y, t, rng=1, n_resamples=39, **options)
    there = cmmd_test(array(X), array(y), array(t), rng=1, n_resamples=39, **options)
    np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(there.statistic, here.statistic, rtol=1e-6)
    assert there.pvalue == here.pvalue
    assert there.n_obs == here.n_obs
    levels = [[level.statistic for level in result.by_level] for result in (here, there)]
    np.testing.assert_allclose(levels[1], levels[0], rtol=1e-6)


@pytest.mark.parametrize("array", LIBRARIES)
@pytest.mark.parametrize("options", [{}, {"propensity": None}, {"null": Resampling("bernoulli")}], ids=str)
def test_many_rows(array, options):
    """Above 8,192 rows labels are made on the device, above 10,000 pivots come from a sample."""
    X, y, t = data(5500, 1)
    here = cmmd_test(X, y, t, rng=1, n_resamples=19, **options)
    there = cmmd_test(array(X), array(y), array(t), rng=1, n_resamples=19, **options)
    np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-6, atol=1e-9)
    assert there.pvalue == here.pvalue
    assert there.embeddings["x"]["rank"] == here.embeddings["x"]["rank"]


@pytest.mark.parametrize("array", LIBRARIES)
def test_null_labels_are_the_same_numbers(array):
    e, t = np.random.default_rng(0).uniform(0.1, 0.9, size=10_001), np.arange(10_001) < 4000.0
    draws = [
        FixedSize.of(e, own).draw([(5, np.random.default_rng(3))], own).held
        for e, own in ((e, 1.0 * t), (array(e), array(1.0 * t)))
    ]
    assert kind_of(draws[1]) == "device"
    np.testing.assert_array_equal(draws[0], to_host(draws[1]))
    assert np.all(draws[0].sum(axis=1) == 4000)


def _sums(T, a):
    return T @ a


@pytest.mark.parametrize("array", LIBRARIES)
@pytest.mark.parametrize("count", [101, 10_001], ids=["a sign for each row", "a sign for each class"])
def test_signs_are_drawn_where_the_rows_are_and_are_the_same_numbers(array, count):
    a = np.random.default_rng(0).normal(size=count)
    here, there = (Multipliers(own).draw([(5, np.random.default_rng(3))], own) for own in (a, array(a)))
    assert kind_of(there.signs) == "device"
    np.testing.assert_array_equal(here.signs, to_host(there.signs))
    np.testing.assert_allclose(here.rows.sum(_sums, a), to_host(there.rows.sum(_sums, array(a))))


@pytest.mark.parametrize("array", LIBRARIES)
def test_measures(array):
    X, y, t = data(120, 2)
    for options in ({}, {"estimator": "joint"}, {"estimator": "doubly_robust"}, {"solver": "dual", "reg": 0.1}):
        statistic = CMMD(**options)
        here = cmmd(X, y, t, statistic=statistic)
        there = cmmd(array(X), array(y), array(t), statistic=statistic)
        np.testing.assert_allclose(there.level([2, 2.5, 3]), here.level([2, 2.5, 3]), rtol=1e-6)
        witness = there.witness(array(X[:5]), array(y[:5]))
        assert kind_of(witness) == "device"
        np.testing.assert_allclose(to_host(witness), here.witness(X[:5], y[:5]), rtol=1e-5, atol=1e-9)
    assert mmd_test(array(X), array(t), rng=0, n_resamples=39).pvalue == mmd_test(X, t, rng=0, n_resamples=39).pvalue


@pytest.mark.parametrize("array", LIBRARIES)
def test_what_comes_beside_goes_along(array):
    """A group in NumPy, an outcome of integers, a boolean covariate; further questions are answered in memory."""
    X, y, t = data(150, 1)
    whole, flag = np.round(3 * y).astype(np.int64), X[:, 0] > 0
    here = cmmd_test(X, whole, t, rng=1, n_resamples=39)
    there = cmmd_test(array(X), array(whole), t, rng=1, n_resamples=39)
    assert there.pvalue == here.pvalue
    assert there.where().pvalue == here.where().pvalue
    np.testing.assert_allclose(there.where().profile().size, here.where().profile().size, rtol=1e-6)
    assert [s.pvalue for s in there.by_stratum("x0", bins=2)] == [s.pvalue for s in here.by_stratum("x0", bins=2)]
    assert cmmd(array(flag), array(y), t).kernel_x == cmmd(flag, y, t).kernel_x


@pytest.mark.parametrize("array", LIBRARIES)
def test_bad_input_is_refused_there_too(array):
    X, y, t = data(20, 1)
    bad = X.copy()
    bad[3] = np.nan
    with pytest.raises(ValueError, match=r"`X` has NaN or infinite values in 1 column\(s\): 'x0' \(1 NaN\)"):
        cmmd(array(bad), array(y), array(t))
    with pytest.raises(ValueError, match="`group` must have two different labels; got 3"):
        cmmd(array(X), array(y), array(np.arange(40) % 3))
    with pytest.raises(ValueError, match="same number of rows"):
        cmmd(array(X), array(y[:-1]), array(t))
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        cmmd_test(array(X), array(y), array(t), propensity=array(np.linspace(0, 0.9, 40)))
    with pytest.raises(TypeError, match="Gram matrix must be in memory"):
        cmmd(array(X @ X.T), array(y), t, statistic=CMMD("precomputed"))
