"""Tables from files: CSV and its relatives, Parquet, Excel, gzip, standard input.

Text needs nothing but Python; with pyarrow it is read faster, and Parquet can be.
"""

from __future__ import annotations

import gzip
import io
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.app import arrow_tables, plain_tables
from condmmd.app.bounds import Bounds, read_all
from condmmd.app.excel_files import OLD_EXCEL, ZIP, read_excel
from condmmd.app.names import check_names
from condmmd.app.parquet_files import PARQUET, check_whole, open_parquet
from condmmd.app.plain_tables import MAX_TEXT, PlainColumn, PlainTable
from condmmd.data.identifiers import identifying

__all__ = ["Frame", "check_categories", "decoded", "few_values", "pick_columns", "read_column", "read_file", "stack"]

GZIP, UTF16 = b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Frame:
    """Columns ready for a test: the table, and a line about each column."""

    table: Any
    types: dict[str, str]
    dropped: int = 0


def _engine(table: Any = None) -> ModuleType:
    """What knows such a table or column; of a file that is still to be read, pyarrow if it is installed."""
    plain = find_spec("pyarrow") is None if table is None else isinstance(table, PlainTable | PlainColumn)
    return plain_tables if plain else arrow_tables


def read_file(
    path: str, *, delimiter: str | None = None, encoding: str = "utf-8", sheet: str | None = None,
    bounds: Bounds = Bounds(),  # noqa: B008 - a frozen value
) -> Any:  # fmt: skip
    """Read a table from a file, or from standard input if ``path`` is "-".

    Parameters
    ----------
    path
        CSV, TSV, Parquet or Excel's, gzipped or not; what it is, is seen from its content.
    delimiter
        Between the fields of a text file; None: the one of comma, semicolon, tab and bar that the first line has most.
    encoding
        Of a text file.
    sheet
        Of an Excel file; None: the only one that has values.
    bounds
        What it may take; more is refused as soon as it is seen.
    """
    engine = _engine()
    if path != "-" and not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}." if not Path(path).exists() else f"{path} is not a file.")
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ValueError(f"--delimiter must be one character; got {delimiter!r}.")
    try:
        with sys.stdin.buffer if path == "-" else Path(path).open("rb") as raw:
            table = _read_stream(engine, raw, path, (delimiter, encoding, sheet), bounds)
            names = table.column_names  # decodes them
    except (*engine.read_errors(), gzip.BadGzipFile, EOFError, LookupError, UnicodeError) as error:
        reason = str(error).splitlines()[0]
        remedy = " Name its --encoding, such as latin-1 or utf-16." if "UTF" in reason or "decode" in reason else ""
        raise ValueError(f"{path} could not be read: {reason}.{remedy}") from None
    _check_header(names, path, encoding, bounds)
    return table


def _check_header(names: list[str], path: str, encoding: str, bounds: Bounds) -> None:
    bounds.check_columns(len(names), path)
    if any("\ufffd" in name for name in names):
        raise ValueError(f"{path}: a column name is not {encoding} text. Name its --encoding, such as latin-1.")
    longest = max(map(len, names), default=0)
    if longest > MAX_TEXT:
        raise ValueError(f"{path} has a column name of {longest:,} characters; its first line must name the columns.")
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    if doubled:
        shown = ", ".join(map(repr, doubled[:30])) + (", ..." if len(doubled) > 30 else "")
        raise ValueError(f"{path} has more than one column called {shown}; rename them.")


