"""Tables in lists of Python, where pyarrow is not installed: the same answers, of fewer rows in the same time."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.app.bounds import Bounds
from condmmd.app.written import read_written, refuse_broken_numbers
from condmmd.data import Table
from condmmd.data.table import Column

__all__ = [
    "MAX_TEXT", "PlainColumn", "PlainTable", "concatenated", "decoded", "parse", "read_errors", "rows_where",
    "table_of", "typed",
]  # fmt: skip

# A value or a name longer than this (in bytes) is free text.
MAX_TEXT = 1000
# What is missing, in text: as pyarrow has it.
NOTHING = frozenset({
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "N/A", "NA", "NULL",
    "NaN", "n/a", "nan", "null",
})  # fmt: skip
TRUTHS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "1": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "0": False,
}
WHOLE = re.compile(r"\s*-?\d{1,18}\s*")
NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|Infinity)\s*")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?")
EXACT = 2**53
LARGEST = 1e150


@dataclass(frozen=True, eq=False)
class PlainColumn:
    """Values of one kind, None where there is none.

    Kinds are "nothing", "whole", "number", "truth", "moment", "days" (since 1970) and "text".
    """

    kind: str
    values: list[Any]

    @property
    def null_count(self) -> int:
        """Missing values."""
        return sum(value is None for value in self.values)

    def is_valid(self) -> npt.NDArray[np.bool_]:
        """Which rows have a value."""
        return np.array([value is not None for value in self.values], dtype=bool)

    def unique(self) -> PlainColumn:
        """Each value once."""
        return PlainColumn(self.kind, list(dict.fromkeys(self.values)))

    def value_counts(self) -> PlainColumn:
        """Each value once, with how often it is there."""
        return PlainColumn("count", [{"values": v, "counts": n} for v, n in Counter(self.values).items()])

    def to_pylist(self) -> list[Any]:
        """The values."""
        return list(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype)


@dataclass(frozen=True, eq=False)
class PlainTable:
    """Columns by their names, in order."""

    columns: dict[str, PlainColumn]
    num_rows: int

    @property
    def column_names(self) -> list[str]:
        """In order."""
        return list(self.columns)

    def __getitem__(self, name: str) -> PlainColumn:
        return self.columns[name]

    def select(self, names: Sequence[str]) -> PlainTable:
        """Some of the columns."""
        return PlainTable({name: self.columns[name] for name in names}, self.num_rows)

    def filter(self, keep: Sequence[bool] | npt.NDArray[np.bool_]) -> PlainTable:
        """Some of the rows."""
        index = np.flatnonzero(np.asarray(keep))
        kept = {name: PlainColumn(c.kind, [c.values[k] for k in index]) for name, c in self.columns.items()}
        return PlainTable(kept, len(index))

    def append_column(self, name: str, values: Sequence[Sequence[Any]]) -> PlainTable:
        """One column more, from its parts."""
        flat = [value for part in values for value in part]
        return PlainTable({**self.columns, name: PlainColumn("whole", flat)}, self.num_rows)

    def as_space(self, argument: str) -> Table:
        """Numbers and categories, as the library holds them."""
        columns, values = [], []
        for name, column in self.columns.items():
            if column.kind == "text":
                categories, codes = np.unique(np.array(column.values, dtype=object).astype(str), return_inverse=True)
                columns.append(Column(name, tuple(map(str, categories))))
                values.append(codes.reshape(-1).astype(np.float64))
            else:
                columns.append(Column(name, dates=column.kind == "days"))
                values.append(np.array(column.values, dtype=np.float64))
                if not (np.abs(values[-1]) < LARGEST).all():
                    raise ValueError(
                        f"`{argument}`: column '{name}' has infinite values, or such that double precision cannot hold "
                        "their squares. Leave those rows out, or give it in other units."
                    )
        stacked = np.column_stack(values) if values else np.empty((self.num_rows, 0))
        return Table(np.ascontiguousarray(stacked), tuple(columns), argument, from_frame=True)


def read_errors() -> tuple[type[Exception], ...]:
    """What a file that is no table makes this raise."""
    return (csv.Error,)


def table_of(columns: Mapping[str, Any]) -> PlainTable:
    """From columns, or lists of values."""
    made = {
        name: values if isinstance(values, PlainColumn) else PlainColumn(_kind_of(values), list(values))
        for name, values in columns.items()
    }
    return PlainTable(made, max(map(len, made.values()), default=0))


def _kind_of(values: Sequence[Any]) -> str:
    first = next((value for value in values if value is not None), None)
    kinds = ((bool, "truth"), (int, "whole"), (float, "number"), (date, "moment"), (str, "text"))
    return next((name for kind, name in kinds if isinstance(first, kind)), "nothing")


def rows_where(table: PlainTable, keep: npt.NDArray[np.bool_]) -> PlainTable:
    """Some of the rows."""
    return table.filter(keep)


def parse(text: bytearray, path: str, delimiter: str, bounds: Bounds) -> PlainTable:
    """A table from text in memory."""
    lines = csv.reader(io.StringIO(bytes(text).decode("utf-8-sig"), newline=""), delimiter=delimiter)
    rows = [row for row in lines if row]
    if not rows:
        raise ValueError(f"{path} is empty.")
    names = rows.pop(0)
    bounds.check_columns(len(names), path)
    if len(set(names)) < len(names):
        doubled = sorted(name for name, count in Counter(names).items() if count > 1)
        raise ValueError(f"{path} has more than one column called {', '.join(map(repr, doubled[:30]))}; rename them.")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise csv.Error(f"row {number} has {len(row)} fields, and the first line {len(names)}")
    return PlainTable({name: _column([row[k] for row in rows]) for k, name in enumerate(names)}, len(rows))


def _column(texts: list[str]) -> PlainColumn:
    """Texts as the narrowest kind that all of them have."""
    known = [None if text in NOTHING else text for text in texts]
    distinct = {text for text in known if text is not None}
    if not distinct:
        return PlainColumn("nothing", known)
    kinds: tuple[tuple[str, Callable[[str], Any], Callable[[str], Any]], ...] = (
        ("whole", WHOLE.fullmatch, int),
        ("truth", TRUTHS.__contains__, TRUTHS.__getitem__),
        ("moment", DAY.fullmatch, date.fromisoformat),
        ("moment", MOMENT.fullmatch, datetime.fromisoformat),
        ("number", NUMBER.fullmatch, float),
    )
    for kind, fits, read in kinds:
        if all(map(fits, distinct)):
            try:
                values = {text: read(text) for text in distinct}
            except ValueError:  # such as the 31st of February
                continue
            return PlainColumn(kind, [None if text is None else values[text] for text in known])
    return PlainColumn("text", known)


def concatenated(first: PlainTable, second: PlainTable, names: Sequence[str]) -> PlainTable:
    """The rows of two tables, with the columns asked for."""
    columns = {}
    for name in names:
        one, other = decoded(first[name], name), decoded(second[name], name)
        kinds = {one.kind, other.kind} - {"nothing"}
        if len(kinds) > 1 and kinds != {"whole", "number"}:
            raise ValueError(
                f"the two files do not go together: '{name}' is {one.kind} in one and {other.kind} in the other."
            )
        kind = "number" if len(kinds) > 1 else next(iter(kinds), "nothing")
        columns[name] = PlainColumn(kind, [*one.values, *other.values])
    return PlainTable(columns, first.num_rows + second.num_rows)


def decoded(column: PlainColumn, name: str) -> PlainColumn:
    """The same column, if none of its values is too long to name a category."""
    longest = max((len(v.encode()) for v in column.values if isinstance(v, str)), default=0)
    if longest > MAX_TEXT:
        raise ValueError(
            f"'{name}' has a value of {longest:,} bytes, and one of at most {MAX_TEXT:,} can name a category. "
            "Shorten it, or leave the column out."
        )
    return column


def typed(
    column: PlainColumn, name: str, as_category: bool, as_number: bool, *, part: bool = False  # noqa: ARG001
) -> tuple[PlainColumn, str]:  # fmt: skip
    """A column as numbers or texts, and what it is; nothing is read in parts here."""
    if column.kind == "nothing":
        raise ValueError(f"'{name}' is empty; leave it out.")
    if as_category or (column.kind in {"text", "truth"} and not as_number):
        found = None if as_category or column.kind != "text" else _read_text(column, name)
        return found or (_mapped("text", column, _as_text), "category")
    if column.kind == "text":
        found = _read_text(column, name, always=True)
        return found or (_mapped("number", column, float), "number")
    if column.kind == "moment":
        return _mapped("days", column, _as_days), "date, as days since 1970"
    if column.kind == "whole" and any(abs(value) > EXACT for value in column.values if value is not None):
        raise ValueError(
            f"'{name}' has integers beyond 2**53, which floating point cannot tell apart; make it --categorical if "
            "they are names, or subtract an offset."
        )
    return _mapped("number", column, float), "number"


def _mapped(kind: str, column: PlainColumn, function: Callable[[Any], Any]) -> PlainColumn:
    return PlainColumn(kind, [None if value is None else function(value) for value in column.values])


def _read_text(column: PlainColumn, name: str, *, always: bool = False) -> tuple[PlainColumn, str] | None:
    """Amounts and dates that were written for people; None for words."""
    distinct = [value for value in dict.fromkeys(column.values) if value is not None]
    written = read_written(name, distinct)
    if written is None:
        refuse_broken_numbers(distinct, name, always=always)
        return None
    kind = "days" if written.dates else "number"
    return _mapped(kind, column, written.values.__getitem__), written.kind


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _as_days(value: date) -> float:
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001
    return moment.replace(tzinfo=UTC).timestamp() / 86_400
