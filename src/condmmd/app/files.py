"""Tables from files: CSV and its relatives, Parquet, gzip, standard input. Needs pyarrow."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["PARQUET", "Frame", "check_names", "pick_columns", "read_file", "stack"]

GZIP, PARQUET, UTF16 = b"\x1f\x8b", b"PAR1", (b"\xff\xfe", b"\xfe\xff")
DELIMITERS = ",;\t|"
# More categories than this, or than half the rows, and a column is taken for an identifier or free text.
MAX_CATEGORIES = 200


@dataclass(frozen=True)
class Frame:
    """Columns ready for a test: the table, and a line about each column."""

    table: Any
    types: dict[str, str]
    dropped: int = 0


def _arrow() -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("reading files needs pyarrow: pip install 'condmmd[report]'") from error
    return pa


def read_file(path: str, *, delimiter: str | None = None, encoding: str = "utf-8") -> Any:
    """Read a table from a file, or from standard input if ``path`` is "-".

    Parameters
    ----------
    path
        CSV, TSV or Parquet, gzipped or not; what it is, is seen from its content.
    delimiter
        Between the fields of a text file; None: the one of comma, semicolon, tab and bar that the first line has most.
    encoding
        Of a text file.
    """
    pa = _arrow()
    if path != "-" and not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}." if not Path(path).exists() else f"{path} is not a file.")
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ValueError(f"--delimiter must be one character; got {delimiter!r}.")
    try:
        with sys.stdin.buffer if path == "-" else Path(path).open("rb") as raw:
            table = _read_stream(pa, raw, path, delimiter, encoding)
            table.column_names  # noqa: B018 - decodes them
    except (pa.ArrowInvalid, pa.ArrowKeyError, gzip.BadGzipFile, EOFError, LookupError, UnicodeError) as error:
        reason = str(error).splitlines()[0]
        remedy = " Name its --encoding, such as latin-1 or utf-16." if "UTF" in reason or "decode" in reason else ""
        raise ValueError(f"{path} could not be read: {reason}.{remedy}") from None
    if any("\ufffd" in name for name in table.column_names):
        raise ValueError(f"{path}: a column name is not {encoding} text. Name its --encoding, such as latin-1.")
    doubled = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if doubled:
        raise ValueError(f"{path} has more than one column called {', '.join(map(repr, doubled))}; rename them.")
    return table


def _read_stream(pa: Any, raw: Any, path: str, delimiter: str | None, encoding: str) -> Any:
    buffered = raw
    if buffered.peek(2)[:2] == GZIP:
        buffered = io.BufferedReader(gzip.GzipFile(fileobj=raw))
    start = buffered.peek(65536)
    if not start:
        raise ValueError(f"{path} is empty.")
    if start[:2] in UTF16 and encoding == "utf-8":
        raise UnicodeError("it looks like UTF-16, cannot decode it as utf-8")
    if start[:4] == PARQUET:
        from pyarrow import parquet  # noqa: PLC0415

        return parquet.read_table(pa.BufferReader(buffered.read()))
    from pyarrow import csv  # noqa: PLC0415

    first = start.split(b"\n", 1)[0].decode(encoding, errors="replace")
    found = delimiter or max(DELIMITERS, key=first.count)
    table = csv.read_csv(
        buffered,
        read_options=csv.ReadOptions(encoding=encoding),
        parse_options=csv.ParseOptions(delimiter=found, newlines_in_values=True),
        convert_options=csv.ConvertOptions(strings_can_be_null=True),
    )
    for field in table.schema:
        if pa.types.is_binary(field.type):
            raise UnicodeError(f"column '{field.name}' is not {encoding} text, cannot decode it")
    return table


def stack(first: Any, second: Any, names: Sequence[str]) -> Any:
    """The rows of two tables, with the columns asked for."""
    pa = _arrow()
    for number, table in (("first", first), ("second", second)):
        check_names(names, table.column_names, f"the {number} file")
    try:
        return pa.concat_tables([first.select(names), second.select(names)], promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(f"the two files do not go together: {str(error).splitlines()[0]}.") from None


def check_names(names: Iterable[str], columns: Sequence[str], what: str) -> None:
    """Every name must be a column."""
    missing = [name for name in names if name not in columns]
    if missing:
        shown = ", ".join(map(repr, columns[:30])) + (", ..." if len(columns) > 30 else "")
        raise ValueError(f"{what} has no column {', '.join(map(repr, missing))}; it has {shown}.")


def pick_columns(
    table: Any, names: Sequence[str], *, categorical: Sequence[str] = (), numeric: Sequence[str] = (),
    drop_missing: bool = False, strict: Sequence[str] = (), empty: bool = False,
) -> Frame:  # fmt: skip
    """Keep some columns, as numbers or categories, with no value missing.

    Parameters
    ----------
    table
        As read.
    names
        Columns to keep.
    categorical, numeric
        Columns whose type is not to be inferred.
    drop_missing
        Leave out rows with a missing value; else they are an error.
    strict
        Columns to keep as they are (the group).
    empty
        Nothing may be left: this is one part of a table.
    """
    check_names([*names, *categorical, *numeric] if not empty else names, table.column_names, "the table")
    both = sorted(set(categorical) & set(numeric))
    if both:
        raise ValueError(f"{', '.join(map(repr, both))} cannot be both --categorical and --numeric.")
    if table.num_rows == 0 and not empty:
        raise ValueError("the table has no rows.")
    columns, types = {}, {}
    for name in names:
        if name in strict:
            columns[name], types[name] = _decoded(table[name]), "group"
        else:
            columns[name], types[name] = _typed(table[name], name, name in categorical, name in numeric)
    kept = _arrow().table(columns)
    missing = {name: kept[name].null_count for name in names if kept[name].null_count}
    if not missing:
        return _checked(Frame(kept, types))
    complete = np.logical_and.reduce([np.asarray(kept[name].is_valid()) for name in names])
    if not drop_missing:
        shown = ", ".join(f"{name} {count}" for name, count in missing.items())
        raise ValueError(
            f"{int((~complete).sum())} of {len(complete)} rows have missing values ({shown}). Fill them, or go on "
            "without those rows: --drop-missing."
        )
    kept = kept.filter(_arrow().array(complete))
    if kept.num_rows == 0 and not empty:
        raise ValueError("every row has a missing value; nothing is left.")
    return _checked(Frame(kept, types, int((~complete).sum())))


def _checked(frame: Frame) -> Frame:
    rows = frame.table.num_rows
    for name, kind in frame.types.items():
        if kind.startswith("category"):
            count = len(frame.table[name].unique())
            if count > max(rows / 2, 20) or (count > MAX_CATEGORIES and count > rows / 20):
                raise ValueError(
                    f"'{name}' has {count} different values in {rows} rows: an identifier or free text tells nothing "
                    "that could be compared. Leave it out, or give it as numbers or fewer categories."
                )
            frame.types[name] = f"category ({count} values)"
    return frame


def _decoded(column: Any) -> Any:
    pa = _arrow()
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _typed(column: Any, name: str, as_category: bool, as_number: bool) -> tuple[Any, str]:
    """A column as float64 or string, and what it is."""
    pa = _arrow()
    import pyarrow.compute as pc  # noqa: PLC0415

    column = _decoded(column)
    kind = column.type
    if pa.types.is_null(kind):
        raise ValueError(f"'{name}' is empty; leave it out.")
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if as_category or (not as_number and (text or pa.types.is_boolean(kind))):
        if not any(is_kind(kind) for is_kind in _category_kinds(pa)):
            raise ValueError(f"'{name}' of type {kind} cannot be a category; leave it out.")
        if text and not as_category:
            _refuse_broken_numbers(column, name)
        return column.cast(pa.string()), "category"
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        days = pc.divide(column.cast(pa.timestamp("ms")).cast(pa.int64()).cast(pa.float64()), 86_400_000.0)
        return days, "date, as days since 1970"
    try:
        values = column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if text:
            _refuse_broken_numbers(column, name, always=True)
        raise ValueError(
            f"'{name}' of type {kind} cannot be read as numbers; leave it out or make it --categorical."
        ) from None
    return pc.if_else(pc.is_nan(values), None, values), "number"


def _category_kinds(pa: Any) -> tuple[Callable[[Any], bool], ...]:
    """Types of which a category can be made."""
    types = pa.types
    return (
        types.is_string, types.is_large_string, types.is_boolean, types.is_integer, types.is_floating,
        types.is_decimal, types.is_temporal,
    )  # fmt: skip


def _refuse_broken_numbers(column: Any, name: str, *, always: bool = False) -> None:
    """Text that is mostly numbers was meant as numbers: say which values are in the way."""
    distinct = [value for value in column.unique().to_pylist() if value is not None]
    broken = [value for value in distinct if not _is_number(value)]
    separated = [value for value in broken if _is_number(value.replace(",", "").replace(" ", "").replace("'", ""))]
    if always or (len(distinct) > 2 and len(broken) - len(separated) <= len(distinct) / 5):
        remedy = " without separators of thousands and with a decimal point" if separated else ""
        what = "is to be" if always else "looks like"
        raise ValueError(
            f"'{name}' {what} numbers, but {len(broken)} of its {len(distinct)} different values are not, such as "
            f"{broken[0]!r}. Write them as numbers{remedy}, leave them empty if they are missing, or say --categorical."
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
