"""The command ``condmmd look``: what a test of a table would meet, before it is made."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

import numpy as np

from condmmd.app.cli.answers import answer_as
from condmmd.app.cli.clock import ticking
from condmmd.app.cli.output import put_json, target_file, teller
from condmmd.app.cli.reading import Job, check_asked, job_of, read_tables
from condmmd.app.cli.suggesting import Roles, command_of, guess_roles, parsed, role_of
from condmmd.app.cli.words import in_options
from condmmd.app.columns import ColumnLook, look_at_columns, names_rows
from condmmd.app.files import stack
from condmmd.backend import to_host
from condmmd.data import Table, read_samples
from condmmd.data.warning_types import CondmmdWarning
from condmmd.explain.derived import derived_outcomes
from condmmd.explain.preflight import Preflight, preflight
from condmmd.labels import read_blocks

__all__ = ["look"]

# Columns, and characters in a line, that are shown.
MAX_SHOWN = 60
WIDTH = 110
# Covariates that are left out, one after the other, for what they say of groups or outcomes.
MAX_LEFT_OUT = 5
# The share of rows that a covariate sorts into their group, if nothing is left of overlap.
ALTOGETHER = 0.999


@dataclass(frozen=True, eq=False)
class Seen:
    """Everything that was found."""

    looks: list[ColumnLook]
    roles: Roles
    rows: int
    lost: dict[str, tuple[int, int]]
    lost_rows: int
    job: Job | None
    flight: Preflight | None
    problem: str
    command: str


def look(options: argparse.Namespace, _given: list[str]) -> int:
    """Read a table, say what a test would meet, and suggest one."""
    json_file = None if options.json_file is None else target_file(options.json_file, options, "--json-file")
    say = teller(options)
    with ticking(options) as clock:
        clock.tell("reading")
        tables = read_tables(options)
        check_asked(options, tables[0].column_names)
        if not sum(table.num_rows for table in tables):
            raise ValueError("the table has no rows.")
        clock.tell("looking")
        seen = _see(options, tables)
    if not put_json(answer_as("look", _plain(seen, options), full=options.full), json_file, options, say):
        print(_text(seen, options))
    return 0


def _see(options: argparse.Namespace, tables: list[Any]) -> Seen:
    looks = _looks(options, tables)
    roles = guess_roles(looks, options)
    if options.file2 is None and roles.group is None:
        roles = replace(roles, guessed=())
    used = {*roles.outcomes, *roles.covariates, *([roles.group] if roles.group is not None else [])}
    lost, lost_rows = _lost([one for one in looks if one.name in used])
    seen = Seen(looks, roles, sum(table.num_rows for table in tables), lost, lost_rows, None, None, "", "")
    problem = _missing_role(options, roles)
    if problem:
        return replace(seen, problem=problem)
    try:
        return _fly(seen, options, tables)
    except (ValueError, TypeError) as error:
        return replace(seen, problem=in_options(str(error)))


def _missing_role(options: argparse.Namespace, roles: Roles) -> str:
    if options.file2 is None and roles.group is None:
        return "no column has two values; name the --group, and two of its values with --groups."
    if not roles.outcomes:
        return "no column is left to compare; name the --outcome."
    return "" if roles.covariates else "no column is left to condition on; name the --covariates."


def _looks(options: argparse.Namespace, tables: list[Any]) -> list[ColumnLook]:
    """All columns of the table, or of both."""
    told = {"categorical": options.categorical, "numeric": options.numeric}
    if len(tables) == 1:
        return look_at_columns(tables[0], tables[0].column_names, **told)
    first, second = tables
    rows = first.num_rows + second.num_rows
    found = []
    for name in first.column_names:
        try:
            found += look_at_columns(stack(first, second, [name]), [name], **told)
        except ValueError as error:
            alone = name not in second.column_names
            trouble = "in the first file only" if alone else "not read"
            remarks = () if alone else (str(error),)
            found.append(ColumnLook(name, "not read", 0, 0, (), trouble, remarks, np.full(rows, True)))
    return found


def _lost(looks: list[ColumnLook]) -> tuple[dict[str, tuple[int, int]], int]:
    """Rows that each column lacks, those that it alone lacks, and rows that lack anything."""
    missing = np.array([~one.valid for one in looks])
    count = missing.sum(axis=0) if len(looks) else np.zeros(0)
    found = {one.name: (one.missing, int((lacks & (count == 1)).sum()))
             for one, lacks in zip(looks, missing, strict=True) if one.missing}  # fmt: skip
    return dict(sorted(found.items(), key=lambda pair: -pair[1][0])), int((count > 0).sum())


def _fly(seen: Seen, options: argparse.Namespace, tables: list[Any]) -> Seen:
    """Read the table as the suggested command would, and look at the two samples."""
    roles = seen.roles
    understood, _ = parsed(command_of(roles, options, drop_missing=seen.lost_rows > 0))
    job = job_of(understood, tables)
    if job.blocks is not None:
        read_blocks(job.blocks, to_host(job.group.t))  # or it is refused, as a test would
    roles = replace(roles, blocks=roles.blocks or _blocks(seen, options, tables))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CondmmdWarning)  # of constant columns, which are told
        samples = read_samples(job.X, job.Y, job.group)
        flight = preflight(samples)
        for _ in range(MAX_LEFT_OUT):
            apart = [name for name, share in flight.separating if share >= ALTOGETHER]
            if not apart or len(samples.x.columns) == 1:
                break
            roles = roles.without(apart[0], "it alone tells the groups apart: nothing can be compared given it")
            samples = replace(samples, x=_without(samples.x, apart[0]))
            flight = preflight(samples)
        x = samples.x
        for _ in range(MAX_LEFT_OUT):
            exact = [one for one in derived_outcomes(x, samples.y) if one.exact]
            if not exact or len(x.columns) == 1:
                break
            gone = exact[0].covariates[0]
            roles, x = roles.without(gone, f"{exact[0].outcome} was computed from it"), _without(x, gone)
    _, command = parsed(command_of(roles, options, drop_missing=seen.lost_rows > 0))
    return replace(seen, roles=roles, job=job, flight=flight, command=command)


def _without(x: Table, name: str) -> Table:
    return x.select(tuple(j for j, other in enumerate(x.names) if other != name))


def _blocks(seen: Seen, options: argparse.Namespace, tables: list[Any]) -> str | None:
    """A column that names units of several rows, each in one group: then they are the blocks."""
    for one in seen.looks:
        repeats = one.trouble.startswith("identifier") and one.distinct < int(one.valid.sum())
        if not repeats or not names_rows(one.name):
            continue
        understood, _ = parsed(command_of(replace(seen.roles, blocks=one.name), options, drop_missing=True))
        job = job_of(understood, tables)
        try:
            read_blocks(job.blocks, to_host(job.group.t))
        except ValueError:  # units of both groups
            continue
        return one.name
    return None


def _plain(seen: Seen, options: argparse.Namespace) -> dict[str, Any]:
    """All of it, in types that JSON has."""
    roles, job, flight = seen.roles, seen.job, seen.flight
    return {
        "files": [path for path in (options.file, options.file2) if path is not None],
        "rows": seen.rows,
        "columns": [
            {
                "name": one.name, "role": role_of(one.name, roles).rstrip("?"), "type": one.kind,
                "missing": one.missing, "distinct": one.distinct, "left_out": roles.left_out.get(one.name, ""),
                "remarks": list(one.remarks),
            }
            for one in seen.looks
        ],
        "outcomes": list(roles.outcomes),
        "group": roles.group,
        "guessed": list(roles.guessed),
        "group_candidates": list(roles.candidates),
        "labels": None if job is None else {"P": job.group.p_label, "Q": job.group.q_label},
        "n_obs": None if job is None else {"P": job.group.n, "Q": job.group.m},
        "lost": {
            "rows": seen.lost_rows,
            "by": {name: {"missing": lacks, "alone": alone} for name, (lacks, alone) in seen.lost.items()},
        },
        "overlap": None if flight is None else {
            "rows": flight.rows,
            "effective_rows": flight.effective_rows,
            "separating": [{"covariate": name, "share": share} for name, share in flight.separating],
        },
        "derived": [] if flight is None else [
            {"outcome": one.outcome, "covariates": list(one.covariates), "share": one.share, "exact": one.exact,
             "how": one.how}
            for one in flight.derived
        ],
        "findings": [] if flight is None else [
            {"kind": one.kind, "severity": one.severity, "message": in_options(one.message),
             "remedy": in_options(one.remedy)}
            for one in flight.findings
        ],
        "problem": seen.problem or None,
        "command": seen.command or None,
    }  # fmt: skip


def _text(seen: Seen, options: argparse.Namespace) -> str:
    """The same for a person."""
    files = " and ".join(path for path in (options.file, options.file2) if path is not None)
    lines = [f"{files}: {seen.rows} rows, {len(seen.looks)} columns", "", *_column_lines(seen), ""]
    for title, words in _said(seen):
        lines += wrap(words, WIDTH, initial_indent=f"{title:<10}", subsequent_indent=" " * 10, break_on_hyphens=False)
    if seen.command:
        guess = f" ({' and '.join(seen.roles.guessed)} guessed)" if seen.roles.guessed else ""
        lines += ["", f"Try{guess}:", f"  {seen.command}"]
    return "\n".join(lines)


def _column_lines(seen: Seen) -> list[str]:
    rows = [("column", "role", "read as", "missing", "distinct", "")]
    for one in seen.looks[:MAX_SHOWN]:
        reason = seen.roles.left_out.get(one.name, "")
        remarks = "; ".join(part for part in (reason, *one.remarks) if part)
        rows.append((
            one.name, role_of(one.name, seen.roles), one.kind, str(one.missing or "-"), str(one.distinct or "-"),
            remarks,
        ))  # fmt: skip
    widths = [min(30, max(len(row[k]) for row in rows)) for k in range(5)]
    lines = []
    for row in rows:
        cells = [f"{cell:>{width}}" if k in {3, 4} else f"{cell:<{width}}"
                 for k, (cell, width) in enumerate(zip(row[:5], widths, strict=True))]  # fmt: skip
        lines.append(f"  {'  '.join(cells)}  {row[5]}".rstrip())
    more = len(seen.looks) - MAX_SHOWN
    return [*lines, f"  ... and {more} more"] if more > 0 else lines


def _said(seen: Seen) -> list[tuple[str, str]]:
    """What there is to say of the table as a whole, each under a word."""
    said = []
    job, flight, roles = seen.job, seen.flight, seen.roles
    if job is not None:
        group = job.group
        others = [name for name in roles.candidates if name != roles.group]
        could = f" Other columns of two values: {', '.join(others[:8])}." if others and "group" in roles.guessed else ""
        said.append(("groups", f"P {group.p_label}, {group.n} rows; Q {group.q_label}, {group.m} rows.{could}"))
    if seen.lost_rows:
        by = [f"{name} {lacks} ({alone} by it alone)" for name, (lacks, alone) in list(seen.lost.items())[:8]]
        more = f" and {len(seen.lost) - 8} more" if len(seen.lost) > 8 else ""
        said.append(("missing", f"{seen.lost_rows} of {seen.rows} rows would be lost: {', '.join(by)}{more}."))
    if flight is not None:
        said += _flight_said(flight)
    if seen.problem:
        said.append(("PROBLEM", f"a test would be refused: {seen.problem}"))
    return said


def _flight_said(flight: Preflight) -> list[tuple[str, str]]:
    said = []
    apart = ", ".join(f"{name} ({share:.0%})" for name, share in flight.separating)
    if flight.effective_rows is not None:
        worth = f"A comparison is worth that of {flight.effective_rows:.0f} of {flight.rows} rows"
        said.append(("overlap", f"{worth}. What sorts rows into their group best, alone (50% is none): {apart}."))
    first = " The command leaves out the first." if any(one.exact for one in flight.derived) else ""
    said += [
        ("derived", f"{one.sentence()}. Leave out of X what it was computed from.{first}") for one in flight.derived
    ]
    told = [one for one in flight.findings if one.severity != "fine"]
    said += [("note" if one.severity == "note" else "WARNING", in_options(one.words)) for one in told]
    return said
