"""Files that appear whole, and never in place of something that was not to be replaced."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["check_target", "write_whole"]


def check_target(path: str | os.PathLike[str], *, overwrite: bool, argument: str = "path") -> Path:
    """A path that can and may be written to, or an error before any work is done."""
    target = Path(path)
    real = _real_file(target, argument)
    if real.exists() and not overwrite:
        raise FileExistsError(f"`{argument}`: {target} exists already; name another file, or pass overwrite=True.")
    if not real.parent.is_dir():
        raise FileNotFoundError(f"`{argument}`: there is no folder {real.parent}; make it first.")
    if real.exists() and not os.access(real, os.W_OK):
        raise PermissionError(f"`{argument}`: {target} may not be written to; name another file.")
    try:
        with tempfile.TemporaryFile(dir=real.parent):
            pass
    except OSError as error:
        raise PermissionError(
            f"`{argument}`: no file can be made in {real.parent} ({error.strerror}); name a file in another folder."
        ) from None
    return target


def _real_file(path: Path, argument: str) -> Path:
    """What is written in the end: behind a link its target, and never a folder, a pipe or a device."""
    real = Path(os.path.realpath(path))
    if real.is_dir():
        raise ValueError(f"`{argument}`: {path} is a folder; name a file in it.")
    if real.exists() and not real.is_file():
        raise ValueError(f"`{argument}`: {path} is a pipe, a socket or a device; name a file.")
    return real


def write_whole(path: Path, text: str) -> None:
    """Write all of a file or nothing: it appears under its name when it is complete, with the rights of the old one."""
    real = _real_file(path, "path")
    handle, name = tempfile.mkstemp(prefix=f".{real.name[:100]}.", dir=real.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        _give_rights(name, real)
        Path(name).replace(real)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _give_rights(name: str, real: Path) -> None:
    """Those of the file that is replaced; for a new one, those that any new file has."""
    if real.exists():
        old = real.stat()
        with suppress(OSError):  # only the superuser gives files away
            os.chown(name, old.st_uid, old.st_gid)
        Path(name).chmod(stat.S_IMODE(old.st_mode))
        return
    mask = os.umask(0)
    os.umask(mask)
    Path(name).chmod(0o666 & ~mask)
