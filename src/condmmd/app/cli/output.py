"""What the command line says and writes: notes, progress, JSON, and files that are checked before any work."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from condmmd.app.cli.clock import CLEAR
from condmmd.app.cli.words import in_options
from condmmd.data.warning_types import CondmmdWarning
from condmmd.present import check_extras, check_target, write_whole

__all__ = ["Note", "listed", "noted", "put_json", "target_file", "target_files", "teller"]


class Note(str):
    """A warning in words, which knows what kind it was: a report has checks of its own for some."""

    __slots__ = ("category",)
    category: type[Warning]

    def __new__(cls, words: str, category: type[Warning]) -> Self:
        """The words are the string."""
        note = super().__new__(cls, words)
        note.category = category
        return note


@contextmanager
def noted(say: Callable[[str], None]) -> Iterator[list[str]]:
    """Collect the warnings of condmmd as notes, each once, and say them at the end."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CondmmdWarning)
        yield notes
    notes[:0] = [Note(in_options(str(w.message)), w.category) for w in caught if issubclass(w.category, CondmmdWarning)]
    notes[:] = dict.fromkeys(notes)
    for note in notes:
        say(f"note: {note}")


def put_json(
    answer: dict[str, Any], path: Path | None, options: argparse.Namespace, say: Callable[[str], None]
) -> bool:
    """Write the answer to a file if one is named, and print it if asked to; whether it was printed."""
    text = json.dumps(answer, indent=1, allow_nan=False)
    if path is not None:
        write_whole(path, text + "\n")
        say(f"wrote {path}")
    if options.json:
        print(text)
    return bool(options.json)


def teller(options: argparse.Namespace) -> Callable[[str], None]:
    """How a remark is made: on standard error, or not at all with ``--quiet``."""

    def say(text: str) -> None:
        if not options.quiet:
            print(f"{CLEAR if sys.stderr.isatty() else ''}{text}", file=sys.stderr)

    return say


def target_file(path: str, options: argparse.Namespace, argument: str) -> Path:
    """A file that may be written, which is not the table itself."""
    if path == "-":
        raise ValueError(f"{argument} must be a file; use --json for JSON on standard output.")
    inputs = [Path(name) for name in (options.file, options.file2) if name not in {None, "-"}]
    if any(_same(Path(path), table) for table in inputs):
        raise ValueError(f"{argument}: {path} is the table itself; name another file.")
    try:
        return check_target(path, overwrite=options.overwrite, argument=argument)
    except FileExistsError:
        raise FileExistsError(f"{argument}: {path} exists already; name another file, or add --overwrite.") from None


def target_files(options: argparse.Namespace, what: str = "report") -> tuple[Path | None, Path | None]:
    """The report (or the picture) and the JSON file, where they are asked for."""
    wanted = getattr(options, what)
    if wanted is not None:
        check_extras()
    page = None if wanted is None else target_file(wanted, options, f"--{what}")
    json_file = None if options.json_file is None else target_file(options.json_file, options, "--json-file")
    if page is not None and json_file is not None and page.resolve() == json_file.resolve():
        raise ValueError(f"--{what} and --json-file are both {page}; name two files.")
    return page, json_file


def _same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by links of any kind."""
    return one.resolve() == other.resolve() or (one.exists() and other.exists() and one.samefile(other))


def listed(names: list[str]) -> str:
    """Columns by name, or their number if that is too long."""
    text = ", ".join(names)
    return text if len(text) <= 40 else f"{len(names)} columns"
