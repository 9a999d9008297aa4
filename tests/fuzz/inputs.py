"""Tables and labels as people have them, and as nobody should."""

from decimal import Decimal

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa


class Draws(np.random.Generator):
    """Random numbers of one call; every other call is to be a proper one."""

    def __init__(self, *seed):
        super().__init__(np.random.PCG64(seed))
        self.improper = self.random() < 0.5


def pick(rng, usual, seldom=(), chance=0.1):
    """One of the usual things; now and then, if the call is not to be proper, one of the others."""
    choices = seldom if len(seldom) and rng.random() < chance and rng.improper else usual
    return choices[int(rng.integers(len(choices)))]


def with_ties(rng, values):
    return np.round(2 * values) / 2


def with_a_constant(rng, values):
    return np.column_stack([values, np.full(len(values), 3.0)])


def with_copies(rng, values):
    return values[rng.integers(len(values), size=len(values))]


def with_outliers(rng, values):
    return values / rng.random(size=values.shape) ** 2


def with_few_values(rng, values):
    return np.where(values > 0, 1.0, 0.0)


def with_a_column_twice(rng, values):
    return np.column_stack([values, values[:, 0]])


def with_one_value(number):
    def changed(rng, values):
        values = values.copy()
        values[int(rng.integers(len(values))), 0] = number
        return values

    return changed


SHAPES = (lambda rng, values: values, with_ties, with_a_constant, with_copies, with_outliers, with_few_values,
          with_a_column_twice)  # fmt: skip
BAD_SHAPES = (
    with_one_value(np.nan), with_one_value(np.inf), with_one_value(1e308), with_one_value(2.0**60),
    lambda rng, values: values[:0], lambda rng, values: values[:, :0], lambda rng, values: values[:1],
    lambda rng, values: values[:-1], lambda rng, values: values[:, :, None], lambda rng, values: 0 * values,
)  # fmt: skip
SCALES = (0, 0, 0, 0, 3, -3, 6, -6)
BAD_SCALES = (12, -12, 100, -100, 160, -165, 300, -300)
DTYPES = (np.float64, np.float64, np.float32, np.int64, np.int8, bool, np.float16, np.uint8, np.int32)


def matrix(rng, rows, columns, signal=None):
    """Numbers, with a trace of a signal, in some shape, scale and dtype."""
    values = rng.normal(size=(rows, columns))
    if signal is not None:
        values += 0.5 * np.asarray(signal).reshape(rows, -1)[:, :1]
    scale = pick(rng, SCALES, BAD_SCALES, 0.08)
    with np.errstate(all="ignore"):
        values = pick(rng, SHAPES, BAD_SHAPES, 0.08)(rng, values * 10.0**scale)
        dtype = pick(rng, DTYPES)
        return values.astype(dtype) if dtype is np.float64 or np.isfinite(values).all() else values


def names(values):
    return [f"c{k}" for k in range(values.shape[1])]


def as_pandas(rng, values):
    frame = pd.DataFrame(values, columns=names(values))
    if rng.random() < 0.3:
        frame.index = rng.permutation(len(frame))
    if rng.random() < 0.3 and frame.shape[1]:
        frame["c0"] = np.array(["u", "v", "wörd"])[rng.integers(3, size=len(frame))]
    if rng.random() < 0.1 and frame.shape[1]:
        frame["c0"] = pd.Categorical(frame["c0"])
    return frame


def as_objects(rng, values):
    found = values.astype(object)
    if rng.random() < 0.3 and found.size:
        found[0, 0] = pick(rng, ("text", None, Decimal("1.5"), 1j, [1]))
    return found


def as_masked(rng, values):
    return np.ma.masked_array(values, mask=rng.random(values.shape) < pick(rng, (0.0, 0.05)))


