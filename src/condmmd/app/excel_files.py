"""Sheets of Excel's files (.xlsx), as columns of plain values. Needs openpyxl."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from condmmd.app.bounds import FIELD_BYTES, Bounds

__all__ = ["OLD_EXCEL", "ZIP", "read_excel"]

ZIP, OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
# What Excel writes where a formula failed, and what people write where there is nothing.
NOTHING = {
    "",
    "NA",
    "N/A",
    "n/a",
    "NaN",
    "nan",
    "null",
    "NULL",
    "#N/A",
    "#VALUE!",
    "#REF!",
    "#DIV/0!",
    "#NUM!",
    "#NAME?",
}


def read_excel(content: bytes | bytearray, path: str, bounds: Bounds, sheet: str | None = None) -> dict[str, list[Any]]:
    """The columns of a sheet: numbers, booleans, moments or texts, one kind a column, and None where there is nothing.

    Parameters
    ----------
    content
        Of the file.
    path
        What it is called.
    bounds
        What it may take, once it is unpacked.
    sheet
        Its name; None: the only one that has values.
    """
    _check_archive(content, path, bounds)
    rows = _read_rows(content, path, bounds, sheet)
    if not rows:
        raise ValueError(f"{path} is empty.")
    width = max((k + 1 for row in rows for k, cell in enumerate(row) if cell is not None), default=0)
    names = ["" if name is None else str(name) for name in (*rows[0], *[None] * width)[:width]]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise ValueError(f"{path} has more than one column called {', '.join(map(repr, doubled[:30]))}; rename them.")
    full = [(*row, *[None] * (width - len(row))) for row in rows[1:]]
    return {name: _column([row[k] for row in full]) for k, name in enumerate(names)}


def _read_rows(content: bytes | bytearray, path: str, bounds: Bounds, sheet: str | None) -> list[tuple[Any, ...]]:
    try:
        import openpyxl  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError(
            f"{path} is an Excel file, and reading it needs openpyxl: pip install 'condmmd[excel]'. Or save the sheet "
            "as CSV."
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and the like, which are no part of a table
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            rows = _rows(_sheet(book, path, bounds, sheet), path, bounds)
            book.close()
    except (ValueError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(f"{path} could not be read: {str(error) or type(error).__name__}.") from error
    return rows


def _check_archive(content: bytes | bytearray, path: str, bounds: Bounds) -> None:
    """It is what it seems to be, and not too much once it is unpacked."""
    if bytes(content[:4]) == OLD_EXCEL:
        raise ValueError(f"{path} is a file of an old Excel; save it as .xlsx or as CSV.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {part.filename: part.file_size for part in archive.infolist()}
    except zipfile.BadZipFile:
        raise ValueError(
            f"{path} could not be read: it begins as a zip archive or an Excel file, and is none."
        ) from None
    if "xl/workbook.xml" not in parts:
        what = "a table of another office program; save it as CSV" if "content.xml" in parts else (
            "a zip archive; unpack it"
        )  # fmt: skip
        raise ValueError(f"{path} is {what}.")
    bounds.check_bytes(sum(parts.values()), path, "once it is unpacked", "Take fewer rows or columns")


def _sheet(book: Any, path: str, bounds: Bounds, wanted: str | None) -> Any:
    names = list(book.sheetnames)
    if wanted is not None:
        if wanted not in names:
            raise ValueError(f"{path} has no sheet {wanted!r}; it has {', '.join(map(repr, names))}.")
        return book[wanted]
    full = [name for name in names if len(_rows(book[name], path, bounds, at_most=2)) == 2]
    if len(full) > 1:
        raise ValueError(f"{path} has several sheets, {', '.join(map(repr, full))}; name one of them with --sheet.")
    return book[full[0] if full else names[0]]


def _rows(sheet: Any, path: str, bounds: Bounds, at_most: int | None = None) -> list[tuple[Any, ...]]:
    """Rows that have any value, the first of which names the columns."""
    found: list[tuple[Any, ...]] = []
    size = 0
    cells: Iterable[tuple[Any, ...]] = sheet.iter_rows(values_only=True)
    for row in cells:
        if at_most is not None and len(found) >= at_most:
            break
        bounds.check_columns(len(row), path)
        size += sum(FIELD_BYTES + (len(cell) if isinstance(cell, str) else 0) for cell in row)
        bounds.check_bytes(size, path, f"after {len(found):,} rows", "Take fewer rows or columns")
        if any(cell is not None for cell in row):
            found.append(tuple(row))
    return found


def _column(cells: list[Any]) -> list[Any]:
    """One kind of value: the same as it was, or text if there are several."""
    known = [None if isinstance(cell, str) and cell.strip() in NOTHING else cell for cell in cells]
    kinds = {_kind(cell) for cell in known if cell is not None}
    if kinds <= {"number"}:
        return [None if cell is None else float(cell) for cell in known]
    if kinds == {"moment"}:
        return [_moment(cell) for cell in known]
    if kinds == {"truth"}:
        return known
    return [None if cell is None else _text(cell) for cell in known]


def _kind(cell: Any) -> str:
    kinds = ((bool, "truth"), (int | float, "number"), (date, "moment"))
    return next((name for kind, name in kinds if isinstance(cell, kind)), "text")


def _moment(cell: Any) -> datetime | None:
    return cell if cell is None or isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001


def _text(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell)
