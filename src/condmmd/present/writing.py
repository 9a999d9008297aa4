"""Files that appear whole, and never in place of something that was not to be replaced."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["check_target", "write_whole"]


def check_target(path: str | os.PathLike[str], *, overwrite: bool, argument: str = "path") -> Path:
    """A path that may be written to, or an error before any work is done."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"`{argument}`: {target} is a folder; name a file in it.")
    if target.exists() and not overwrite:
        raise FileExistsError(f"`{argument}`: {target} exists already; name another file, or pass overwrite=True.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"`{argument}`: there is no folder {target.parent}; make it first.")
    return target


def write_whole(path: Path, text: str) -> None:
    """Write all of a file or nothing: it appears under its name when it is complete."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