def _read_stream(
    engine: ModuleType, raw: Any, path: str, told: tuple[str | None, str, str | None], bounds: Bounds
) -> Any:
    delimiter, encoding, sheet = told
    buffered = raw
    if buffered.peek(2)[:2] == GZIP:
        buffered = io.BufferedReader(gzip.GzipFile(fileobj=raw))
    start = buffered.peek(65536)
    if not start:
        raise ValueError(f"{path} is empty.")
    if start[:2] in UTF16 and encoding == "utf-8":
        raise UnicodeError("it looks like UTF-16, cannot decode it as utf-8")
    if start[:4] in {ZIP, OLD_EXCEL}:
        return engine.table_of(read_excel(read_all(buffered, path, bounds), path, bounds, sheet))
    if sheet is not None:
        raise ValueError(f"--sheet is for Excel files; {path} is none.")
    if start[:4] == PARQUET:
        if engine is plain_tables:
            raise ImportError(
                f"{path} is Parquet, which needs pyarrow: pip install 'condmmd[report]'. Or write it as CSV."
            )
        with open_parquet(read_all(buffered, path, bounds)) as file:
            check_whole(file, path, bounds)
            return file.read()
    first = start.split(b"\n", 1)[0].decode(encoding, errors="replace")
    found = delimiter or max(DELIMITERS, key=first.count)
    return engine.parse(read_all(buffered, path, bounds, delimiter=found, encoding=encoding), path, found, bounds)


def stack(first: Any, second: Any, names: Sequence[str]) -> Any:
    """The rows of two tables, with the columns asked for."""
    for number, table in (("first", first), ("second", second)):
        check_names(names, table.column_names, f"the {number} file")
    return _engine(first).concatenated(first, second, names)


def decoded(column: Any, name: str) -> Any:
    """A column without codes, if none of its values is so long that it would take the memory of all rows."""
    return _engine(column).decoded(column, name)


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
    engine, columns, types = _engine(table), {}, {}
    told = set(categorical), set(numeric)
    for name in names:
        column = decoded(table[name], name)
        if name in strict:
            columns[name], types[name] = column, "group"
        else:
            columns[name], types[name] = engine.typed(column, name, name in told[0], name in told[1], part=empty)
    kept = engine.table_of(columns)
    missing = {name: kept[name].null_count for name in names if kept[name].null_count}
    if not missing:
        return check_categories(Frame(kept, types))
    complete = np.logical_and.reduce([np.asarray(kept[name].is_valid()) for name in names])
    if not drop_missing:
        shown = ", ".join(f"{name} {count}" for name, count in missing.items())
        raise ValueError(
            f"{int((~complete).sum())} of {len(complete)} rows have missing values ({shown}). Fill them, or go on "
            "without those rows: --drop-missing."
        )
    kept = engine.rows_where(kept, complete)
    if kept.num_rows == 0 and not empty:
        raise ValueError("every row has a missing value; nothing is left.")
    return check_categories(Frame(kept, types, int((~complete).sum())))


def read_column(
    table: Any, name: str, *, categorical: bool = False, numeric: bool = False
) -> tuple[Frame, npt.NDArray[np.bool_]]:
    """One column as `pick_columns` reads it, not checked, where it has a value; and which rows have one."""
    engine = _engine(table)
    column, kind = engine.typed(decoded(table[name], name), name, categorical, numeric)
    valid = np.asarray(column.is_valid())
    frame = Frame(engine.rows_where(engine.table_of({name: column}), valid), {name: kind}, int((~valid).sum()))
    return frame, valid


def few_values(table: Any, name: str, at_most: int) -> list[str] | None:
    """The different values of a column as text, the most frequent first; None if they are more than some."""
    counts = decoded(table[name], name).value_counts()
    if len(counts) > at_most + 1:
        return None
    found = [(-one["counts"], str(one["values"])) for one in counts.to_pylist() if one["values"] is not None]
    return [text for _, text in sorted(found)] if len(found) <= at_most else None


def check_categories(frame: Frame) -> Frame:
    """The same, with categories counted, if there are few enough for their rows."""
    rows = frame.table.num_rows
    for name, kind in frame.types.items():
        if kind.startswith("category"):
            count = len(frame.table[name].unique())
            if reason := identifying(count, rows):
                raise ValueError(f"'{name}' has {reason}")
            frame.types[name] = f"category ({count} values)"
    return frame
