"""The command that repeats a run: as it was given, without what only says where the answer goes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

__all__ = ["repeat_command"]

# Options that change no answer, and whether they take a value; a file that was written would be in the way.
OUTPUT = {
    "--report": True, "--json-file": True, "--picture": True, "--json": False, "--full": False, "--overwrite": False,
    "--quiet": False,
}  # fmt: skip


def repeat_command(given: Sequence[str]) -> str:
    """A line that can be pasted into a shell.

    Parameters
    ----------
    given
        The arguments as they were parsed, without fault, so that an option that is cut short is like one alone.
    """
    kept = list(_without_output(given))
    remark = "  # with the same table on standard input" if "-" in kept else ""
    return shlex.join(["condmmd", *kept]) + remark


def _without_output(given: Sequence[str]) -> Iterator[str]:
    rest = iter(given)
    for word in rest:
        if word == "--":
            yield word
            yield from rest
            return
        name, equals, _ = word.partition("=")
        option = name if name in OUTPUT else next((one for one in OUTPUT if _stands_for(name, one)), None)
        if option is None:
            yield word
        elif OUTPUT[option] and not equals:
            next(rest, None)


def _stands_for(name: str, option: str) -> bool:
    return len(name) > len("--") and name.startswith("--") and option.startswith(name)
