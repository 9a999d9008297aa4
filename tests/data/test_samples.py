"""Covariates, outcomes and labels checked together."""

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, ConstantColumnWarning, cmmd
from condmmd.data import read_group, read_samples, read_table, select_rows
from condmmd.data.samples import pooled_rows

RNG = np.random.default_rng(0)
X, Y, GROUP = RNG.normal(size=(20, 2)), RNG.normal(size=20), np.repeat([1, 0], 10)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((X[:-1], Y, GROUP), ValueError, r"`X` has 19, `Y` has 20, `group` has 20"),
        ((X, Y, GROUP[:-1]), ValueError, r"`group` has 19"),
    ],
)
def test_rows_that_do_not_go_together(arguments, error, words):
    with pytest.raises(error, match=words):
        cmmd(*arguments)


def test_constant_columns_warn_with_their_meaning():
    with pytest.warns(ConstantColumnWarning, match=r"`X` is constant in column\(s\) 'b': it does not tell"):
        with_constant = cmmd(pd.DataFrame({"a": Y, "b": 3.0}), Y, GROUP, statistic=CMMD(reg=0.1))
    np.testing.assert_allclose(
        with_constant.level([0, 1]), cmmd(Y, Y, GROUP, statistic=CMMD(reg=0.1)).level([0, 1]), rtol=1e-9
    )
    with pytest.warns(ConstantColumnWarning, match=r"outcomes are compared unconditionally"):
        cmmd(np.zeros(20), Y, GROUP, statistic=CMMD(reg=0.1))
    with pytest.warns(ConstantColumnWarning, match=r"the outcomes do not differ"):
        assert cmmd(X, np.zeros(20), GROUP, statistic=CMMD(reg=0.1)).level(2) < 0.1


def test_rows_in_another_order_are_refused():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame({"x": rng.normal(size=30)}), pd.Series(rng.normal(size=30), name="y")
    group = pd.Series(np.repeat([1, 0], 15))
    with pytest.raises(ValueError, match=r"`X` and `Y` have the same index in different orders.*Y\.loc\[X\.index\]"):
        cmmd(X, y.sample(frac=1, random_state=0), group)
    with pytest.raises(ValueError, match="`Y` and `group` have the same index"):
        cmmd(X, y, group[::-1])
    shuffled = y.sample(frac=1, random_state=0)
    cmmd(X.loc[shuffled.index], shuffled, group.loc[shuffled.index])
    cmmd(X.set_index(np.arange(100, 130)), y, group.to_numpy())  # other labels say nothing about the order


def test_some_rows_of_both_groups():
    samples = read_samples(X, Y, GROUP)
    keep = np.arange(20) % 2 == 0
    some = select_rows(samples, keep)
    np.testing.assert_array_equal(some.x.values, X[keep])
    np.testing.assert_array_equal(some.groups.t, GROUP[keep])
    assert (some.groups.n, some.groups.m) == (5, 5)
    with pytest.raises(ValueError, match="`trim` leaves 10 rows of P and 1 of Q"):
        select_rows(samples, np.arange(20) <= 10)


def test_what_is_in_memory_goes_to_the_device_of_the_rest():
    samples = read_samples(strict.asarray(X), Y, GROUP)
    kind = type(strict.asarray(X))
    parts = samples.x.values, samples.y.values, samples.groups.t  # noqa: PD011 - our tables, not pandas
    assert all(isinstance(part, kind) for part in parts)
    K, table = X @ X.T, read_table(np.arange(20.0), "X")
    with pytest.raises(TypeError, match="Gram matrix must be in memory"):
        pooled_rows(table, read_table(strict.asarray(Y), "Y"), read_group(GROUP), gram_x=K)


def test_covariates_and_outcomes_in_the_users_names():
    frame = pd.DataFrame({"age": X[:, 0], "bmi": X[:, 1]})
    assert read_samples(frame, Y, GROUP).spaces == ("age, bmi", "y0")
    assert read_samples(np.eye(20), Y, GROUP, precomputed_x=True).spaces == ("X", "y0")
