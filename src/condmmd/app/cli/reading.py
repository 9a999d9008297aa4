"""From the arguments to two samples: which files, which columns in which role, which rows of which group."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from condmmd.app.bounds import Bounds, read_size
from condmmd.app.files import Frame, pick_columns, read_file, stack
from condmmd.app.names import check_names
from condmmd.app.plain_tables import PlainTable
from condmmd.app.streaming import Source, group_values, open_streams, stream
from condmmd.data import Groups
from condmmd.data.groups import is_first_of_two

__all__ = [
    "Job", "block_values", "check_asked", "covariates_of", "describe_job", "job_of", "notes_of", "read_job",
    "read_pilot", "read_tables",
]  # fmt: skip

MAX_SHOWN = 20


@dataclass(frozen=True)
class Job:
    """Two samples as they are to be compared, with what there is to say about them; ``blocks`` has a value a row.

    The first of the notes says where they are from.
    """

    X: Any
    Y: Any
    group: Groups
    frame: Frame
    covariates: list[str]
    outcomes: list[str]
    notes: tuple[str, ...]
    blocks: Any = None


def _read_stream(options: argparse.Namespace, sources: list[Source]) -> Job:
    """Files too large to be read at once."""
    if options.blocks is not None:
        raise ValueError("--blocks needs all rows in memory, and this file is read in parts; take some of its rows.")
    covariates, outcomes = _roles(options, list(sources[0].columns))
    group, labels = None, ("", "")
    if options.file2 is None:
        p, q = _two_values(group_values(sources[0], options.group), options.group, options.groups)
        group, labels = (options.group, p, q), (_told_apart(options.group, p), _told_apart(options.group, q))
    else:
        labels = _file_labels(options.file, options.file2)
    labels = _named(options, labels)
    found = stream(
        sources, covariates, outcomes, group, labels,
        bounds=_bounds(options), categorical=options.categorical, numeric=options.numeric,
        drop_missing=options.drop_missing,
    )  # fmt: skip
    notes = [f"from {options.file}" + (f" and {options.file2}" if options.file2 else "") + ", read in parts"]
    if found.left_out:
        notes.append(f"{found.left_out} rows with missing values or of other groups were left out")
    frame = Frame(None, found.types, found.left_out)
    return Job(found.X, found.Y, found.groups, frame, covariates, outcomes, tuple(notes))


def read_job(options: argparse.Namespace) -> Job:
    """Read the two samples, at once or in parts."""
    _check_sources(options)
    sources = open_streams([path for path in (options.file, options.file2) if path is not None], always=options.stream)
    if sources is not None:
        return _read_stream(options, sources)
    return job_of(options, read_tables(options))


def read_tables(options: argparse.Namespace) -> list[Any]:
    """The files as they are, whole."""
    settings = {
        "delimiter": options.delimiter, "encoding": options.encoding, "sheet": options.sheet,
        "bounds": _bounds(options),
    }  # fmt: skip
    return [read_file(path, **settings) for path in (options.file, options.file2) if path is not None]


def check_asked(options: argparse.Namespace, columns: list[str]) -> None:
    """Every column that was named must be there, and two files must not be told apart once more."""
    if options.file2 is not None or options.file == options.file2:
        _check_sources(options)
    single = [name for name in (options.group, options.blocks) if name is not None]
    named = [*(options.outcome or ()), *(options.covariates or ()), *options.exclude, *single]
    check_names([*named, *options.categorical, *options.numeric], columns, "the table")


def job_of(options: argparse.Namespace, tables: list[Any]) -> Job:
    """The two samples from tables that were read."""
    covariates, outcomes = _roles(options, tables[0].column_names)
    names = [*covariates, *outcomes, *_blocks(options)]
    picked = {
        "categorical": options.categorical, "numeric": options.numeric, "drop_missing": options.drop_missing,
    }  # fmt: skip
    if len(tables) == 2:
        column = _free_name(names)
        labels = _file_labels(options.file, options.file2)
        sides = [1] * tables[0].num_rows + [0] * tables[1].num_rows
        joined = stack(tables[0], tables[1], names).append_column(column, [sides])
        frame = pick_columns(joined, [*names, column], strict=[column, *_blocks(options)], **picked)
        t = np.asarray(frame.table[column], dtype=np.float64)
    else:
        frame = pick_columns(tables[0], [*names, options.group], strict=[options.group, *_blocks(options)], **picked)
        frame, t, labels = _split(frame, options.group, options.groups)
    labels = _named(options, labels)
    for label, count in zip(labels, (int(t.sum()), int((1 - t).sum())), strict=True):
        if count < 2:
            raise ValueError(f"there are {count} rows of '{label}'; at least 2 are needed.")
    return Job(
        *_spaces(frame, covariates, outcomes), Groups(t, *labels), frame, covariates, outcomes,
        tuple(notes_of(options, frame)), block_values(frame, options.blocks),
    )  # fmt: skip


def read_pilot(options: argparse.Namespace) -> Job:
    """One sample of one population, whose groups are given by chance: all rows are of P until then."""
    (table,) = read_tables(options)
    covariates, outcomes = _roles(options, table.column_names)
    frame = pick_columns(
        table, [*covariates, *outcomes], strict=[], categorical=options.categorical, numeric=options.numeric,
        drop_missing=options.drop_missing,
    )  # fmt: skip
    groups = Groups(np.ones(frame.table.num_rows), "P", "Q")
    return Job(
        *_spaces(frame, covariates, outcomes), groups, frame, covariates, outcomes, tuple(notes_of(options, frame))
    )


def notes_of(options: argparse.Namespace, frame: Frame) -> list[str]:
    """Where the rows are from, and how many were left out."""
    notes = [f"from {options.file}" + (f" and {options.file2}" if options.file2 else "")]
    return notes + [f"{frame.dropped} rows with missing values were left out"] * bool(frame.dropped)


def _bounds(options: argparse.Namespace) -> Bounds:
    return Bounds(read_size(options.max_memory), options.max_columns)


def _check_sources(options: argparse.Namespace) -> None:
    if options.names is not None:
        p, q = (name.strip() for name in options.names)
        if not p or not q or p == q:
            raise ValueError(f"--names must be two different names, of P and of Q; got {p!r} and {q!r}.")
    if options.file2 is not None and (options.group is not None or options.groups):
        raise ValueError("two files are two samples; --group and --groups are for one file that holds both.")
    if options.file2 is None and options.group is None:
        raise ValueError("name the column that tells the two samples apart with --group, or give two files.")
    if options.file == options.file2 == "-":
        raise ValueError("standard input can be read once; save one of the samples to a file.")


def _spaces(frame: Frame, covariates: list[str], outcomes: list[str]) -> tuple[Any, Any]:
    """The two tables as the library reads them."""
    x, y = frame.table.select(covariates), frame.table.select(outcomes)
    return (x.as_space("X"), y.as_space("Y")) if isinstance(x, PlainTable) else (x, y)


def _blocks(options: argparse.Namespace) -> list[str]:
    """The column of the blocks, if there is one."""
    return [] if options.blocks is None else [options.blocks]


def block_values(frame: Frame, column: str | None) -> Any:
    """The block of each row, as text: a number and its name are one block."""
    if column is None:
        return None
    frame.types[column] = "blocks"
    return np.array([str(value) for value in frame.table[column].to_pylist()], dtype=object)


def _roles(options: argparse.Namespace, columns: list[str]) -> tuple[list[str], list[str]]:
    """Names of the covariates and of the outcomes."""
    outcomes = list(dict.fromkeys(options.outcome))
    single = {options.group, options.blocks} - {None}
    covariates = covariates_of(options, [name for name in columns if name not in {*outcomes, *single}])
    check_names(options.exclude, columns, "the table")
    twice = ({*outcomes} & {*covariates}) | (single & {*covariates, *outcomes})
    twice |= {options.group} & {options.blocks} - {None}
    if twice:
        raise ValueError(
            f"{', '.join(map(repr, sorted(twice)))} can have one role only: outcome, covariate, group or blocks."
        )
    return covariates, outcomes


def covariates_of(options: argparse.Namespace, others: list[str], *, needed: bool = True) -> list[str]:
    """Those that were named, else the columns that have no other role but those left out."""
    if options.covariates and options.exclude:
        raise ValueError("--covariates names those there are, --exclude those there are not; give one of the two.")
    found = list(dict.fromkeys(options.covariates or [name for name in others if name not in options.exclude]))
    if needed and not found:
        raise ValueError("there is no column left to condition on; name the --covariates.")
    return found


def _free_name(names: list[str]) -> str:
    name = "sample"
    while name in names:
        name += "_"
    return name


def _file_labels(first: str, second: str) -> tuple[str, str]:
    """Names of the two samples: the files' names without folders, or with them if those are the same."""
    short = [Path(path).name.split(".")[0] or path for path in (first, second)]
    labels = short if short[0] != short[1] else [first, second]
    return ("first file", "second file") if labels[0] == labels[1] else (labels[0], labels[1])


