"""The commands for tables whose rows have two sides: ``condmmd paired``, ``condmmd model``, ``condmmd calibration``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from condmmd.app.cli.answers import answer_as
from condmmd.app.cli.clock import TellingCompute, ticking
from condmmd.app.cli.output import noted, put_json, target_files, teller
from condmmd.app.cli.reading import block_values, covariates_of, notes_of, read_tables
from condmmd.app.cli.repeating import repeat_command
from condmmd.app.files import Frame, pick_columns
from condmmd.app.names import check_names
from condmmd.app.plain_tables import PlainTable
from condmmd.data import read_table
from condmmd.data.checks import check_resamples
from condmmd.data.forecasts import Normals, Quantiles
from condmmd.doors import calibration_test, model_test, paired_test
from condmmd.present import ReportContext, write_whole
from condmmd.present.rowwise import render_rows
from condmmd.results.rowwise_result import CalibrationTestResult, RowwiseResult

__all__ = ["calibration", "model", "paired"]

# What makes the test, and its arguments from the columns that were read.
Door: TypeAlias = Callable[..., RowwiseResult]
Said: TypeAlias = Callable[["_Columns"], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class _Columns:
    """Columns of a table, by the names that were asked for."""

    frame: Frame
    covariates: list[str]

    def __call__(self, names: list[str], argument: str) -> Any:
        """Some of them, as the library reads them."""
        table = self.frame.table.select(names)
        return table.as_space(argument) if isinstance(table, PlainTable) else read_table(table, argument)

    def numbers(self, names: list[str], argument: str) -> Any:
        """The same as an array, of columns that must be numbers."""
        table = self(names, argument)
        if table.categorical:
            words = ", ".join(repr(table.columns[j].name) for j in table.categorical)
            raise ValueError(f"{argument} must be numbers, and {words} has words in it.")
        return table.values


def paired(options: argparse.Namespace, given: list[str]) -> int:
    """Have two outcomes of the same rows one distribution given X?"""
    if len(options.first) != len(options.second):
        raise ValueError(
            f"--first has {len(options.first)} column(s) and --second {len(options.second)}; name as many."
        )
    labels = None if len(options.first) > 1 else (options.first[0], options.second[0])
    return _command(options, given, [*options.first, *options.second], paired_test, lambda columns: {
        "X": columns(columns.covariates, "X"), "Y1": columns(options.first, "Y1"),
        "Y2": columns(options.second, "Y2"), "labels": labels,
    })  # fmt: skip


def model(options: argparse.Namespace, given: list[str]) -> int:
    """Is Y given X distributed as a model says?"""
    return _command(options, given, [options.outcome, *_said(options)], model_test, lambda columns: {
        "X": columns(columns.covariates, "X"), "Y": columns([options.outcome], "Y"),
        "model": _forecast(options, columns), "classes": options.classes,
    })  # fmt: skip


def calibration(options: argparse.Namespace, given: list[str]) -> int:
    """Do predictions mean what they say?"""
    said = _said(options)
    options.covariates, options.exclude = list(options.given or ()), []
    return _command(options, given, [options.outcome, *said], calibration_test, lambda columns: {
        "predictions": _forecast(options, columns), "y": columns([options.outcome], "y"),
        "given": columns(options.given, "given") if options.given else None, "classes": options.classes,
    }, everything=False)  # fmt: skip


def _said(options: argparse.Namespace) -> list[str]:
    """The columns of the predictions; they must be said in one way."""
    ways = {
        "--predictions": options.predictions,
        "--mean and --sd": None if options.mean is None and options.sd is None else [options.mean, options.sd],
        "--quantiles": options.quantiles,
        "--draws": options.draws,
    }
    found = {way: columns for way, columns in ways.items() if columns}
    if len(found) != 1:
        raise ValueError(f"name the columns of the predictions in one of these ways: {', '.join(ways)}.")
    (way, columns), *_ = found.items()
    if None in columns:
        raise ValueError("--mean and --sd go together; name both.")
    if (way == "--quantiles") != (options.quantile_levels is not None):
        raise ValueError("--quantiles and --quantile-levels go together; name both.")
    if options.classes is not None and way != "--predictions":
        raise ValueError("--classes are those of --predictions; leave it out.")
    return [str(name) for name in columns]


def _forecast(options: argparse.Namespace, columns: _Columns) -> Any:
    """What the columns say of each row."""
    if options.predictions:
        return columns(options.predictions, "predictions")
    if options.mean is not None:
        return Normals(columns.numbers([options.mean], "--mean"), columns.numbers([options.sd], "--sd"))
    if options.quantiles:
        return Quantiles(columns.numbers(options.quantiles, "--quantiles"), options.quantile_levels)
    return columns.numbers(options.draws, "--draws")


def _command(
    options: argparse.Namespace, given: list[str], roles: list[str], door: Door, said: Said, *, everything: bool = True
) -> int:
    """Read, ask, and say the answer; everything that can be refused is refused before a file is read."""
    report, json_file = target_files(options)
    _check_numbers(options)
    say = teller(options)
    with ticking(options) as clock:
        clock.tell("reading")
        columns, blocks, notes = _read(options, roles, everything=everything)
        clock.tell("comparing")
        with noted(say) as warned:
            result = door(
                **said(columns), blocks=blocks, n_resamples=options.resamples, significance=options.significance,
                rng=options.seed, compute=TellingCompute(keep_fits=True, tell=clock.tell),
            )  # fmt: skip
            clock.tell("where they differ")
            where = result.where()
        repeat = repeat_command(given)
        answer = {
            "verdict": result.sentence(), "differs": bool(result.pvalue <= result.significance), **result.to_dict(),
            **_reliability(result), "where": where.to_dict(), "columns": columns.frame.types,
            "notes": [*notes, *warned], "repeat": repeat,
        }  # fmt: skip
        if report is not None:
            clock.tell("the report")
            context = ReportContext(result.question(), repeat, (*notes[1:], *warned), source=notes[0])
            write_whole(report, render_rows(result, context))
            say(f"wrote {report}")
        clock.stop()
    if not put_json(answer_as(options.command, answer, full=options.full), json_file, options, say):
        print(result.sentence())
        print()
        print(result.summary().rpartition("\n")[0])
        print(f"  repeat with {repeat}\n")
        print(where.summary())
    return int(options.fail_under is not None and result.pvalue <= options.fail_under)


def _reliability(result: RowwiseResult) -> dict[str, Any]:
    """What predictions mean, where there is a picture of that."""
    if not isinstance(result, CalibrationTestResult):
        return {}
    try:
        return {"reliability": result.reliability().to_dict()}
    except TypeError:  # of several outcomes there is none
        return {"reliability": None}


def _check_numbers(options: argparse.Namespace) -> None:
    if options.resamples < 1:
        raise ValueError(f"--resamples must be at least 1; got {options.resamples}.")
    if options.seed < 0:
        raise ValueError(f"--seed must not be negative; got {options.seed}.")
    for flag, value in (("--fail-under", options.fail_under), ("--significance", options.significance)):
        if value is not None and not 0 < value < 1:
            raise ValueError(f"{flag} must be between 0 and 1; got {value:g}.")
    check_resamples(options.resamples, options.significance, ("--resamples", "--significance"))


def _read(options: argparse.Namespace, roles: list[str], *, everything: bool) -> tuple[_Columns, Any, list[str]]:
    """The columns that are needed, the block of each row, and what there is to say about them."""
    (table,) = read_tables(options)
    single = [] if options.blocks is None else [options.blocks]
    check_names([*roles, *(options.covariates or ()), *options.exclude, *single], table.column_names, "the table")
    taken = list(dict.fromkeys([*roles, *single]))
    others = [name for name in table.column_names if name not in taken] if everything else []
    covariates = covariates_of(options, others, needed=everything)
    exclusive = {*single, *([options.outcome] if "outcome" in options else roles)}  # a prediction may be a covariate
    if twice := sorted({*covariates} & exclusive):
        raise ValueError(f"{', '.join(map(repr, twice))} can have one role only.")
    if len(set(roles)) < len(roles):
        raise ValueError(f"{', '.join(sorted({r for r in roles if roles.count(r) > 1}))} is named more than once.")
    frame = pick_columns(
        table, list(dict.fromkeys([*covariates, *taken])), strict=single, categorical=options.categorical,
        numeric=options.numeric, drop_missing=options.drop_missing,
    )  # fmt: skip
    blocks = block_values(frame, options.blocks)
    return _Columns(frame, covariates), blocks, notes_of(options, frame)
