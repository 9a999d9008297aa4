"""What a column of a table is, before anything is done with it: as a test would read it, or why it could not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.app.files import Frame, check_categories, few_values, read_column
from condmmd.app.plain_tables import PlainTable
from condmmd.backend import to_host
from condmmd.data import read_table

__all__ = ["ColumnLook", "look_at_columns", "names_rows"]

# Names that say that a column names rows or subjects.
NAMES_ROWS = re.compile(
    r"(^|[^a-z])(ids?|uuid|guid|key|seqn|seq|index|rownames?|row|subject|patient|participant|person|household)([^a-z]|$)"
    r"|[a-z](ID|Id)$|^unnamed: 0$|^$",
)
# Rows from which on it is no chance that all values differ, or that they are in order.
ENOUGH = 20
# The range of numbers that count rows, for each row.
DENSE = 1.5
# A column that has more of its rows missing is left out, rather than those rows.
MOSTLY = 0.5
# Whole numbers that may be names, and values of a group.
FEW = 10


@dataclass(frozen=True, eq=False)
class ColumnLook:
    """One column.

    Attributes
    ----------
    name
        Of it.
    kind
        As a test would read it; "not read" if it would refuse.
    missing, distinct
        Rows without a value, and different values.
    values
        These as text, if they are few, the most frequent first.
    trouble
        Why it is no covariate, in a word or two; empty if it is fine.
    remarks
        What else is worth knowing.
    valid
        The rows that have a value.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    values: tuple[str, ...]
    trouble: str
    remarks: tuple[str, ...]
    valid: npt.NDArray[np.bool_]


def look_at_columns(
    table: Any, names: Sequence[str], *, categorical: Sequence[str] = (), numeric: Sequence[str] = ()
) -> list[ColumnLook]:
    """Each column by itself; options as in `pick_columns`."""
    return [_look(table, name, name in categorical, name in numeric) for name in names]


def _look(table: Any, name: str, as_category: bool, as_number: bool) -> ColumnLook:
    rows = table.num_rows
    try:
        values = tuple(few_values(table, name, FEW) or ())
        frame, valid = read_column(table, name, categorical=as_category, numeric=as_number)
    except ValueError as error:
        empty = "is empty" in str(error)
        everywhere = np.full(rows, not empty)
        return ColumnLook(name, "not read", rows if empty else 0, 0, (), "empty" if empty else "not read",
                          () if empty else (str(error),), everywhere)  # fmt: skip
    missing = int((~valid).sum())
    if missing == rows:
        return ColumnLook(name, "not read", missing, 0, (), "empty", (), valid)
    try:
        numbers = _numbers(frame)
        kind = frame.types[name]
        distinct = len(np.unique(numbers))
        check_categories(frame)
    except ValueError as error:
        trouble = "identifier or text" if "identifier" in str(error) else "not read"
        remark = () if trouble != "not read" else (str(error),)
        known = distinct if trouble != "not read" else 0
        return ColumnLook(name, "not read", missing, known, values, trouble, remark, valid)
    trouble, remarks = _judge(name, kind, numbers, missing / rows, distinct)
    return ColumnLook(name, frame.types[name], missing, distinct, values, trouble, remarks, valid)


def _numbers(frame: Frame) -> npt.NDArray[np.float64]:
    """The values of one column, categories by their codes."""
    plain = isinstance(frame.table, PlainTable)
    return to_host((frame.table.as_space("X") if plain else read_table(frame.table, "X")).values)[:, 0]


def _judge(
    name: str, kind: str, values: npt.NDArray[np.float64], missing: float, distinct: int
) -> tuple[str, tuple[str, ...]]:
    """What is wrong with it as a covariate, and what else there is to say."""
    number = kind.startswith("number")
    whole = number and bool((values == np.round(values)).all())
    if distinct == 1:
        return "constant", ()
    if _names_units(name, values, distinct, whole or not number) or (whole and _counts_rows(values, distinct)):
        repeats = () if distinct == len(values) else ("its values repeat: are rows of one value of one unit?",)
        return "identifier", repeats
    if missing > MOSTLY:
        return "mostly missing", ()
    remarks = {
        "all different whole numbers: leave it out if they only name rows": distinct == len(values) >= ENOUGH,
        "few whole numbers: --categorical if they are names": 2 < distinct <= FEW,
    }
    return "", tuple(words for words, applies in remarks.items() if whole and applies)


def _names_units(name: str, values: npt.NDArray[np.float64], distinct: int, could_name: bool) -> bool:
    """Whether rows, or units of several rows, have their names here."""
    enough = len(values) >= ENOUGH and distinct > FEW
    return names_rows(name) and enough and (could_name or distinct == len(values))


def _counts_rows(values: npt.NDArray[np.float64], distinct: int) -> bool:
    """Whether whole numbers that all differ are in the order of the rows, or without large gaps."""
    if not distinct == len(values) >= ENOUGH:
        return False
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all() or np.ptp(values) + 1 <= DENSE * len(values))


def names_rows(name: str) -> bool:
    """Whether a name says that a column names rows or subjects."""
    return bool(NAMES_ROWS.search(name) or NAMES_ROWS.search(name.lower()))
