"""Names of columns as people type them: what is not a column is refused, with what may have been meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from condmmd.data.frames import nearest_names

__all__ = ["check_names"]

# Columns that an error lists.
LISTED = 30


def check_names(names: Iterable[str], columns: Sequence[str], what: str) -> None:
    """Every name must be a column.

    Parameters
    ----------
    names
        As they were typed.
    columns
        That there are.
    what
        Has the columns, for the message.
    """
    known = set(columns)
    missing = [name for name in dict.fromkeys(names) if name not in known]
    if not missing:
        return
    shown = ", ".join(map(repr, columns[:LISTED])) + (", ..." if len(columns) > LISTED else "")
    raise ValueError(
        f"{what} has no column {', '.join(map(repr, missing))}; {_meant(missing, columns)}t has {shown}."
        + _separated(missing, known)
    )


def _meant(missing: list[str], columns: Sequence[str]) -> str:
    """What may have been meant, up to the first letter of the list of columns."""
    found = list(dict.fromkeys(near for name in missing for near in nearest_names(name, columns)))
    return f"did you mean {' or '.join(map(repr, found))}? I" if found else "i"


def _separated(missing: list[str], known: set[str]) -> str:
    """A hint for names in one word, with commas or semicolons between them."""
    for name in missing:
        parts = [part.strip() for part in name.replace(";", ",").split(",")]
        if len(parts) > 1 and any(part in known for part in parts):
            return f" Names are separated by spaces: {' '.join(part for part in parts if part)}"
    return ""
