"""Two samples become one pooled sample with a label, and the three arguments are checked together."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from condmmd.arrays import is_device, is_lazy, matching, n_rows, take, to_host
from condmmd.notices import ConstantColumnWarning
from condmmd.samples.groups import Groups, read_group
from condmmd.samples.lazy import in_blocks
from condmmd.samples.table import Array, Table, read_gram, read_table

__all__ = ["Samples", "pool", "pooled_rows", "read_samples", "select_rows"]


@dataclass(frozen=True, eq=False)
class Samples:
    """The pooled rows ``(x_i, w_i, t_i)``, checked. Gram matrices only where the user gave them."""

    x: Table
    y: Table
    groups: Groups
    gram_x: Array | None = None
    gram_y: Array | None = None


def read_samples(X: Any, Y: Any, group: Any, *, precomputed_x: bool = False, precomputed_y: bool = False) -> Samples:
    """Read and check covariates, outcomes and labels before any work starts."""
    _check_order({"X": X, "Y": Y, "group": group})
    gram_x, x = read_gram(X, "X") if precomputed_x else (None, read_table(X, "X"))
    gram_y, y = read_gram(Y, "Y") if precomputed_y else (None, read_table(Y, "Y"))
    groups = read_group(group)
    rows = {"X": n_rows(x.values), "Y": n_rows(y.values), "group": n_rows(groups.t)}
    if len(set(rows.values())) > 1:
        told = ", ".join(f"`{name}` has {count}" for name, count in rows.items())
        raise ValueError(f"X, Y and group must have the same number of rows: {told}.")
    for table in (x, y):
        if table.constant:
            named = ", ".join(f"'{name}'" for name in table.constant)
            consequence = (
                "it does not tell any two rows apart"
                if len(table.constant) < len(table.columns)
                else (
                    "with nothing to condition on, outcomes are compared unconditionally"
                    if table.argument == "X"
                    else "the outcomes do not differ, and what is measured is the effect of the ridge"
                )
            )
            warnings.warn(
                f"`{table.argument}` is constant in column(s) {named}: {consequence}.",
                ConstantColumnWarning,
                stacklevel=3,
            )
    return pooled_rows(x, y, groups, gram_x, gram_y)


def pooled_rows(
    x: Table, y: Table, groups: Groups, gram_x: Array | None = None, gram_y: Array | None = None
) -> Samples:
    """All three in the same blocks, or on the same device: where any of them is."""
    arrays = [x.values, y.values, groups.t]
    lazy, device = [a for a in arrays if is_lazy(a)], [a for a in arrays if is_device(a)]
    if not (lazy or device):
        return Samples(x, y, groups, gram_x, gram_y)
    if gram_x is not None or gram_y is not None:
        raise TypeError("a precomputed Gram matrix must be in memory, as must be what comes with it; convert to NumPy.")
    if lazy:
        own = [in_blocks(to_host(a) if is_device(a) else a, lazy[0]) for a in arrays]
    else:
        own = [a if is_device(a) else matching(a, device[0]) for a in arrays]
    return Samples(replace(x, values=own[0]), replace(y, values=own[1]), replace(groups, t=own[2]))


def _check_order(given: dict[str, Any]) -> None:
    """Rows go together by their position; indexes with the same labels in another order say that they do not."""
    indexes = {}
    for name, data in given.items():
        frame = nw.from_native(data, pass_through=True, allow_series=True)
        index = nw.maybe_get_index(frame) if isinstance(frame, nw.DataFrame | nw.Series) else None
        if index is not None:
            indexes[name] = index
    for first, second in pairwise(indexes):
        one, other = indexes[first], indexes[second]
        if len(one) != len(other) or one.equals(other) or not (one.is_unique and other.is_unique):
            continue
        if one.isin(other).all():
            raise ValueError(
                f"`{first}` and `{second}` have the same index in different orders, and rows go together by position. "
                f"Put them in one order: {second}.loc[{first}.index], or reset both indexes if the order is meant."
            )


def select_rows(samples: Samples, rows: npt.NDArray[np.bool_], argument: str = "trim") -> Samples:
    """Keep some rows, of both groups alike."""
    index = np.flatnonzero(rows)
    groups = replace(samples.groups, t=take(samples.groups.t, index))
    if min(groups.n, groups.m) < 2:
        raise ValueError(
            f"`{argument}` leaves {groups.n} rows of P and {groups.m} of Q; at least 2 of each are needed."
        )
    return Samples(
        replace(samples.x, values=take(samples.x.values, index)),
        replace(samples.y, values=take(samples.y.values, index)),
        groups,
        samples.gram_x,
        samples.gram_y,
    )


def pool(X_p: Any, Y_p: Any, X_q: Any, Y_q: Any) -> tuple[Any, Any, npt.NDArray[np.int64]]:
    """Stack two samples into the ``X, Y, group`` that `cmmd` takes.

    Parameters
    ----------
    X_p, Y_p
        Covariates and outcomes of the first sample, P.
    X_q, Y_q
        Those of the second, Q. Frames need the columns of the first, in any order.

    Returns
    -------
    X, Y
        The rows of P, then those of Q, in the type they came in.
    group
        1 for the rows of P, 0 for those of Q.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import pool
    >>> X, Y, group = pool([1.0, 2.0], [3.0, 4.0], [5.0, 6.0, 7.0], [8.0, 9.0, 10.0])
    >>> group
    array([1, 1, 0, 0, 0])
    """
    n, m = _count_rows(X_p, Y_p, "p"), _count_rows(X_q, Y_q, "q")
    group = np.repeat(np.array([1, 0]), [n, m])
    return _stack(X_p, X_q, "X"), _stack(Y_p, Y_q, "Y"), group


def _count_rows(X: Any, Y: Any, which: str) -> int:
    n_x, n_y = (len(read_table(data, f"{name}_{which}").values) for name, data in (("X", X), ("Y", Y)))
    if n_x != n_y:
        raise ValueError(f"`X_{which}` has {n_x} rows and `Y_{which}` has {n_y}; they must be the same.")
    return n_x


def _stack(first: Any, second: Any, name: str) -> Any:
    frames = [nw.from_native(data, pass_through=True, allow_series=True) for data in (first, second)]
    is_frame = [isinstance(frame, nw.DataFrame | nw.Series) for frame in frames]
    if not any(is_frame):
        return _stack_arrays(np.asarray(first), np.asarray(second), name)
    if type(frames[0]) is not type(frames[1]):
        raise TypeError(
            f"`{name}_p` and `{name}_q` must be of one kind; got {type(first).__name__} and {type(second).__name__}."
        )
    if isinstance(frames[0], nw.Series):
        label = frames[0].name or name.lower()
        first_column, second_column = (series.alias(label).to_frame() for series in frames)
        stacked = _stack_frames(first_column, second_column, name)
        return nw.to_native(stacked[label])
    named = [frame.rename({c: str(c) for c in frame.columns if not isinstance(c, str)}) for frame in frames]
    return nw.to_native(_stack_frames(named[0], named[1], name))


def _stack_arrays(first: npt.NDArray[Any], second: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    if first.shape[1:] != second.shape[1:]:
        raise ValueError(
            f"`{name}_p` and `{name}_q` must have the same columns; got shapes {first.shape} and {second.shape}."
        )
    return np.concatenate([first, second])


def _stack_frames(first: nw.DataFrame[Any], second: nw.DataFrame[Any], name: str) -> nw.DataFrame[Any]:
    if set(first.columns) != set(second.columns):
        raise ValueError(
            f"`{name}_p` and `{name}_q` must have the same columns; got {first.columns} and {second.columns}."
        )
    second = second.select(first.columns)
    casts = [
        nw.col(column).cast(dtype)
        for column in first.columns
        if (dtype := _common_dtype(first[column].dtype, second[column].dtype, column, name)) is not None
    ]
    return nw.concat([first.with_columns(*casts), second.with_columns(*casts)], how="vertical")


def _common_dtype(first: Any, second: Any, column: str, name: str) -> Any:
    """Return what both columns must be cast to; None where they already agree."""
    words = (nw.String, nw.Categorical, nw.Enum)
    if first in words and second in words:
        return nw.String()  # two frames may number the same categories differently
    if first == second:
        return None
    if first.is_numeric() and second.is_numeric():
        return nw.Float64()
    raise TypeError(f"column '{column}' is {first} in `{name}_p` and {second} in `{name}_q`; convert one of them.")
