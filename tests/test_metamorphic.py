"""The same question asked in another way has the same answer: other dtypes, containers, orders, names and units.

Numbers of a column of the statistic are compared, which do not depend on the labels that are drawn; and p-values, where
the drawn labels are the same.
"""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condmmd import CMMD, Energy, cmmd, cmmd_test, mmd_test, screen

pytestmark = pytest.mark.filterwarnings("ignore::condmmd.CondmmdWarning")
PLAIN = {"propensity": None, "residualize": False}
SETTINGS = {
    "family": PLAIN,
    "levels": PLAIN | {"statistic": CMMD(level=(0, 1, 2))},
    "energy": PLAIN | {"statistic": Energy()},
}
EXAMPLES = settings(max_examples=12)
SEEDS = st.integers(0, 2**32 - 1)
NAMES = st.sampled_from(sorted(SETTINGS))
NAMES_AND_DEFAULT = st.sampled_from([*sorted(SETTINGS), "default"])


def samples(seed):
    """Small integers, which every dtype holds."""
    rng = np.random.default_rng(seed)
    t = rng.permutation(np.arange(60) % 2)
    X = np.round(4 * rng.normal(size=(60, 3))) + t[:, None]
    return X, np.round(4 * np.sin(X[:, :1]) + 3 * rng.normal(size=(60, 2))), t


def asked(name, X, Y, t, **changes):
    return cmmd_test(X, Y, t, n_resamples=39, rng=1, **SETTINGS.get(name, {}) | changes)


def columns(result):
    return np.array([column.statistic for column in result.by_level])


def assert_same(found, expected, rtol=1e-9):
    scale = np.abs(columns(expected)).max()
    np.testing.assert_allclose(columns(found), columns(expected), rtol=rtol, atol=rtol * scale)
    assert found.pvalue == pytest.approx(expected.pvalue, abs=1e-12)


DTYPES = ("int8", "int64", "float16", "float32", "float64", ">f8", object)


def as_dtype(values, dtype):
    return pd.DataFrame(values).astype("Int64") if dtype is object else values.astype(dtype)


