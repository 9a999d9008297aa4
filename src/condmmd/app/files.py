"""Tables from files: CSV and its relatives, Parquet, gzip, standard input. Needs pyarrow."""

from __future__ import annotations

import gzip
import io
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from condmmd.app.bounds import Bounds, in_words, read_all
from condmmd.app.parquet_files import PARQUET, check_whole, open_parquet

__all__ = ["Frame", "check_names", "decoded", "pick_columns", "read_file", "stack"]

GZIP, UTF16 = b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
DELIMITERS = ",;\t|"
# More categories than this, or than half the rows, and a column is taken for an identifier or free text.
MAX_CATEGORIES = 200
# A value or a name longer than this (in bytes) is free text.
MAX_TEXT = 1000
# Text is parsed in blocks, and a row must fit in one.
BLOCK = 2**20


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


def read_file(
    path: str, *, delimiter: str | None = None, encoding: str = "utf-8", bounds: Bounds = Bounds(),  # noqa: B008 - a frozen value
) -> Any:  # fmt: skip
    """Read a table from a file, or from standard input if ``path`` is "-".

    Parameters
    ----------
    path
        CSV, TSV or Parquet, gzipped or not; what it is, is seen from its content.
    delimiter
        Between the fields of a text file; None: the one of comma, semicolon, tab and bar that the first line has most.
    encoding
        Of a text file.
    bounds
        What it may take; more is refused as soon as it is seen.
    """
    pa = _arrow()
    if path != "-" and not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}." if not Path(path).exists() else f"{path} is not a file.")
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ValueError(f"--delimiter must be one character; got {delimiter!r}.")
    try:
        with sys.stdin.buffer if path == "-" else Path(path).open("rb") as raw:
            table = _read_stream(pa, raw, path, delimiter, encoding, bounds)
            names = table.column_names  # decodes them
    except (pa.ArrowInvalid, pa.ArrowKeyError, gzip.BadGzipFile, EOFError, LookupError, UnicodeError) as error:
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


def _read_stream(pa: Any, raw: Any, path: str, delimiter: str | None, encoding: str, bounds: Bounds) -> Any:
    buffered = raw
    if buffered.peek(2)[:2] == GZIP:
        buffered = io.BufferedReader(gzip.GzipFile(fileobj=raw))
    start = buffered.peek(65536)
    if not start:
        raise ValueError(f"{path} is empty.")
    if start[:2] in UTF16 and encoding == "utf-8":
        raise UnicodeError("it looks like UTF-16, cannot decode it as utf-8")
    if start[:4] == PARQUET:
        with open_parquet(read_all(buffered, path, bounds)) as file:
            check_whole(file, path, bounds)
            return file.read()
    first = start.split(b"\n", 1)[0].decode(encoding, errors="replace")
    found = delimiter or max(DELIMITERS, key=first.count)
    return _parse(pa, read_all(buffered, path, bounds, delimiter=found, encoding=encoding), path, found, bounds)


def _parse(pa: Any, text: bytearray, path: str, delimiter: str, bounds: Bounds) -> Any:
    """A table from text in memory.

    The reader has it whole and one thread: with threads of its own that ask Python for more it may hang after an error.
    """
    from pyarrow import csv  # noqa: PLC0415

    end = text.find(b"\n")
    header = len(text) if end < 0 else end
    bounds.check_columns(1 + text.count(delimiter.encode(), 0, header), path)
    block = min(max(BLOCK, 32 * header), 2**30)
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            read_options=csv.ReadOptions(use_threads=False, block_size=block),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=csv.ConvertOptions(strings_can_be_null=True),
        )
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
        raise ValueError(
            f"{path} could not be read: a row is longer than {in_words(block)}. Close the quotation mark that runs "
            "on, or leave out the column of long texts."
        ) from None
    for field in table.schema:
        if pa.types.is_binary(field.type):
            raise UnicodeError(f"column '{field.name}' is not UTF-8 text, cannot decode it")
    return table


def stack(first: Any, second: Any, names: Sequence[str]) -> Any:
    """The rows of two tables, with the columns asked for."""
    pa = _arrow()
    for number, table in (("first", first), ("second", second)):
        check_names(names, table.column_names, f"the {number} file")
    both = [pa.table({name: decoded(table[name], name) for name in names}) for table in (first, second)]
    try:
        return pa.concat_tables(both, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(f"the two files do not go together: {str(error).splitlines()[0]}.") from None


def check_names(names: Iterable[str], columns: Sequence[str], what: str) -> None:
    """Every name must be a column."""
    known = set(columns)
    missing = [name for name in names if name not in known]
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
    told = set(categorical), set(numeric)
    for name in names:
        column = decoded(table[name], name)
        if name in strict:
            columns[name], types[name] = column, "group"
        else:
            columns[name], types[name] = _typed(column, name, name in told[0], name in told[1])
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


def decoded(column: Any, name: str) -> Any:
    """A column without codes, if none of its values is so long that it would take the memory of all rows."""
    pa = _arrow()
    import pyarrow.compute as pc  # noqa: PLC0415

    coded = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if coded else column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        values = [chunk.dictionary if coded else chunk for chunk in column.chunks]
        longest = max((pc.max(pc.binary_length(chunk)).as_py() or 0 for chunk in values), default=0)
        if longest > MAX_TEXT:
            raise ValueError(
                f"'{name}' has a value of {longest:,} bytes, and one of at most {MAX_TEXT:,} can name a category. "
                "Shorten it, or leave the column out."
            )
    return column.cast(kind) if coded else column


def _typed(column: Any, name: str, as_category: bool, as_number: bool) -> tuple[Any, str]:
    """A column as float64 or string, and what it is."""
    pa = _arrow()
    import pyarrow.compute as pc  # noqa: PLC0415

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
        if pa.types.is_integer(kind):
            raise ValueError(
                f"'{name}' has integers beyond 2**53, which floating point cannot tell apart; make it --categorical if "
                "they are names, or subtract an offset."
            ) from None
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
