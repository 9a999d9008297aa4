"""Tables of pyarrow: from text, from columns, of two tables; and their columns as numbers or categories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.app.bounds import Bounds, in_words
from condmmd.app.plain_tables import MAX_TEXT
from condmmd.app.written import read_written, refuse_broken_numbers

__all__ = ["concatenated", "decoded", "parse", "read_errors", "rows_where", "table_of", "typed"]

# Text is parsed in blocks, and a row must fit in one.
BLOCK = 2**20
# Milliseconds.
DAY = 86_400_000.0


def _arrow() -> Any:
    import pyarrow as pa  # noqa: PLC0415 - an extra

    return pa


def read_errors() -> tuple[type[Exception], ...]:
    """What a file that is none of pyarrow's makes it raise."""
    return _arrow().ArrowInvalid, _arrow().ArrowKeyError


def table_of(columns: Mapping[str, Any]) -> Any:
    """From columns, or lists of values."""
    return _arrow().table(dict(columns))


def rows_where(table: Any, keep: npt.NDArray[np.bool_]) -> Any:
    """Some of the rows."""
    return table.filter(_arrow().array(keep))


def parse(text: bytearray, path: str, delimiter: str, bounds: Bounds) -> Any:
    """A table from text in memory.

    The reader has it whole and one thread: with threads of its own that ask Python for more it may hang after an error.
    """
    pa = _arrow()
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


def concatenated(first: Any, second: Any, names: Sequence[str]) -> Any:
    """The rows of two tables, with the columns asked for."""
    pa = _arrow()
    both = [pa.table({name: decoded(table[name], name) for name in names}) for table in (first, second)]
    try:
        return pa.concat_tables(both, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(f"the two files do not go together: {str(error).splitlines()[0]}.") from None


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


def typed(column: Any, name: str, as_category: bool, as_number: bool, *, part: bool = False) -> tuple[Any, str]:
    """A column as float64, moment or string, and what it is."""
    pa = _arrow()
    import pyarrow.compute as pc  # noqa: PLC0415

    kind = column.type
    if pa.types.is_null(kind):
        raise ValueError(f"'{name}' is empty; leave it out.")
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if as_category or (not as_number and (text or pa.types.is_boolean(kind))):
        return _category(column, name, written=text and not as_category, part=part)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return column.cast(pa.timestamp("ms"), safe=False), "date, as days since 1970"
    try:
        values = column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        found = _read_text(column, name, part=part, always=True) if text else None
        if found is not None:
            return found
        raise ValueError(_no_number(name, kind, whole=pa.types.is_integer(kind))) from None
    return pc.if_else(pc.is_nan(values), None, values), "number"


def _category(column: Any, name: str, *, written: bool, part: bool) -> tuple[Any, str]:
    """As texts, or as what was written for people in them."""
    pa = _arrow()
    if not any(is_kind(column.type) for is_kind in _category_kinds(pa)):
        raise ValueError(f"'{name}' of type {column.type} cannot be a category; leave it out.")
    found = _read_text(column, name, part=part) if written else None
    return (column.cast(pa.string()), "category") if found is None else found


def _no_number(name: str, kind: Any, *, whole: bool) -> str:
    if whole:
        return (
            f"'{name}' has integers beyond 2**53, which floating point cannot tell apart; make it --categorical if "
            "they are names, or subtract an offset."
        )
    return f"'{name}' of type {kind} cannot be read as numbers; leave it out or make it --categorical."


def _category_kinds(pa: Any) -> tuple[Callable[[Any], bool], ...]:
    """Types of which a category can be made."""
    types = pa.types
    return (
        types.is_string, types.is_large_string, types.is_boolean, types.is_integer, types.is_floating,
        types.is_decimal, types.is_temporal,
    )  # fmt: skip


def _read_text(column: Any, name: str, *, part: bool, always: bool = False) -> tuple[Any, str] | None:
    """Amounts and dates that were written for people, which a part of a column cannot tell; None for words."""
    pa = _arrow()
    import pyarrow.compute as pc  # noqa: PLC0415

    different = column.drop_null().unique()
    distinct = different.to_pylist()
    written = read_written(name, distinct)
    if written is None:
        refuse_broken_numbers(distinct, name, always=always)
        return None
    if part:
        raise ValueError(
            f"'{name}' holds amounts or dates as text, such as {distinct[0]!r}, and this file is read in parts. Write "
            "them as numbers or dates into the file, or say --categorical."
        )
    codes = pc.index_in(column, value_set=different)
    values = pa.array([written.values[text] for text in distinct], pa.float64())
    if written.dates:
        values = pc.round(pc.multiply(values, DAY)).cast(pa.int64()).cast(pa.timestamp("ms"))
    return pc.take(values, codes), written.kind
