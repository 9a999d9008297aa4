"""How much a file may ask of the machine: it is read a piece at a time, and refused as soon as it is too much."""

from __future__ import annotations

import codecs
import os
import re
import stat
from dataclasses import dataclass
from typing import Any

__all__ = ["Bounds", "in_words", "read_all", "read_size"]

PIECE = 2**20
# A number takes eight bytes, whatever its length as text.
FIELD_BYTES = 8
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Bounds:
    """What one file may take.

    Parameters
    ----------
    memory
        Bytes that a file takes once it is read: its text, and eight bytes a field. What is computed comes on top.
    columns
        Columns of a file.
    """

    memory: int = 2 * 2**30
    columns: int = 10_000

    def __post_init__(self) -> None:
        if self.columns < 1:
            raise ValueError(f"--max-columns must be at least 1; got {self.columns}.")

    def check_columns(self, count: int, path: str) -> None:
        """Not too many columns."""
        if count > self.columns:
            raise ValueError(
                f"{path} has {count:,} columns, and at most {self.columns:,} are read. Leave some out of the file, or "
                "raise --max-columns."
            )

    def check_bytes(self, size: int, path: str, what: str, remedy: str) -> None:
        """Not too much memory."""
        if size > self.memory:
            raise ValueError(
                f"{path} takes more than {in_words(self.memory)} of memory ({what}). {remedy}, or raise --max-memory."
            )


def read_size(text: str) -> int:
    """Bytes, from a number with or without K, M, G or T."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) *([KMGT]?)(?:i?B)?", text.strip(), flags=re.IGNORECASE)
    size = int(float(found[1]) * UNITS[found[2].upper()]) if found else 0
    if size < 1:
        raise ValueError(f"--max-memory must be a size such as 500M or 4G; got {text!r}.")
    return size


def in_words(size: float) -> str:
    """A size as people say it."""
    power = min(3, max(0, int(size).bit_length() - 1) // 10)
    return f"{size / 2 ** (10 * power):.3g} {('bytes', 'kB', 'MB', 'GB')[power]}"


def read_all(
    stream: Any, path: str, bounds: Bounds, *, delimiter: str | None = None, encoding: str = "utf-8"
) -> bytearray:
    """All that a stream has, as UTF-8 if it is text; or an error as soon as it is too much.

    Parameters
    ----------
    stream
        Of bytes.
    path
        What it is called.
    bounds
        What it may take.
    delimiter
        Between the fields of a text: then they are counted. None: these are not fields.
    encoding
        Of a text. What claims to be UTF-8 already is left as it is.
    """
    remedy = "Take fewer rows or columns, or write it as Parquet, which is read in parts"
    bounds.check_bytes(_size_of(stream), path, "by its size alone", remedy)
    utf8 = codecs.lookup(encoding).name == "utf-8"
    decoder = None if delimiter is None or utf8 else codecs.getincrementaldecoder(encoding)()
    text, fields = bytearray(), 0
    while piece := stream.read(PIECE):
        added = piece if decoder is None else decoder.decode(piece).encode()
        text += added
        fields += 0 if delimiter is None else added.count(delimiter.encode()) + added.count(b"\n")
        counted = f" with {fields:,} fields" if fields else ""
        size = len(text) + FIELD_BYTES * fields
        bounds.check_bytes(size, path, f"after {in_words(len(text))} of it{counted}", remedy)
    if decoder is not None:
        text += decoder.decode(b"", final=True).encode()
    return text


def _size_of(stream: Any) -> int:
    """Bytes of a file on a disk; 0 for what has no size, such as standard input, or what is unpacked on the way."""
    try:
        about = os.fstat(stream.fileno())
    except (OSError, AttributeError):
        return 0
    return about.st_size if stat.S_ISREG(about.st_mode) else 0
