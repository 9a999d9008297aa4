"""CMMD as a statistic: what may be set, and the columns that come of it."""

import numpy as np
import pytest

from condmmd import CMMD, DoublyRobust, Gaussian, Joint, Laplacian, Orthogonal, PerGroup, PlugIn, cmmd
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.nuisance import Learned
from condmmd.statistics import cmmd as module

RNG = np.random.default_rng(0)
X, GROUP = RNG.normal(size=40), np.repeat([1, 0], 20)
Y = np.sin(X) + GROUP * X + 0.3 * RNG.normal(size=40)
SAMPLES = read_samples(X, Y, GROUP)


def fitted(statistic):
    return statistic.fit(SAMPLES, Learned(statistic.embed_outcomes(SAMPLES)))


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"reg": -1.0}, ValueError, r"`reg` must be positive; got -1.0. Use reg='loo'"),
        ({"reg": 0}, ValueError, r"`reg` must be positive; got 0"),
        ({"reg": PerGroup(0.1, 0.0)}, ValueError, r"`reg` must be positive"),
        ({"reg": PerGroup(0.1, "b")}, TypeError, r"`reg` must be a positive number, PerGroup"),
        ({"reg": (0.1, -0.2, 0.3)}, ValueError, r"`reg` must be positive"),
        ({"reg": "cv"}, ValueError, r"'loo', 'gcv', 'marginal likelihood'\]; got 'cv'"),
        ({"reg": True}, TypeError, r"`reg`"),
        ({"estimator": PlugIn}, TypeError, r"`estimator` is a class; make an object of it, as in PlugIn\(\)"),
        ({"estimator": 3}, TypeError, r"`estimator` must be one of"),
        ({"level": "a"}, ValueError, r"`level` must be a number"),
        ({"level": 1j}, TypeError, r"`level` must be a number"),
        ({"max_rank": np.inf}, ValueError, r"`max_rank`"),
        ({"max_rank": 5, "solver": "dual"}, ValueError, r"`max_rank` does not apply"),
        ({"reg": np.nan}, ValueError, r"`reg`"),
        ({"estimator": "magic"}, ValueError, r"`estimator` must be one of"),
        ({"solver": "magic"}, ValueError, r"`solver` must be one of"),
        ({"mixture": 1.5}, ValueError, r"`mixture` must be between 0 and 1"),
        ({"tol": -1}, ValueError, r"`tol`"),
        ({"max_rank": 0}, ValueError, r"`max_rank`"),
        ({"kernel_x": "rbf"}, ValueError, r"`kernel_x` must be one of"),
        ({"kernel_y": 3}, TypeError, r"`kernel_y`"),
    ],
)
def test_bad_settings_are_told_before_there_is_any_data(settings, error, words):
    with pytest.raises(error, match=words):
        CMMD(**settings)


def test_names_stand_for_objects():
    for name, kind in (
        ("plugin", PlugIn),
        ("joint", Joint),
        ("orthogonal", Orthogonal),
        ("doubly_robust", DoublyRobust),
    ):
        assert isinstance(CMMD(estimator=name).estimator, kind)
        assert CMMD(estimator=kind()).name == name
    assert CMMD().needs == {"covariates"}
    assert CMMD(estimator="doubly_robust").needs == {"covariates", "propensity"}
    assert CMMD("precomputed").precomputed == (True, False)
    assert CMMD(kernel_y="precomputed").precomputed == (False, True)


def test_levels():
    np.testing.assert_array_equal(CMMD().levels, [0.0, 0.5, 1.0, 1.5, 2.0])
    np.testing.assert_array_equal(CMMD(level=3).levels, [3.0])
    np.testing.assert_array_equal(CMMD(level=(0, 2)).levels, [0.0, 2.0])
    np.testing.assert_array_equal(CMMD(level=np.array([1.5])).levels, [1.5])


def test_a_column_for_each_kernel_lambda_and_level():
    """In order, and each the statistic of one kernel and one lambda alone."""
    kernels, regs = [Gaussian(0.5), Laplacian(1.0)], [0.1, PerGroup(0.01, 0.02)]
    together = fitted(CMMD(kernel_x=kernels, reg=regs, level=[0, 1]))
    T = HeldLabels(np.stack([GROUP, RNG.permutation(GROUP)]))
    told = [(column.kernel_x, column.reg, column.level) for column in together.columns]
    assert told[:3] == [
        ("Gaussian(lengthscale=0.5)", "0.1 (given)", 0.0),
        ("Gaussian(lengthscale=0.5)", "0.1 (given)", 1.0),
        ("Gaussian(lengthscale=0.5)", "0.01 for P, 0.02 for Q (given)", 0.0),
    ]
    alone = [fitted(CMMD(kernel_x=k, reg=r, level=[0, 1]))(T) for k in kernels for r in regs]
    np.testing.assert_allclose(together(T), np.concatenate(alone, axis=1), rtol=1e-9)
    assert together.covariates is together.comparisons[0].x
    assert together.outcomes is together.comparisons[0].y


def test_the_test_and_the_measure_have_one_statistic():
    """With the same lambda and accuracy; the defaults of a test are coarser."""
    statistic = CMMD(Gaussian(0.5), Gaussian(0.8), reg=0.1, tol=1e-12, level=[0, 1, 2])
    found = fitted(statistic)(HeldLabels(GROUP[None]))[0]
    np.testing.assert_allclose(found, cmmd(X, Y, GROUP, statistic=statistic).level([0, 1, 2]), rtol=1e-9)


def test_the_rank_of_a_test(monkeypatch):
    assert CMMD()._test_rank(SAMPLES) is None  # few rows: the Gram matrix costs no more
    assert CMMD(max_rank=7)._test_rank(SAMPLES) == 7
    monkeypatch.setattr(module, "TEST_RANK", 8)
    assert CMMD()._test_rank(SAMPLES) == 8
    assert CMMD(solver="dual")._test_rank(SAMPLES) is None


def test_margins_have_the_same_kernels():
    x, y = CMMD([Gaussian(0.5), None], "linear").margins()
    assert x.kernel == Gaussian(0.5)
    assert y.kernel == "linear"
