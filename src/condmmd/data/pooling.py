"""Two separate samples become one table with a label."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from condmmd.backend import n_rows
from condmmd.data.frames import as_frame
from condmmd.data.reading import read_table

__all__ = ["pool"]


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
    n_x, n_y = (n_rows(read_table(data, f"{name}_{which}").values) for name, data in (("X", X), ("Y", Y)))
    if n_x != n_y:
        raise ValueError(f"`X_{which}` has {n_x} rows and `Y_{which}` has {n_y}; they must be the same.")
    return n_x


def _stack(first: Any, second: Any, name: str) -> Any:
    frames = [as_frame(data) for data in (first, second)]
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
