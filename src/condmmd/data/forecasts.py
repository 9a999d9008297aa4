"""What a model says of each row's outcome, as users give it: classes, normal laws and mixtures, quantiles, draws.

Each is read into rows of numbers and checked; what is wrong is refused with the row that it is wrong in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from condmmd.backend import (
    Array,
    Rows,
    distinct_rows,
    each_chunk,
    interpolate,
    map_rows,
    n_rows,
    namespace,
    row_numbers,
    take,
    to_host,
)
from condmmd.data.checks import is_number
from condmmd.data.reading import read_table
from condmmd.data.table import Column, Table

__all__ = ["Mixture", "Normals", "Quantiles", "class_codes", "class_probabilities", "first_bad", "read_law"]

# Probabilities may miss one by the rounding of single precision.
SUM_TOLERANCE = 1e-5


@dataclass(frozen=True, eq=False)
class Normals:
    """A normal law for each row.

    Parameters
    ----------
    mean, sd
        One number a row, or one for each column of the outcome (independent of each other): arrays of one shape.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import Normals, model_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> bool(model_test(x, x + rng.normal(size=200), Normals(mean=x, sd=np.ones(200)), rng=1).pvalue > 0.05)
    True
    """

    mean: Any
    sd: Any


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of normal laws for each row, of one numeric outcome.

    Parameters
    ----------
    weights, mean, sd
        One number a row and component: three arrays of shape (rows, components). Weights sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import Mixture
    >>> Mixture(np.full((5, 2), 0.5), np.tile([-1.0, 1.0], (5, 1)), np.ones((5, 2))).weights.shape
    (5, 2)
    """

    weights: Any
    mean: Any
    sd: Any


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Quantiles of one numeric outcome.

    Parameters
    ----------
    values
        A row for each row of the data and a column for each level, not falling.
    levels
        Strictly between 0 and 1, rising.

    Examples
    --------
    >>> from condmmd import Quantiles
    >>> Quantiles([[-1.0, 0.0, 1.0]], levels=[0.1, 0.5, 0.9]).levels
    [0.1, 0.5, 0.9]
    """

    values: Any
    levels: Sequence[float]


def first_bad(is_bad: Callable[..., Any], *rows: Rows) -> int | None:
    """The number of the first row that is bad; ``is_bad`` of chunks gives true or false for each."""
    found = each_chunk(partial(_first_of_chunk, is_bad=is_bad), row_numbers(rows[0]), *rows)
    bad = [number for number in found if number >= 0]
    return min(bad) if bad else None


def _first_of_chunk(numbers: Rows, *rows: Rows, is_bad: Callable[..., Any]) -> int:
    bad = np.flatnonzero(to_host(is_bad(*rows)))
    return int(numbers[0]) + int(bad[0]) if len(bad) else -1


def read_law(values: Any, argument: str, like: Table | None = None) -> Table:
    """Numbers of a model, one row for each row of the outcomes; NaN is refused with its row."""
    try:
        table = read_table(values, argument)
    except ValueError as error:
        row = _nan_row(values)
        if row is None:
            raise
        raise ValueError(f"`{argument}` has a NaN or infinite value in row {row}; it must hold numbers.") from error
    if table.categorical:
        raise TypeError(f"`{argument}` must hold numbers; got categories.")
    if like is not None and n_rows(table.values) != n_rows(like.values):
        raise ValueError(
            f"`{argument}` has {n_rows(table.values)} rows and `{like.argument}` has {n_rows(like.values)}; "
            "they must be the same."
        )
    return table


def _nan_row(values: Any) -> int | None:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if numbers.ndim == 0:
        return None
    bad = np.flatnonzero(~np.isfinite(numbers.reshape(len(numbers), -1)).all(axis=1))
    return int(bad[0]) if len(bad) else None


def class_probabilities(values: Any, argument: str, like: Table | None = None) -> Table:
    """Probabilities of classes, a column each; one column is that of the second of two classes."""
    table = read_law(values, argument, like)
    low = first_bad(_outside, table.values)
    if low is not None:
        seen = to_host(take(table.values, [low]))[0]
        raise ValueError(f"`{argument}` must be probabilities, between 0 and 1; row {low} is {_shown(seen)}.")
    if len(table.columns) == 1:
        return table
    row = first_bad(_not_one, table.values)
    if row is not None:
        seen = to_host(take(table.values, [row]))[0]
        raise ValueError(
            f"`{argument}`: the probabilities of each row must sum to one; row {row} sums to {seen.sum():.6g} "
            f"({_shown(seen)}). Divide each row by its sum if these are weights."
        )
    return table


def _outside(P: Rows) -> Any:
    xp = namespace(P)
    return xp.any(xp.logical_or(P < 0, P > 1 + SUM_TOLERANCE), axis=1)


def _not_one(P: Rows) -> Any:
    xp = namespace(P)
    return xp.abs(xp.sum(P, axis=1) - 1.0) > SUM_TOLERANCE


def _shown(row: Array) -> str:
    return ", ".join(f"{value:.4g}" for value in row[:6]) + (", ..." if len(row) > 6 else "")


def class_codes(y: Table, probabilities: Table, classes: Any) -> tuple[Table, tuple[str, ...]]:
    """Outcomes as positions of the columns of the probabilities, and the classes' names."""
    if len(y.columns) != 1:
        raise ValueError(f"`{y.argument}` must be one column of classes; it has {len(y.columns)}.")
    count = max(2, len(probabilities.columns))
    seen = _seen_classes(y)
    names = _class_names(seen, probabilities, classes, count, y.argument)
    unknown = [value for value in seen if value not in names]
    if unknown:
        raise ValueError(
            f"`{y.argument}` has the class {unknown[0]!r}, which has no probability: they are for {list(names)}. Name "
            "the classes in the order of the columns, as classes=model.classes_."
        )
    at = np.array([names.index(value) for value in seen], dtype=np.float64)
    column = y.columns[0]
    if column.categories is not None:  # codes of all categories, seen or not
        at = np.array([names.index(value) if value in names else -1 for value in column.categories], dtype=np.float64)
        knots = np.arange(len(at), dtype=np.float64)
    else:
        knots = np.array([float(value) for value in seen])
    values = map_rows(partial(_by_knots, look=partial(interpolate, knots=knots, heights=at)), y.values, columns=1)
    return Table(values, (Column(column.name, names),), y.argument, y.from_frame), names


