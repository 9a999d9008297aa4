"""Names of rows, and free text: columns with so many different values that nothing in them could be compared."""

from __future__ import annotations

from condmmd.backend import n_rows
from condmmd.data.table import Table

__all__ = ["check_identifiers", "identifying"]

# More categories than this (and than a twentieth of the rows), or than half the rows, and a column names its rows.
MAX_CATEGORIES = 200
FEW_CATEGORIES = 20


def identifying(count: int, rows: int) -> str:
    """Why so many categories of so many rows tell nothing; empty if they may."""
    if count <= max(rows / 2, FEW_CATEGORIES) and (count <= MAX_CATEGORIES or count <= rows / 20):
        return ""
    return (
        f"{count} different values in {rows} rows: an identifier or free text tells nothing that could be compared. "
        "Leave it out, or give it as numbers or fewer categories."
    )


def check_identifiers(table: Table) -> None:
    """Refuse categories that name the rows: every row would be compared with itself alone."""
    for column in table.columns:
        if reason := identifying(len(column.categories or ()), n_rows(table.values)):
            raise ValueError(f"`{table.argument}`: column '{column.name}' has {reason}")
