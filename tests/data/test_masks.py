"""Masks are refused alike by every argument of every door, in memory and in chunks."""

import numpy as np
import pytest

from condmmd import CMMD, DoublyRobust, PerGroup, cmmd, cmmd_test, mmd_test, pool, screen
from condmmd.data.masks import unmasked

RNG = np.random.default_rng(0)
X, GROUP = RNG.normal(size=(40, 2)), np.arange(40) % 2
Y = RNG.normal(size=40)
HALF = np.full(40, 0.5)
QUICK = {"n_resamples": 19, "rng": 1}


def masked(values, hide=True):
    mask = np.zeros(np.shape(values), dtype=bool)
    mask[3] = hide
    return np.ma.MaskedArray(values, mask)


def in_chunks(values, hide=None):
    da = pytest.importorskip("dask.array")
    chunked = da.from_array(np.asarray(values), chunks=(10, *np.shape(values)[1:]))
    if hide is None:
        return chunked
    return da.ma.masked_array(chunked, mask=in_chunks(masked(values, hide).mask))


CALLS = {
    "X": lambda m: cmmd_test(m(X), Y, GROUP, **QUICK),
    "Y": lambda m: cmmd_test(X, m(Y), GROUP, **QUICK),
    "group": lambda m: cmmd_test(X, Y, m(GROUP), **QUICK),
    "propensity": lambda m: cmmd_test(X, Y, GROUP, propensity=m(HALF), **QUICK),
    "propensity of a function": lambda m: cmmd_test(X, Y, GROUP, propensity=lambda _: m(HALF), **QUICK),
    "propensity of a measurement": lambda m: cmmd(
        X, Y, GROUP, statistic=CMMD(estimator="orthogonal"), propensity=m(HALF)
    ),
    "blocks": lambda m: cmmd_test(X, Y, GROUP, blocks=m(np.arange(40)), **QUICK),
    "blocks of a test of X": lambda m: mmd_test(X, GROUP, blocks=m(np.arange(40)), **QUICK),
    "model": lambda m: cmmd(
        X, Y, GROUP, statistic=CMMD(kernel_y="linear", estimator=DoublyRobust(model=PerGroup(m(Y), Y))), propensity=None
    ),
    "X of mmd_test": lambda m: mmd_test(m(X), GROUP, **QUICK),
    "group of mmd_test": lambda m: mmd_test(X, m(GROUP), **QUICK),
    "Y of screen": lambda m: screen(X, m(Y), GROUP),
    "X_p": lambda m: pool(m(X), Y, X, Y),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_what_a_mask_hides_is_refused(name):
    with pytest.raises(ValueError, match=rf"`{name.split()[0]}` has \d+ masked values"):
        CALLS[name](masked)


@pytest.mark.parametrize("name", ["X", "Y", "group", "propensity"])
def test_and_so_it_is_in_chunks(name):
    given = {"X": X, "Y": Y, "group": GROUP, "propensity": HALF}
    chunked = {key: in_chunks(value, hide=True if key == name else None) for key, value in given.items()}
    with pytest.raises(ValueError, match=rf"`{name}` has \d+ masked values"):
        cmmd_test(**chunked, **QUICK)


def test_a_mask_that_hides_nothing_does_nothing():
    plain = cmmd_test(X, Y, GROUP, propensity=HALF, **QUICK)
    one = cmmd_test(masked(X, False), masked(Y, False), masked(GROUP, False), propensity=masked(HALF, False), **QUICK)
    assert one.pvalue == plain.pvalue
    other = cmmd_test(
        *(in_chunks(part, hide=False) for part in (X, Y, GROUP)), propensity=in_chunks(HALF, False), **QUICK
    )
    assert other.pvalue == plain.pvalue
    assert unmasked("anything", "X") == "anything"