def _by_knots(values: Rows, look: Callable[[Rows], Rows]) -> Rows:
    found: Rows = look(values[:, 0])[:, None]
    return found


def _seen_classes(y: Table) -> list[str]:
    codes = distinct_rows(y.values)[:, 0]
    categories = y.columns[0].categories
    if categories is not None:
        return [categories[int(code)] for code in codes]
    if len(codes) > 1000:
        raise ValueError(f"`{y.argument}` has {len(codes)} different values: that is no column of classes.")
    return [_plain(code) for code in codes]


def _plain(value: Any) -> str:
    """A class in words: 1.0 is "1"."""
    if is_number(value) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _class_names(seen: Sequence[str], probabilities: Table, classes: Any, count: int, argument: str) -> tuple[str, ...]:
    """Classes in the order of the columns: as they were named, else as sorted labels have them."""
    if classes is not None:
        names = tuple(_plain(value) for value in np.asarray(classes).tolist())
        if len(names) != count or len(set(names)) != count:
            raise ValueError(f"`classes` must name {count} different classes, one a column; got {list(names)}.")
        return names
    if probabilities.from_frame and set(seen) <= set(probabilities.names):
        return probabilities.names
    if len(seen) == count:
        return tuple(seen)
    numbers = tuple(str(k) for k in range(count))
    if set(seen) <= set(numbers):
        return numbers
    if count == 2 and set(seen) <= {"False", "True"}:
        return ("False", "True")
    raise ValueError(
        f"`{argument}` has {len(seen)} different classes and there are probabilities of {count}; name them in the "
        "order of the columns, as classes=model.classes_."
    )
