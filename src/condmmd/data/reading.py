"""Any array or data frame becomes a `Table`, or an error that says what is wrong with it."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, as_float, column_span, each_chunk, kind_of, namespace, to_host
from condmmd.data.frames import as_frame, check_names, plain_name
from condmmd.data.masks import unmasked
from condmmd.data.partitions import chunked_array, inspect_partitions, stack_parts
from condmmd.data.table import Column, Table

__all__ = ["encode", "read_gram", "read_table"]

# Numbers whose squares, and sums of them, are well within double precision.
SMALLEST, LARGEST = 1e-150, 1e150
# Names that an error lists.
MOST = 10
# Milliseconds.
DAY = 86_400_000.0


def encode(head: Table, data: Any, argument: str) -> Rows:
    """Rows of new ``data`` in the coding of a table; a category not seen before gets the code -1."""
    return read_table(data, argument, like=head).values


def read_table(data: Any, argument: str, like: Table | None = None) -> Table:
    """Read an array or data frame, or say what is wrong with it.

    Parameters
    ----------
    data
        A 1-D or 2-D array of numbers or booleans, or a data frame or series that narwhals can read.
    argument
        The name of the argument it came in, for the messages.
    like
        A table that has the columns and categories to use.
    """
    if isinstance(data, Table) and like is None:
        return data
    check_names(data, argument)
    if kind_of(data) == "chunked frame" and like is None:
        return _check_scale(_from_chunked_frame(data, argument))
    table = _read_any(data, argument, like)
    if table.values.shape[1] == 0:
        raise ValueError(f"`{argument}` has no columns; pass at least one.")
    if table.values.shape[0] == 0:
        raise ValueError(f"`{argument}` has no rows; pass some of both groups.")
    if like is not None and len(table.columns) != len(like.columns):
        raise ValueError(f"`{argument}` has {len(table.columns)} column(s); `{like.argument}` had {len(like.columns)}.")
    _check_finite(table)
    return _check_scale(table) if like is None else table


def _read_any(data: Any, argument: str, like: Table | None) -> Table:
    native = as_frame(data)
    if isinstance(native, nw.LazyFrame):
        raise TypeError(f"`{argument}` is a lazy frame; call .collect() on it first.")
    if isinstance(native, nw.Series):
        alone = like.names[0] if like is not None and len(like.columns) == 1 else f"{argument.lower()}0"
        native = native.alias(native.name or alone).to_frame()  # a series without a name can be one column only
    if isinstance(native, nw.DataFrame):
        return _from_frame(native, argument, like)
    if like is not None and like.from_frame and like.categorical:
        raise TypeError(f"`{argument}` must be a data frame with the columns of `{like.argument}`, {list(like.names)}.")
    kind = kind_of(data)
    if kind == "chunked array":
        values = chunked_array(data, argument)
        if data.dtype.kind in "iu":
            _check_integers(np.asarray(column_span(data if data.ndim == 2 else data[:, None])), argument)
        return _with_columns(Table(values, (), argument), is_boolean=data.dtype.kind == "b")
    return _from_device(data, argument) if kind == "device" else _from_array(data, argument)


def read_gram(data: Any, argument: str) -> tuple[Array, Table]:
    """Read a precomputed Gram matrix; its table holds the row numbers."""
    K = _float_matrix(data, argument)
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"`{argument}` must be a square Gram matrix with a precomputed kernel; got shape {K.shape}.")
    _check_finite(Table(K, tuple(Column(f"column {j}") for j in range(K.shape[1])), argument))
    scale = float(np.abs(K).max())
    asymmetry = float(np.abs(K - K.T).max())
    if asymmetry > 1e-8 * scale:
        raise ValueError(
            f"`{argument}` must be a symmetric Gram matrix; entries and their mirror images differ by up to "
            f"{asymmetry:.3g}. Use (K + K.T) / 2 if that is rounding."
        )
    rows = np.arange(K.shape[0], dtype=np.float64)[:, None]
    return (K + K.T) / 2, Table(rows, (Column("row"),), argument)


def _float_matrix(data: Any, argument: str) -> Array:
    """Return a 2-D float array, or raise an error that names the argument and the remedy."""
    if hasattr(data, "toarray"):
        raise TypeError(f"`{argument}` is a sparse {type(data).__name__}; pass {argument}.toarray().")
    data = unmasked(data, argument)
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ValueError(f"`{argument}` is not a rectangular array, all rows must be as long: {error}") from None
    if array.ndim not in (1, 2):
        raise ValueError(f"`{argument}` must be a 1-D or 2-D array (rows are observations); got {array.ndim}-D.")
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"`{argument}` must hold numbers or booleans; got an array of dtype {array.dtype}. "
            "Put categories and strings into a data frame (pandas, polars), or convert with .astype(float); if they "
            "name columns, pass their table as data=frame."
        )
    _check_integers(array, argument)
    matrix = array.astype(np.float64, copy=False)
    return matrix[:, None] if matrix.ndim == 1 else matrix


def _check_integers(array: npt.NDArray[Any], argument: str) -> None:
    if array.dtype.kind in "iu" and array.size and max(abs(int(array.min())), abs(int(array.max()))) > 2**53:
        raise ValueError(
            f"`{argument}` has integers beyond 2**53, which floating point cannot tell apart. Subtract an "
            "offset, or pass identifiers as strings."
        )


def _from_array(data: Any, argument: str) -> Table:
    values = _float_matrix(data, argument)
    return _with_columns(Table(values, (), argument), is_boolean=np.asarray(data).dtype.kind == "b")


def _from_device(data: Any, argument: str) -> Table:
    """An array of another library stays on its device, in double precision."""
    xp = namespace(data)
    if data.ndim not in (1, 2):
        raise ValueError(f"`{argument}` must be a 1-D or 2-D array (rows are observations); got {data.ndim}-D.")
    if not xp.isdtype(data.dtype, ("bool", "integral", "real floating")):
        raise TypeError(f"`{argument}` must hold numbers or booleans; got an array of dtype {data.dtype}.")
    if xp.isdtype(data.dtype, "integral"):
        low, high = column_span(data)
        _check_integers(np.asarray([low, high]), argument)
    values = as_float(data[:, None] if data.ndim == 1 else data)
    return _with_columns(Table(values, (), argument), is_boolean=bool(xp.isdtype(data.dtype, "bool")))


def _with_columns(table: Table, *, is_boolean: bool) -> Table:
    categories = ("False", "True") if is_boolean else None
    names = [f"{table.argument.lower()}{j}" for j in range(table.values.shape[1])]
    return Table(table.values, tuple(Column(name, categories) for name in names), table.argument)


def _from_chunked_frame(frame: Any, argument: str) -> Table:
    """A data frame or series of dask: one pass for its rows and categories, then chunks in their coding."""
    if frame.ndim == 1:
        frame = frame.to_frame(name=frame.name or f"{argument.lower()}0")
    parts, found = inspect_partitions(frame, partial(read_partition, argument=argument))
    lengths = [0 if table is None else rows for rows, table in found]
    heads = [head for _, head in found if head is not None]
    if not heads:
        raise ValueError(f"`{argument}` has no rows; pass some of both groups.")
    columns = _join_partitions(heads, argument)
    head = Table(np.empty((0, len(columns))), columns, argument, from_frame=True)
    return Table(
        stack_parts(parts, lengths, partial(_encode_part, head=head), len(columns)), columns, argument, from_frame=True
    )


def read_partition(part: Any, argument: str) -> tuple[int, Table | None]:
    """Rows of a partition and the meaning of its columns; None for the latter where it has no rows."""
    return (len(part), read_table(part, argument).head()) if len(part) else (0, None)


def _encode_part(part: Any, head: Table) -> Rows:
    return encode(head, part, head.argument)


def _join_partitions(heads: list[Table], argument: str) -> tuple[Column, ...]:
    """The columns of all partitions, in the order of the first: what a frame says of itself need not be so."""
    names = heads[0].names
    for head in heads:
        if sorted(head.names) != sorted(names):
            raise ValueError(
                f"`{argument}`: its partitions have different columns, {list(names)} and {list(head.names)}. Give all "
                "of them the same."
            )
    own = [{column.name: column for column in head.columns} for head in heads]
    return tuple(_join_columns(tuple(by_name[name] for by_name in own), argument) for name in names)


def _join_columns(columns: tuple[Column, ...], argument: str) -> Column:
    """One column out of what its partitions say of it."""
    kinds = {column.categories is None for column in columns}
    if len(kinds) > 1:
        raise TypeError(f"`{argument}`: column '{columns[0].name}' is numeric in some partitions only; convert it.")
    if columns[0].categories is None:
        return columns[0]
    return Column(columns[0].name, tuple(sorted({c for column in columns for c in column.categories or ()})))


def _from_frame(frame: nw.DataFrame[Any], argument: str, like: Table | None) -> Table:
    wanted: tuple[Column | None, ...] = (None,) * len(frame.columns)
    names = tuple(plain_name(name) for name in frame.columns)
    if len(set(names)) < len(names):
        raise ValueError(f"`{argument}` has columns of the same name: {sorted(names)}.")
    if like is not None and like.from_frame:
        _check_columns(names, like, argument)
    if like is not None and set(names) == set(like.names):
        names = like.names
    if like is not None and len(like.columns) == len(names):
        wanted = like.columns
    values, columns = [], []
    by_name = dict(zip((plain_name(name) for name in frame.columns), frame.iter_columns(), strict=True))
    for name, known in zip(names, wanted, strict=True):
        column, numbers = _encode_series(by_name[name], name, argument, known)
        columns.append(column)
        values.append(numbers)
    stacked = np.column_stack(values) if values else np.empty((len(frame), 0))
    return Table(np.ascontiguousarray(stacked), tuple(columns), argument, from_frame=True)


def _check_columns(names: tuple[str, ...], like: Table, argument: str) -> None:
    """New rows have the columns that were fitted, in any order: others would silently be taken for them."""
    missing = [name for name in like.names if name not in names]
    other = [name for name in names if name not in like.names]
    if missing or other:
        parts = [f"{what}: {_listed(own)}" for what, own in (("missing", missing), ("unknown", other)) if own]
        raise ValueError(
            f"`{argument}` must have the columns of `{like.argument}`, {_listed(list(like.names))}; {'; '.join(parts)}."
        )


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:MOST])) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")


def _encode_series(series: nw.Series[Any], name: str, argument: str, known: Column | None) -> tuple[Column, Array]:
    """Numbers stay numbers, dates become days; booleans, strings and categories become codes."""
    missing = int(series.null_count())
    if missing:
        raise ValueError(
            f"`{argument}` has missing values: column '{name}' ({missing} of {len(series)}). "
            "Drop those rows, or impute them, first."
        )
    dtype = series.dtype
    days = _days(series)
    is_number = dtype.is_numeric() or days is not None
    if known is not None and is_number == (known.categories is not None):
        was = "numeric" if known.categories is None else "categorical"
        raise TypeError(f"`{argument}`: column '{name}' is {dtype} but was {was} before.")
    if days is not None:
        return Column(name, dates=True), days
    if is_number:
        _check_integers(series.to_numpy(), argument)
        return Column(name), series.cast(nw.Float64).to_numpy().astype(np.float64)
    text = _words(series, name, argument)
    if known is None and dtype == nw.Boolean:
        known = Column(name, ("False", "True"))
    return _coded(text, name, known)


def _days(series: nw.Series[Any]) -> Array | None:
    """Dates and times as days since 1970 (those of a time zone in UTC); None for anything else."""
    native: Any = series.to_native()
    if series.dtype == nw.Unknown and getattr(native.dtype, "tz", None) is not None:  # a zone's name with a "_" in it
        series = nw.from_native(native.dt.tz_convert("UTC"), series_only=True)
    if series.dtype in (nw.Date, nw.Datetime):
        return series.dt.timestamp("ms").to_numpy().astype(np.float64) / DAY
    if series.dtype == nw.Object:  # pandas has no dates of its own
        values = series.to_list()
        if values and all(type(value) is date for value in values):
            return np.array(values, dtype="datetime64[D]").astype(np.float64)
    return None


def _words(series: nw.Series[Any], name: str, argument: str) -> npt.NDArray[Any]:
    """Booleans, categories and strings as strings."""
    dtype = series.dtype
    if dtype == nw.Boolean:
        return np.where(series.to_numpy().astype(bool), "True", "False")
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        text = series.cast(nw.String)
        if bool(text.str.ends_with("\0").any()):  # an end that NumPy's own strings lose
            return np.array(text.to_list(), dtype=object)
        return text.to_numpy().astype(str)
    kinds = sorted({type(value).__name__ for value in series.to_list()}) if dtype == nw.Object else [str(dtype)]
    raise TypeError(
        f"`{argument}`: column '{name}' holds {', '.join(kinds)}, which is neither a number, a boolean, a "
        "category, a date nor a string. Convert it, for instance to a number of days, or to strings."
    )


def _coded(text: npt.NDArray[Any], name: str, known: Column | None) -> tuple[Column, Array]:
    """Words as the positions of their categories; -1 for one that is not known."""
    if known is None or known.categories is None:
        categories, codes = np.unique(text, return_inverse=True)
        return Column(name, tuple(str(value) for value in categories)), codes.reshape(-1).astype(np.float64)
    code_of = {value: code for code, value in enumerate(known.categories)}
    return known, np.array([code_of.get(str(value), -1) for value in text], dtype=np.float64)


def _check_finite(table: Table) -> None:
    if np.isfinite(table.span).all():
        return
    found = []
    counts_of = sum(each_chunk(_not_finite, table.values))
    for column, (n_nan, n_inf) in zip(table.columns, counts_of.T, strict=True):
        if n_nan or n_inf:
            counts = [f"{n_nan} NaN"] * bool(n_nan) + [f"{n_inf} infinite"] * bool(n_inf)
            found.append(f"'{column.name}' ({', '.join(counts)})")
    shown = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
    raise ValueError(
        f"`{table.argument}` has NaN or infinite values in {len(found)} column(s): {shown}, "
        f"of {table.values.shape[0]} rows. Drop those rows, or impute them, first."
    )


def _check_scale(table: Table) -> Table:
    """The same table, if squares of its numbers, and of their differences, are numbers too."""
    low, high = table.span
    size, width = np.maximum(np.abs(low), np.abs(high)), high / 2 - low / 2
    for column, largest, half in zip(table.columns, size, width, strict=True):
        if column.categories is None and (largest > LARGEST or 0 < half < SMALLEST):
            seen = f"values up to {largest:.3g}" if largest > LARGEST else f"values within {2 * half:.3g} of each other"
            raise ValueError(
                f"`{table.argument}`: column '{column.name}' has {seen}, whose squares double precision cannot hold. "
                "Give it in other units."
            )
    return table


def _not_finite(values: Array) -> npt.NDArray[np.int64]:
    """NaN and infinite values in each column."""
    xp = namespace(values)
    missing, infinite = xp.isnan(values), xp.isinf(values)
    return np.stack([to_host(xp.sum(xp.astype(kind, xp.int64), axis=0)) for kind in (missing, infinite)])
