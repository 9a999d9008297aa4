"""Parquet files: opened so that a text that comes often is held once, and asked for their size before they are read."""

from __future__ import annotations

from typing import Any

from condmmd.app.bounds import FIELD_BYTES, Bounds

__all__ = ["PARQUET", "check_whole", "open_parquet", "size_of"]

PARQUET = b"PAR1"


def open_parquet(source: Any) -> Any:
    """A Parquet file, by its path or its bytes, whose texts are read as codes."""
    import pyarrow as pa  # noqa: PLC0415 - an extra
    from pyarrow import parquet  # noqa: PLC0415

    def opened() -> Any:
        return source if isinstance(source, str) else pa.BufferReader(source)

    with parquet.ParquetFile(opened()) as file:
        texts = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
    return parquet.ParquetFile(opened(), read_dictionary=texts)


def size_of(file: Any) -> int:
    """Bytes of a file in memory: its pages unpacked, or eight a number if those are more."""
    about = file.metadata
    packed = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
    return max(packed, FIELD_BYTES * about.num_rows * len(file.schema_arrow.names))


def check_whole(file: Any, path: str, bounds: Bounds) -> None:
    """Refuse what would take too much memory, by what the file says of itself."""
    rows, columns = file.metadata.num_rows, len(file.schema_arrow.names)
    bounds.check_columns(columns, path)
    bounds.check_bytes(size_of(file), path, f"{rows:,} rows of {columns:,} columns", "Take fewer rows or columns")