@pytest.mark.parametrize("name", [*SETTINGS, "default"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(name, dtype):
    X, Y, t = samples(1)
    labels = t.astype(bool if dtype == "int8" else float)
    found = asked(name, as_dtype(X, dtype), as_dtype(Y, dtype), labels)
    np.testing.assert_array_equal(found.null_distribution, asked(name, X, Y, t).null_distribution)


CONTAINERS = {
    "list": lambda a: a.tolist(),
    "Fortran": np.asfortranarray,
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "pandas": lambda a: pd.DataFrame(a) if a.ndim == 2 else pd.Series(a),
    "polars": lambda a: pl.DataFrame(a) if a.ndim == 2 else pl.Series(a),
    "masked, but nowhere": np.ma.masked_array,
}


@pytest.mark.parametrize("name", [*SETTINGS, "default"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(name, container):
    given = samples(2)
    found = asked(name, *(CONTAINERS[container](part) for part in given))
    np.testing.assert_array_equal(found.null_distribution, asked(name, *given).null_distribution)


@pytest.mark.parametrize("name", [*SETTINGS, "default"])
def test_chunks(name):
    X, Y, t = samples(3)
    given = X + np.random.default_rng(3).random(X.shape), Y, t  # no ties, so that there are no strata
    with dask.config.set(scheduler="synchronous"):
        found = asked(name, *(da.from_array(part, chunks=(17, *part.shape[1:])) for part in given))
    assert_same(found, asked(name, *given), 1e-4)  # pivots are taken in another order


@EXAMPLES
@given(SEEDS, NAMES)
def test_order_of_the_columns(seed, name):
    X, Y, t = samples(seed)
    assert_same(asked(name, X[:, ::-1], Y[:, ::-1], t), asked(name, X, Y, t))


@EXAMPLES
@given(SEEDS, NAMES_AND_DEFAULT)
def test_order_of_the_rows(seed, name):
    """Other labels are drawn for the rows, so p-values differ; the statistic does not."""
    X, Y, t = samples(seed)
    order = np.random.default_rng(seed).permutation(len(t))
    found, expected = (columns(asked(name, X[i], Y[i], t[i])) for i in (order, np.arange(len(t))))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


def real_table(seed, n):
    """Edges, an interaction, a column of few values, labels that depend on X: what the default's models are for."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 1 + seed % 2)
    X[:, 1] = rng.integers(0, 3, n)
    t = (rng.random(n) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    return X, X[:, 0] * (X[:, 2] > 0) + (1 + 0.3 * X[:, 1]) * rng.normal(size=n), t


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [240, 700])
def test_the_default_where_rows_stand_and_what_groups_are_called(seed, n):
    X, y, t = real_table(seed, n)
    order = np.random.default_rng(seed).permutation(n)
    expected = columns(asked("default", X, y, t))
    for other in ((X, y, 1 - t), (X[order], y[order], t[order])):
        np.testing.assert_allclose(columns(asked("default", *other)), expected, rtol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_the_default_by_columns_and_units(seed):
    """A split of a tree may fall on the other side of a tie, so it is not exact."""
    X, y, t = real_table(seed, 240)
    expected = columns(asked("default", X, y, t))
    for other in ((X[:, [2, 0, 3, 1]], y, t), (X * [1, 10, 0.01, 3], 7 * y + 2, t)):
        found = columns(asked("default", *other))
        np.testing.assert_allclose(found, expected, rtol=0.05, atol=0.02 * expected.mean())


@EXAMPLES
@given(SEEDS, NAMES)
def test_names_of_the_groups(seed, name):
    X, Y, t = samples(seed)
    assert_same(asked(name, X, Y, 1 - t), asked(name, X, Y, t))
    assert_same(asked(name, X, Y, np.where(t == 1, "after", "before")), asked(name, X, Y, 1 - t))


@EXAMPLES
@given(SEEDS, st.sampled_from(["family", "levels"]), st.sampled_from([1e-6, 1e-3, 1000.0, 1e6]))
def test_units(seed, name, scale):
    """Of each column of X, and of all of Y; the energy distance has the units of the outcomes, and is left out."""
    X, Y, t = samples(seed)
    assert_same(asked(name, X * [scale, 1, 2] + 5 * scale, Y / scale, t), asked(name, X, Y, t), 1e-6)


@EXAMPLES
@given(SEEDS, st.sampled_from(["levels", "energy"]), st.sampled_from([0.0, 3.0, -1e6]))
def test_a_constant_column_more(seed, name, value):
    X, Y, t = samples(seed)
    assert_same(asked(name, np.column_stack([X, np.full(len(t), value)]), Y, t), asked(name, X, Y, t))


@EXAMPLES
@given(SEEDS, NAMES)
def test_rows_twice_as_blocks(seed, name):
    """They are no new information: with each row and its copy as a block nothing changes."""
    X, Y, t = samples(seed)
    twice = np.repeat(np.arange(len(t)), 2)
    found, expected = asked(name, X[twice], Y[twice], t[twice], blocks=twice), asked(name, X, Y, t)
    np.testing.assert_allclose(
        columns(found), columns(expected), rtol=1e-3, atol=1e-4 * np.abs(columns(expected)).max()
    )
    assert found.pvalue == pytest.approx(expected.pvalue, abs=0.03)


@EXAMPLES
@given(SEEDS)
def test_measurements_and_single_samples(seed):
    """`cmmd`, `mmd_test` and `screen` by rows, groups, dtypes and units."""
    X, Y, t = samples(seed)
    order = np.random.default_rng(seed).permutation(len(t))
    statistic = CMMD(reg=0.1)
    same = [
        (X, Y, t), (X[order], Y[order], t[order]), (X, Y, 1 - t), (X.astype("int8"), Y.astype("float32"), t == 1),
        (X * 1000, Y / 1000, t), (X[:, ::-1], Y[:, ::-1], t),
    ]  # fmt: skip
    levels = [cmmd(*one, statistic=statistic).level([0, 1, 2]) for one in same]
    np.testing.assert_allclose(levels, [levels[0]] * len(same), rtol=1e-6)
    moved = [mmd_test(X, t, n_resamples=19, rng=0).statistic for X, _, t in same]
    np.testing.assert_allclose(moved, [moved[0]] * len(same), rtol=1e-6)
    found = [screen(*one, propensity=None).pvalues for one in same[:-1]]
    found.append(screen(*same[-1], propensity=None).pvalues[::-1])
    np.testing.assert_allclose(found, [found[0]] * len(found), atol=0.03)  # lambda is chosen of a grid
