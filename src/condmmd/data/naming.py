"""Columns of one table by their names, in place of rows: the one place that reads ``data``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pandas_index

from condmmd.backend import kind_of
from condmmd.data.frames import as_frame, check_names, plain_name, unknown
from condmmd.data.groups import label_values

__all__ = ["by_value", "pick_columns", "spelled"]

# What stands for every column that has no other role, where it is None.
OPEN = ("X", "Y")
# What is one column.
SINGLE = ("group", "blocks", "column", "ratio")


def pick_columns(data: Any, **given: Any) -> tuple[Any, ...]:
    """The rows of each argument (``X``, ``Y``, ``group``, ``blocks``), in the order given.

    With ``data``, a string or a list of strings names its columns, and ``X=None`` (or ``Y=None``) is every column that
    has no other role; anything else is rows, and goes with those of ``data`` by position. Without, all are rows.
    """
    if data is None:
        for argument, value in given.items():
            _check_rows(argument, value)
        return tuple(given.values())
    columns = _columns(data)
    names = {argument: _names(value) for argument, value in given.items()}
    for argument, own in names.items():
        if own is not None:
            _check_known(argument, own, columns)
    _check_roles(names)
    others = _others(given, names, columns)
    names |= others
    return tuple(
        value if (own := names[argument]) is None else _select(data, [columns.index(name) for name in own])
        for argument, value in given.items()
    )


def spelled(data: Any, given: Mapping[str, Any]) -> list[str]:
    """Arguments as code: names as they were given, and rows, which only the user has, by the argument's own name."""
    if data is None:
        return list(given)
    code = []
    for argument, value in given.items():
        names = _names(value)
        plain = None if value is None else str(value) if isinstance(value, str) else names
        code.append(repr(plain) if value is None or names is not None else argument)
    return [*code, "data=data"]


def by_value(data: Any, X: Any, Y: Any, group: Any) -> dict[str, tuple[Any, Any]]:
    """The covariates and outcomes of the rows with each value of a column of ``data``, by the value."""
    if kind_of(data) == "chunked frame":
        raise TypeError("`data` must be in memory here, and it is in chunks (dask); convert it first.")
    X, Y, group = pick_columns(data, X=X, Y=Y, group=group)
    if group is None:
        raise TypeError("`group` must name the column of `data` that tells the samples apart; got None.")
    values = np.array([str(value) for value in label_values(group)])
    frames = []
    for argument, rows in (("X", X), ("Y", Y)):
        frame = as_frame(rows)
        if not isinstance(frame, nw.DataFrame):
            raise TypeError(f"`{argument}` must name columns of `data`; got {type(rows).__name__}.")
        frames.append(frame)
    found = {}
    for value in np.unique(values):
        own = (values == value).tolist()
        found[str(value)] = (frames[0].filter(own).to_native(), frames[1].filter(own).to_native())
    return found


def _check_rows(argument: str, value: Any) -> None:
    if isinstance(value, str):
        raise TypeError(f"`{argument}` is {value!r}: to name a column, pass the table too, as data=frame.")
    if value is None and argument in OPEN:
        raise TypeError(f"`{argument}` is None, which stands for every other column of a table: pass data=frame.")


def _columns(data: Any) -> list[str]:
    """The names of the columns of a table."""
    check_names(data, "data")
    if kind_of(data) == "chunked frame" and getattr(data, "ndim", 0) == 2 and hasattr(data, "columns"):
        return [plain_name(name) for name in data.columns]
    frame = as_frame(data)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("`data` is a lazy frame; call .collect() on it first.")
    if not isinstance(frame, nw.DataFrame):
        kind = type(data).__name__
        raise TypeError(f"`data` must be a data frame (pandas, polars, pyarrow, dask or the like); got {kind}.")
    names = [plain_name(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"`data` has columns of the same name: {sorted(names)}.")
    return names


def _names(value: Any) -> list[str] | None:
    """The names that an argument is made of; None if it is anything else."""
    if isinstance(value, str):
        return [str(value)]
    if is_pandas_index(value):
        value = list(value)
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return [str(name) for name in value]
    return None


def _check_known(argument: str, names: Sequence[str], columns: Sequence[str]) -> None:
    if not names:
        raise ValueError(f"`{argument}` names no column; name at least one.")
    if missing := unknown(names, columns):
        raise ValueError(f"`{argument}`: `data` has no column {missing}")
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"`{argument}` names {', '.join(map(repr, twice))} more than once.")
    if argument in SINGLE and len(names) > 1:
        raise ValueError(f"`{argument}` must be one column; got {list(names)}.")


def _check_roles(names: Mapping[str, Sequence[str] | None]) -> None:
    """A column has one role, except that what makes blocks, such as a day, may be a covariate too."""
    found: dict[str, str] = {}
    for argument, own in names.items():
        for name in own or ():
            before = found.setdefault(name, argument)
            if before != argument and (before, argument) != ("X", "blocks"):
                raise ValueError(f"'{name}' is both `{before}` and `{argument}`; a column can have one role only.")


def _others(
    given: Mapping[str, Any], names: Mapping[str, list[str] | None], columns: Sequence[str]
) -> dict[str, list[str] | None]:
    """Every column without another role, for the argument that is None."""
    wanted = [argument for argument in OPEN if argument in given and given[argument] is None]
    if not wanted:
        return {}
    if len(wanted) > 1:
        raise ValueError("`X` and `Y` are both None; name the columns of one of them, and the other has the rest.")
    rows = [argument for argument, own in names.items() if own is None and given[argument] is not None]
    if rows:
        raise ValueError(
            f"`{wanted[0]}` is None, every other column of `data`, so `{rows[0]}` must be given by name: as rows it "
            "may be one of these columns."
        )
    taken = {name for own in names.values() for name in own or ()}
    others = [name for name in columns if name not in taken]
    if not others:
        raise ValueError(f"`{wanted[0]}` is None, and no other column of `data` is left: it has {list(columns)}.")
    return {wanted[0]: others}


def _select(data: Any, positions: list[int]) -> Any:
    """Some columns, in a frame of the same library."""
    if kind_of(data) == "chunked frame":
        return data[[data.columns[j] for j in positions]]
    return as_frame(data)[:, positions].to_native()
