"""Indexes that say that rows do not go together."""

import numpy as np
import pandas as pd
import pytest

from condmmd import cmmd_test, mmd_test, screen
from condmmd.data.row_order import check_order

RNG = np.random.default_rng(0)
N = 60
ORDER = RNG.permutation(N)
X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"])
Y, GROUP = pd.Series(RNG.normal(size=N), name="y"), pd.Series(np.arange(N) % 2, name="g")
WORDS = "the same index in different orders"


def shuffled(series):
    return series.set_axis(ORDER)


def in_partitions(frame, count=3):
    return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=count, sort=False)


@pytest.mark.parametrize(
    "call",
    [
        lambda: cmmd_test(X, Y, GROUP, blocks=shuffled(pd.Series(np.arange(N)))),
        lambda: cmmd_test(X, Y, GROUP, propensity=shuffled(pd.Series(np.full(N, 0.5)))),
        lambda: cmmd_test(X, shuffled(Y), GROUP),
        lambda: mmd_test(X, shuffled(GROUP)),
        lambda: mmd_test(X, GROUP, blocks=shuffled(pd.Series(np.arange(N)))),
        lambda: screen(X, Y, GROUP, propensity=shuffled(pd.Series(np.full(N, 0.5)))),
    ],
)
def test_every_argument_with_an_index_is_looked_at(call):
    with pytest.raises(ValueError, match=WORDS):
        call()


@pytest.mark.parametrize("count", [1, 3, 7])
def test_partitions_are_looked_at_as_well(count):
    with pytest.raises(ValueError, match=WORDS):
        check_order({"X": in_partitions(X), "Y": in_partitions(shuffled(Y), count)})
    with pytest.raises(ValueError, match=WORDS):
        check_order({"X": X, "Y": in_partitions(shuffled(Y), count)})
    check_order({"X": in_partitions(X), "Y": in_partitions(Y, count)})
    check_order(
        {"X": in_partitions(X.set_axis(ORDER)), "Y": in_partitions(shuffled(Y), count), "group": shuffled(GROUP)}
    )


def test_by_the_door_too():
    with pytest.raises(ValueError, match=WORDS):
        cmmd_test(in_partitions(X), in_partitions(shuffled(Y)), in_partitions(GROUP))


def test_other_labels_or_repeated_ones_say_nothing():
    repeated = np.arange(N) % 7
    check_order({"X": X, "Y": Y.set_axis(np.arange(N) + 5)})
    check_order({"X": X.set_axis(repeated), "Y": Y.set_axis(repeated[::-1])})
    check_order({"X": in_partitions(X.set_axis(repeated)), "Y": in_partitions(Y.set_axis(repeated[::-1]))})
    check_order({"X": X, "Y": Y.to_numpy(), "blocks": None, "propensity": "estimate"})
    check_order({"X": X, "Y": Y.iloc[:10]})


def test_several_labels_for_a_row():
    one = pd.MultiIndex.from_arrays([np.arange(N) // 2, np.arange(N) % 2])
    with pytest.raises(ValueError, match=WORDS):
        check_order(
            {"X": in_partitions(X.reset_index(drop=True).set_axis(one.map(str))), "Y": Y.set_axis(one.map(str)[::-1])}
        )
    with pytest.raises(ValueError, match=WORDS):
        check_order({"X": X.set_axis(one), "Y": Y.set_axis(one[::-1])})
