"""Parquet files that are larger than memory: the same checks of each part of a file, and rows that stay in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.app.bounds import FIELD_BYTES, Bounds
from condmmd.app.files import decoded, pick_columns
from condmmd.app.names import check_names
from condmmd.app.parquet_files import PARQUET, open_parquet, size_of
from condmmd.data import Groups, Partitions, read_group

__all__ = ["Source", "Stream", "group_values", "open_streams", "stream"]

# A file whose columns take more than this in memory is read in parts.
STREAM_BYTES = 2**29
LABEL = "label of P or Q"


@dataclass(frozen=True)
class Source:
    """A Parquet file by its parts (row groups), and the rows of the largest."""

    path: str
    columns: tuple[str, ...]
    parts: tuple[int, ...]
    rows: int
    largest: int

    def read(self, part: int, names: Sequence[str]) -> Any:
        """Some columns of a part."""
        with open_parquet(self.path) as file:
            return file.read_row_group(part, columns=list(names))


@dataclass(frozen=True, eq=False)
class Stream:
    """Columns of one or two files in partitions, the labels, and what the columns are."""

    X: Any
    Y: Any
    groups: Groups
    types: dict[str, str]
    left_out: int


def open_streams(paths: Sequence[str], *, always: bool = False) -> list[Source] | None:
    """The files by their parts, if they are Parquet and too large to be read at once; else None."""
    found = [_open(path) for path in paths]
    sources = [source for source, _ in found if source is not None]
    if len(sources) < len(paths):
        if always:
            raise ValueError(f"--stream needs Parquet files; {paths[len(sources)]} is none.")
        return None
    return sources if always or sum(size for _, size in found) > STREAM_BYTES else None


def _open(path: str) -> tuple[Source | None, int]:
    """A Parquet file by its parts and the bytes of its columns in memory; None and 0 for anything else."""
    if path == "-" or not Path(path).is_file():
        return None, 0
    with Path(path).open("rb") as raw:
        if raw.read(4) != PARQUET:
            return None, 0
    try:
        from pyarrow import ArrowInvalid  # noqa: PLC0415
    except ImportError:
        return None, 0
    try:
        with open_parquet(path) as file:
            about, names, size = file.metadata, tuple(file.schema_arrow.names), size_of(file)
    except ArrowInvalid:  # a broken file, which whoever reads it whole says best
        return None, 0
    rows = [about.row_group(k).num_rows for k in range(about.num_row_groups)]
    return Source(path, names, tuple(np.flatnonzero(rows).tolist()), about.num_rows, max(rows, default=0)), size


def group_values(source: Source, column: str) -> list[str]:
    """The different values of a column, as text; a part at a time."""
    check_names([column], source.columns, source.path)
    found: set[str] = set()
    for part in source.parts:
        values = decoded(source.read(part, [column])[column], column)
        found.update("" if value is None else str(value) for value in values.unique().to_pylist())
    return sorted(found)


def stream(
    sources: Sequence[Source],
    covariates: Sequence[str],
    outcomes: Sequence[str],
    group: tuple[str, str, str] | None,
    labels: tuple[str, str],
    *,
    bounds: Bounds = Bounds(),  # noqa: B008 - a frozen value
    **picked: Any,
) -> Stream:
    """Columns of the files, as `pick_columns` reads them.

    Parameters
    ----------
    sources
        One file, or two: then the first is P.
    covariates, outcomes
        Columns.
    group
        With one file: the column that tells the samples apart, and its values for P and Q.
    labels
        What P and Q are called.
    bounds
        What a part may take.
    picked
        As in `pick_columns`.
    """
    try:
        import dask  # noqa: PLC0415
        import dask.array  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("files this large need dask: pip install 'condmmd[scale]'") from error
    names = [*covariates, *outcomes]
    for source in sources:
        check_names([*names, *picked.get("categorical", ()), *picked.get("numeric", ())], source.columns, source.path)
        bounds.check_columns(len(names), source.path)
        bounds.check_bytes(
            FIELD_BYTES * source.largest * len(names), source.path, f"a part of it has {source.largest:,} rows",
            "Write it in smaller parts (row groups)",
        )  # fmt: skip
    reader = partial(_read_part, names=names, group=group, picked=picked)
    where = [(source, part, 1.0 - number) for number, source in enumerate(sources) for part in source.parts]
    _, types = reader(*where[0], with_types=True)
    made = dask.delayed(reader, pure=False)
    frame = Partitions(tuple(made(*one) for one in where))
    groups = Groups(read_group(frame.select([LABEL])).t, *labels)
    left_out = sum(source.rows for source in sources) - int(groups.t.shape[0])
    return Stream(frame.select(covariates), frame.select(outcomes), groups, types, left_out)


def _read_part(
    source: Source,
    part: int,
    side: float,
    *,
    names: list[str],
    group: tuple[str, str, str] | None,
    picked: dict[str, Any],
    with_types: bool = False,
) -> Any:
    """Rows of a part as a table with a label; and what the columns are, if that is wanted."""
    wanted = names if group is None else [*names, group[0]]
    frame = pick_columns(source.read(part, wanted), wanted, strict=wanted[len(names) :], empty=True, **picked)
    table, t = frame.table.select(names), np.full(frame.table.num_rows, side)
    if group is not None:
        of_p, of_q = (_equal(frame.table[group[0]], value) for value in group[1:])
        keep = of_p | of_q
        table, t = table.filter(keep), of_p[keep].astype(np.float64)
    data = table.append_column(LABEL, [t])
    types = {name: kind.split(" (")[0] for name, kind in frame.types.items()}
    return (data, types) if with_types else data


def _equal(column: Any, value: str) -> npt.NDArray[np.bool_]:
    """Where a column is a value, as text; a value that comes often is made text once."""
    import pyarrow.compute as pc  # noqa: PLC0415

    distinct = column.unique()
    same = distinct.filter(np.array([("" if v is None else str(v)) == value for v in distinct.to_pylist()], dtype=bool))
    return np.asarray(pc.is_in(column, value_set=same))