def _named(options: argparse.Namespace, labels: tuple[str, str]) -> tuple[str, str]:
    """What the user calls the groups, or else how they are told apart."""
    return labels if options.names is None else (options.names[0].strip(), options.names[1].strip())


def _split(frame: Frame, column: str, wanted: list[str] | None) -> tuple[Frame, Any, tuple[str, str]]:
    """The rows of the two groups, which of them are of P, and what the groups are called."""
    values = ["" if v is None else str(v) for v in frame.table[column].to_pylist()]
    p, q = _two_values(sorted(set(values)), column, wanted)
    of_p, keep = np.array([v == p for v in values]), np.array([v in {p, q} for v in values])
    if not keep.all():
        frame, of_p = replace(frame, table=frame.table.filter(keep)), of_p[keep]
    return frame, of_p.astype(np.float64), (_told_apart(column, p), _told_apart(column, q))


def _told_apart(column: str, value: str) -> str:
    """A group in words; 1.0, which is how a file may write a label, is 1."""
    return f"{column} = {value.removesuffix('.0') if value.removesuffix('.0').isdigit() else value}"


def _two_values(found: list[str], column: str, wanted: list[str] | None) -> tuple[str, str]:
    """The values of P and of Q."""
    shown = ", ".join(map(repr, found[:10])) + (", ..." if len(found) > 10 else "")
    if wanted is None:
        if len(found) != 2:
            remedy = " Name the two to compare: --groups P Q." if len(found) > 2 else ""
            raise ValueError(f"'{column}' must have two different values; it has {len(found)}: {shown}.{remedy}")
        return (found[0], found[1]) if is_first_of_two(found[0]) else (found[1], found[0])
    p, q = wanted
    if p == q or p not in found or q not in found:
        raise ValueError(f"--groups must be two different values of '{column}', which has {shown}.")
    return p, q


def describe_job(job: Job) -> list[str]:
    """What was read, so that a wrong guess is seen."""
    group = job.group
    lines = [f"P: {group.p_label}, {group.n} rows; Q: {group.q_label}, {group.m} rows"]
    blocks = [name for name, kind in job.frame.types.items() if kind == "blocks"]
    for role, names in (("outcome", job.outcomes), ("covariate", job.covariates), ("blocks", blocks)):
        lines += [f"  {role:<10} {name}: {_told(job, name)}" for name in names[:MAX_SHOWN]]
        if len(names) > MAX_SHOWN:
            lines.append(f"  {role:<10} ... and {len(names) - MAX_SHOWN} more")
    return [*lines, *(f"  {note}" for note in job.notes[1:])]


def _told(job: Job, name: str) -> str:
    kind = job.frame.types[name]
    return f"{len(set(job.blocks))} of them, each with one label" if kind == "blocks" else kind
