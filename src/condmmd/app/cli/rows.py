"""The commands for tables whose rows have two sides: ``condmmd paired``, ``condmmd model``, ``condmmd calibration``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from condmmd.app.cli.answers import answer_as
from condmmd.app.cli.clock import TellingCompute, ticking
from condmmd.app.cli.output import noted, put_json, target_file, teller
from condmmd.app.cli.reading import read_tables
from condmmd.app.cli.repeating import repeat_command
from condmmd.app.files import Frame, pick_columns
from condmmd.app.names import check_names
from condmmd.app.plain_tables import PlainTable
from condmmd.data import read_table
from condmmd.data.checks import check_resamples
from condmmd.data.forecasts import Normals, Quantiles
from condmmd.doors import calibration_test, model_test, paired_test
from condmmd.present import check_extras, write_whole
from condmmd.present.rowwise_report import RowReport, render_rows
from condmmd.results.rowwise_result import CalibrationTestResult, RowwiseResult

__all__ = ["calibration", "model", "paired"]

# From the columns that were read, and what every door takes, to a result.
Ask: TypeAlias = Callable[["_Columns", dict[str, Any]], RowwiseResult]


@dataclass(frozen=True, eq=False)
class _Columns:
    """Columns of a table, by the names that were asked for."""

    frame: Frame

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

    def ask(columns: _Columns, settings: dict[str, Any]) -> RowwiseResult:
        labels = None if len(options.first) > 1 else (options.first[0], options.second[0])
        return paired_test(
            columns(_covariates(options, columns), "X"), columns(options.first, "Y1"),
            columns(options.second, "Y2"), labels=labels, **settings,
        )  # fmt: skip

    return _command("paired", options, given, [*options.first, *options.second], ask)


def model(options: argparse.Namespace, given: list[str]) -> int:
    """Is Y given X distributed as a model says?"""
    said = _said(options)

    def ask(columns: _Columns, settings: dict[str, Any]) -> RowwiseResult:
        return model_test(
            columns(_covariates(options, columns), "X"), columns([options.outcome], "Y"),
            _forecast(options, columns), classes=options.classes, **settings,
        )  # fmt: skip

    return _command("model", options, given, [options.outcome, *said], ask)


def calibration(options: argparse.Namespace, given: list[str]) -> int:
    """Do predictions mean what they say?"""
    said = _said(options)
    options.covariates, options.exclude = list(options.given or ()), []

    def ask(columns: _Columns, settings: dict[str, Any]) -> RowwiseResult:
        beside = None if not options.given else columns(options.given, "given")
        return calibration_test(
            _forecast(options, columns), columns([options.outcome], "y"), given=beside, classes=options.classes,
            **settings,
        )  # fmt: skip

    return _command("calibration", options, given, [options.outcome, *said], ask, everything=False)


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


def _covariates(options: argparse.Namespace, columns: _Columns) -> list[str]:
    """Those that were named; else all that were read and have no other role."""
    if options.covariates:
        return list(dict.fromkeys(options.covariates))
    return [name for name in columns.frame.types if name not in options.taken]


def _command(
    name: str,
    options: argparse.Namespace,
    given: list[str],
    roles: list[str],
    ask: Ask,
    *,
    everything: bool = True,
) -> int:
    """Read, ask, and say the answer; everything that can be refused is refused before a file is read."""
    report, json_file = _targets(options)
    _check_numbers(options)
    say = teller(options)
    with ticking(options) as clock:
        clock.tell("reading")
        columns, blocks, notes = _read(options, roles, everything=everything)
        clock.tell("comparing")
        with noted(say) as warned:
            result = ask(columns, {
                "blocks": blocks, "n_resamples": options.resamples, "significance": options.significance,
                "rng": options.seed, "compute": TellingCompute(keep_fits=True, tell=clock.tell),
            })  # fmt: skip
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
            context = RowReport(result.question(), repeat, (*notes[1:], *warned), notes[0])
            write_whole(report, render_rows(result, context))
            say(f"wrote {report}")
        clock.stop()
    if not put_json(answer_as(name, answer, full=options.full), json_file, options, say):
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


def _targets(options: argparse.Namespace) -> tuple[Path | None, Path | None]:
    if options.report is not None:
        check_extras()
    report = None if options.report is None else target_file(options.report, options, "--report")
    json_file = None if options.json_file is None else target_file(options.json_file, options, "--json-file")
    if report is not None and json_file is not None and report.resolve() == json_file.resolve():
        raise ValueError(f"--report and --json-file are both {report}; name two files.")
    return report, json_file


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
    if options.covariates and options.exclude:
        raise ValueError("--covariates names those there are, --exclude those there are not; give one of the two.")
    others = [name for name in table.column_names if name not in {*taken, *options.exclude}]
    covariates = list(options.covariates or (others if everything else ()))
    if everything and not covariates:
        raise ValueError("there is no column left to condition on; name the --covariates.")
    exclusive = {*single, *([options.outcome] if "outcome" in options else roles)}  # a prediction may be a covariate
    if twice := sorted({*covariates} & exclusive):
        raise ValueError(f"{', '.join(map(repr, twice))} can have one role only.")
    if len(set(roles)) < len(roles):
        raise ValueError(f"{', '.join(sorted({r for r in roles if roles.count(r) > 1}))} is named more than once.")
    options.taken = taken
    frame = pick_columns(
        table, list(dict.fromkeys([*covariates, *taken])), strict=single, categorical=options.categorical,
        numeric=options.numeric, drop_missing=options.drop_missing,
    )  # fmt: skip
    notes = [f"from {options.file}"]
    if frame.dropped:
        notes.append(f"{frame.dropped} rows with missing values were left out")
    blocks = None
    if single:
        frame.types[single[0]] = "blocks"
        blocks = np.array([str(value) for value in frame.table[single[0]].to_pylist()], dtype=object)
    return _Columns(frame), blocks, notes
