"""Data frames and series of any library, through narwhals; and the names of their columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np

__all__ = ["as_frame", "check_names", "frame_of", "nearest_names", "plain_name", "unknown"]

# Names that an error lists: of what there is, and of what there is not.
SHOWN, MISSED = 30, 5
# Names that are suggested in place of one.
SUGGESTED = 3


def as_frame(data: Any) -> Any:
    """A data frame or series of narwhals; anything else as it is."""
    if isinstance(data, np.ndarray | list | tuple):  # the most common, and slow to ask narwhals about
        return data
    return nw.from_native(data, pass_through=True, allow_series=True)


def check_names(data: Any, argument: str) -> None:
    """Refuse a frame with columns of one name, in words of ours, before a library of frames does."""
    columns: Any = getattr(data, "columns", None) if hasattr(data, "iloc") else None  # pandas and its like
    if getattr(columns, "is_unique", True) is False:
        same = sorted({str(name) for name in columns[columns.duplicated()]})
        raise ValueError(f"`{argument}` has columns of the same name: {', '.join(same)}. Give each its own.")


def frame_of(lines: Sequence[Mapping[str, Any]], instead: str, columns: Sequence[str] | None = None) -> Any:
    """What every ``to_frame`` gives: a pandas data frame of some lines, with its columns even if there are none."""
    if find_spec("pandas") is None:
        raise ImportError(f"to_frame() needs pandas; {instead} has the same lines.")
    import pandas as pd  # type: ignore[import-untyped,unused-ignore] # noqa: PLC0415 - an extra

    return pd.DataFrame(list(lines), columns=None if columns is None else list(columns))


def plain_name(name: Any) -> str:
    """A name as a string; pandas' names may be numbers, or several in one."""
    return ", ".join(str(part) for part in name) if isinstance(name, tuple) else str(name)


def unknown(names: Iterable[str], known: Sequence[str]) -> str:
    """What is not among the known names, with those most like it, or what there is; empty if all are."""
    there = set(known)
    missing = list(dict.fromkeys(name for name in names if name not in there))
    if not missing:
        return ""
    said = _listed(missing, MISSED)
    near = dict.fromkeys(like for name in missing[:MISSED] for like in nearest_names(name, known))
    if near:
        return f"{said}; did you mean {' or '.join(map(repr, near))}?"
    return f"{said}; it has {_listed(known, SHOWN)}."


def _listed(names: Sequence[str], most: int) -> str:
    return ", ".join(map(repr, names[:most])) + (", ..." if len(names) > most else "")


def nearest_names(name: str, known: Sequence[str]) -> list[str]:
    """The names most like a name, by their letters without regard to case and blanks."""
    plain: dict[str, list[str]] = {}
    for one in known:
        plain.setdefault(_plain(one), []).append(one)
    started = [key for key in plain if len(_plain(name)) > 2 and key.startswith(_plain(name))]
    keys = dict.fromkeys([*get_close_matches(_plain(name), list(plain), n=SUGGESTED), *started])
    return [one for key in keys for one in plain[key]][:SUGGESTED]


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").split())