def as_dask(rng, values):
    return da.from_array(values, chunks=(max(1, len(values) // 2), *values.shape[1:]))


def as_dask_frame(rng, values):
    return dd.from_pandas(pd.DataFrame(values, columns=names(values)), npartitions=2)


def read_only(rng, values):
    values = np.asfortranarray(values)
    values.setflags(write=False)
    return values


CONTAINERS = (
    lambda rng, values: values,
    lambda rng, values: np.repeat(values, 2, axis=0)[::2],
    read_only,
    lambda rng, values: values.tolist(),
    lambda rng, values: tuple(map(tuple, values.tolist())),
    as_pandas,
    as_pandas,
    lambda rng, values: pl.DataFrame(values, schema=names(values)),
    lambda rng, values: values[:, 0],
    lambda rng, values: pd.Series(values[:, 0], name="one"),
    lambda rng, values: pl.Series("one", values[:, 0]),
    as_dask,
    as_masked,
)
BAD_CONTAINERS = (
    as_objects, as_dask_frame,
    lambda rng, values: None,
    lambda rng, values: "text",
    lambda rng, values: values.astype(complex),
    lambda rng, values: values.astype(str),
    lambda rng, values: np.zeros(values.shape, "timedelta64[s]"),
    lambda rng, values: {"a": values},
    lambda rng, values: iter(values.tolist()),
    lambda rng, values: pl.DataFrame(values, schema=names(values)).lazy(),
    lambda rng, values: pa.table({name: values[:, k] for k, name in enumerate(names(values))}),
    lambda rng, values: pd.DataFrame(values, columns=["same"] * values.shape[1]),
    lambda rng, values: pd.DataFrame(values, columns=pd.MultiIndex.from_product([["a"], range(values.shape[1])])),
    lambda rng, values: pd.DataFrame(values, columns=names(values)).astype("Float64").mask(values > 2),
    lambda rng, values: [1.0, [2.0]],
    lambda rng, values: 7,
)  # fmt: skip


def contained(rng, values, chance=0.1):
    """The same numbers in some container; as they are if it does not take them."""
    try:
        return pick(rng, CONTAINERS, BAD_CONTAINERS, chance)(rng, values)
    except Exception:  # noqa: BLE001 - the container's own refusal is not ours
        return values


GROUPS = (
    lambda rng, t: t, lambda rng, t: t.astype(bool), lambda rng, t: t.astype(float), lambda rng, t: t.tolist(),
    lambda rng, t: np.where(t == 1, "new", "old"), lambda rng, t: pd.Series(np.where(t == 1, "b", "a")),
    lambda rng, t: pd.Categorical(np.where(t == 1, "b", "a"), categories=["a", "b", "c"]),
    lambda rng, t: pl.Series("g", t), lambda rng, t: t + 4, lambda rng, t: da.from_array(t, chunks=7),
    lambda rng, t: t[:, None],
)  # fmt: skip
BAD_GROUPS = (
    lambda rng, t: t * 0, lambda rng, t: np.arange(len(t)) % 3, lambda rng, t: t[:-1], lambda rng, t: None,
    lambda rng, t: np.where(np.arange(len(t)) == 3, np.nan, t), lambda rng, t: np.column_stack([t, t]),
    lambda rng, t: [None, *t[1:].tolist()], lambda rng, t: np.ma.masked_array(t, mask=np.arange(len(t)) < 3),
    lambda rng, t: ["a", *t[1:].tolist()], lambda rng, t: np.eye(1, len(t))[0], lambda rng, t: "group",
    lambda rng, t: np.where(t == 1, np.inf, 0), lambda rng, t: t.astype("datetime64[s]"), lambda rng, t: [],
)  # fmt: skip


def samples(rng):
    """X, Y and labels of a few dozen rows, and their number."""
    rows = int(rng.integers(20, 61))
    t = rng.permutation(np.arange(rows) % 2)
    X = matrix(rng, rows, int(rng.integers(1, 5)), t)
    Y = matrix(rng, rows, int(rng.integers(1, 3)), X[:, 0] if X.ndim == 2 and len(X) == rows and X.size else None)
    group = pick(rng, GROUPS, BAD_GROUPS, 0.08)(rng, t)
    return contained(rng, X), contained(rng, Y), group, rows
