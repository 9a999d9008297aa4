"""The command line: ``condmmd test``, ``condmmd measure``, ``condmmd demo``."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from condmmd.arrays import watching
from condmmd.demo import COVARIATES as DEMO_COVARIATES
from condmmd.demo import OUTCOME, question, write_table
from condmmd.files import Frame, pick_columns, read_file, stack
from condmmd.measure import cmmd
from condmmd.notices import CondmmdWarning
from condmmd.report import Story, check_target, contradictions, render, write_whole
from condmmd.result import CMMDTestResult
from condmmd.samples import Groups
from condmmd.streaming import Source, group_values, open_streams, stream
from condmmd.testing import cmmd_test

__all__ = ["main"]

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 70, 130
MAX_SHOWN = 20
EPILOG = """examples:
  condmmd test trial.csv --outcome earnings --covariates age school --group treated --report trial.html
      One file with a group column: are earnings, given age and schooling, distributed alike in both groups?

  condmmd test january.parquet june.parquet --outcome price --fail-under 0.01
      Two files: all other columns are covariates; exit status 1 if price given them has changed, for a pipeline.

  zcat big.csv.gz | condmmd test - --outcome y --group source --categorical zip --json
      From standard input, with a type told, as JSON.

  condmmd test big.parquet --outcome y --group source
      A Parquet file larger than memory is read in parts, by dask.
"""


@dataclass(frozen=True)
class _Job:
    """Two samples as they are to be compared, with what there is to say about them."""

    X: Any
    Y: Any
    group: Groups
    frame: Frame
    covariates: list[str]
    outcomes: list[str]
    notes: tuple[str, ...]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        if "FILE" in message:
            message += " (name the file first: an option with several columns takes whatever follows it)"
        super().error(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="condmmd",
        description="Is the relationship between X and Y the same in two samples, how different is it, and where?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="show the version and stop")
    commands = parser.add_subparsers(dest="command", metavar="test | measure | demo")
    test = commands.add_parser(
        "test", help="is Y given X the same? p-value, where, report", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Test whether the outcome, given the covariates, has the same distribution in two samples. That "
        "the covariates themselves moved does not count.",
    )  # fmt: skip
    _add_data(test)
    test.add_argument("--propensity", choices=["estimate", "equal"], default="estimate",
                      help="estimate (default): the covariates may have moved. equal: you know that they did not, as "
                      "in a randomised trial")  # fmt: skip
    test.add_argument("--trim", type=float, metavar="SHARE", help="leave out rows where one group is rarer than this")
    test.add_argument("--resamples", type=int, default=999, metavar="B", help="null label vectors (999)")
    test.add_argument("--significance", type=float, default=0.05, metavar="ALPHA", help="for the verdict (0.05)")
    test.add_argument("--seed", type=int, default=0, help="of the null labels (0); the same gives the same answer")
    test.add_argument("--jobs", type=int, metavar="N", help="workers; the answer does not depend on it")
    test.add_argument("--report", metavar="FILE", help="write an HTML report with pictures")
    test.add_argument("--overwrite", action="store_true", help="the report or JSON file may replace an older one")
    test.add_argument("--fail-under", type=float, metavar="P", help="exit with status 1 if the p-value is at most P")
    test.add_argument("--no-where", action="store_true", help="do not ask where it differs")
    measure = commands.add_parser(
        "measure", help="how different are the two? CMMD at every level",
        description="The size of the difference (squared CMMD), without a test.",
    )  # fmt: skip
    _add_data(measure)
    measure.add_argument("--level", type=float, nargs="+", default=[0, 0.5, 1, 1.5, 2], metavar="S",
                         help="0: wherever there are any rows; 2: where most rows are")  # fmt: skip
    measure.add_argument("--overwrite", action="store_true", help="the JSON file may replace an older one")
    demo = commands.add_parser(
        "demo", help="a worked example on real data",
        description="Write a table of 442 patients that scikit-learn ships, test it, and write the report.",
    )  # fmt: skip
    demo.add_argument("--folder", default=".", help="where the table and the report go (this folder)")
    return parser


def _add_data(parser: argparse.ArgumentParser) -> None:
    data = parser.add_argument_group("data")
    data.add_argument("file", metavar="FILE", help="CSV, TSV or Parquet, gzipped or not; - for standard input")
    data.add_argument("file2", metavar="FILE2", nargs="?", help="the second sample; without, --group splits FILE")
    data.add_argument("--outcome", nargs="+", required=True, action="extend", metavar="Y", help="column(s) to compare")
    data.add_argument("--covariates", nargs="+", action="extend", metavar="X",
                      help="column(s) to condition on; without, all the others")  # fmt: skip
    data.add_argument(
        "--group",
        metavar="COL",
        help="column that says which sample a row is of; P is the value 1 or true, else the later in order",
    )
    data.add_argument("--groups", nargs=2, metavar=("P", "Q"), help="its two values, if it has more")
    data.add_argument("--categorical", nargs="+", action="extend", default=[], metavar="COL",
                      help="take as categories, though they are numbers")  # fmt: skip
    data.add_argument("--numeric", nargs="+", action="extend", default=[], metavar="COL", help="take as numbers")
    data.add_argument("--drop-missing", action="store_true", help="leave out rows with a missing value")
    data.add_argument("--stream", action="store_true",
                      help="read Parquet in parts; large files are so in any case (needs dask)")  # fmt: skip
    data.add_argument("--delimiter", help="of a text file; without, it is guessed from the first line")
    data.add_argument("--encoding", default="utf-8", help="of a text file (utf-8)")
    out = parser.add_argument_group("output")
    out.add_argument("--json", action="store_true", help="print JSON instead of text")
    out.add_argument("--json-file", metavar="FILE", help="write JSON to a file too")
    out.add_argument("--quiet", action="store_true", help="no notes and no progress")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0 if it ran, 1 if ``--fail-under`` says so, 2 for bad input."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except SystemExit as stop:  # argparse: 0 after --help, 2 after a message
        return int(stop.code or 0)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - Python flushes it when it stops
        return 0
    except (ValueError, TypeError, OSError, ImportError, OverflowError, MemoryError, np.linalg.LinAlgError) as error:
        told = (
            "not enough memory for this table; take a sample of its rows." if isinstance(error, MemoryError) else error
        )
        print(f"condmmd: error: {told}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("condmmd: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        if "CONDMMD_TRACEBACK" in os.environ:
            raise
        print(
            f"condmmd: internal error: {type(error).__name__}: {error}. Please report it with the command; with "
            "CONDMMD_TRACEBACK=1 in the environment it shows where.", file=sys.stderr,
        )  # fmt: skip
        return INTERNAL


def _run(given: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(given)
    if options.version:
        print(version("condmmd"))
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    return {"test": _test, "measure": _measure, "demo": _demo}[options.command](options, given)


def _test(options: argparse.Namespace, given: list[str]) -> int:
    report = None if options.report is None else _target(options.report, options, "--report")
    json_file = None if options.json_file is None else _target(options.json_file, options, "--json-file")
    if report is not None and json_file is not None and report.resolve() == json_file.resolve():
        raise ValueError(f"--report and --json-file are both {report}; name two files.")
    _check_numbers(options)
    with _watched(options):
        return _test_job(options, given, report, json_file)


def _test_job(options: argparse.Namespace, given: list[str], report: Path | None, json_file: Path | None) -> int:
    say = _teller(options)
    job = _read_aloud(options, say)
    with _noted(say) as notes:
        result = cmmd_test(
            job.X, job.Y, job.group, propensity=None if options.propensity == "equal" else "estimate",
            trim=options.trim, n_resamples=options.resamples, significance=options.significance, rng=options.seed,
            n_jobs=options.jobs, progress=sys.stderr.isatty() and not options.quiet,
        )  # fmt: skip
        tests = result.marginal()
        marginal = {f"X: {_listed(job.covariates)}": tests["X"], f"Y: {_listed(job.outcomes)}": tests["Y"]}
        notes.extend(contradictions(result, tests))
    where = None if options.no_where else result.where()
    told = {
        "verdict": result.sentence(),
        "differs": bool(result.pvalue <= result.significance),
        "moved": {name: {"statistic": test.statistic, "pvalue": test.pvalue} for name, test in tests.items()},
        **result.to_dict(),
        "where": None if where is None else where.to_dict(),
        "columns": job.frame.types,
        "notes": [*job.notes, *notes],
        "repeat": shlex.join(["condmmd", *given]),
    }
    if report is not None:
        story = Story(result.question(), told["repeat"], tuple(told["notes"]), marginal)
        write_whole(report, render(result, story))
        say(f"wrote {report}")
    if not _put_json(told, json_file, options, say):
        _print_test(result, marginal, where)
    return int(options.fail_under is not None and result.pvalue <= options.fail_under)


def _check_numbers(options: argparse.Namespace) -> None:
    """What can be refused before a file is read."""
    for flag, value in (("--fail-under", options.fail_under), ("--significance", options.significance)):
        if value is None:
            continue
        if not 0 < value < 1:
            raise ValueError(f"{flag} must be between 0 and 1; got {value:g}.")
        if options.resamples >= 1 and 1 / (1 + options.resamples) > value:
            raise ValueError(
                f"{flag} {value:g} needs --resamples of at least {int(np.ceil(1 / value)) - 1}: with "
                f"{options.resamples} no p-value is below {1 / (1 + options.resamples):.3g}."
            )
    if options.resamples < 1:
        raise ValueError(f"--resamples must be at least 1; got {options.resamples}.")
    if options.trim is not None and not 0 < options.trim < 0.5:
        raise ValueError(f"--trim must be between 0 and 0.5; got {options.trim:g}.")
    if options.trim is not None and options.propensity == "equal":
        raise ValueError("--trim leaves out rows by the estimated propensity; with --propensity equal there is none.")
    if options.seed < 0:
        raise ValueError(f"--seed must not be negative; got {options.seed}.")
    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1; got {options.jobs}.")


def _print_test(result: CMMDTestResult, marginal: dict[str, Any], where: Any) -> None:
    print(result.sentence())
    print("\nWhat moved?")
    for name, test in marginal.items():
        print(f"  {name:<44} p = {test.pvalue:.3g}")
    print(f"  {'Y given X':<44} p = {result.pvalue:.3g}\n")
    print(result.summary())
    if where is not None:
        print("\n" + where.summary())


def _measure(options: argparse.Namespace, given: list[str]) -> int:
    json_file = None if options.json_file is None else _target(options.json_file, options, "--json-file")
    say = _teller(options)
    job = _read_aloud(options, say)
    with _noted(say) as notes:
        d = cmmd(job.X, job.Y, job.group, tol=1e-8, max_rank=256)
        levels = d.level(options.level)
    told = {
        "levels": {f"{s:g}": float(v) for s, v in zip(options.level, levels, strict=True)},
        "columns": job.frame.types,
        "notes": [*job.notes, *notes],
        "repeat": shlex.join(["condmmd", *given]),
    }
    if not _put_json({**d.to_dict(), **told}, json_file, options, say):
        print(f"Distance of {_listed(job.outcomes)} given {_listed(job.covariates)}, P {d.labels[0]}, Q {d.labels[1]}")
        print("  level     CMMD^2       CMMD")
        for s, value in zip(options.level, levels, strict=True):
            print(f"  {s:<8g}  {value:<11.5g}  {value**0.5:.5g}")
        print(f"  {d.n_obs[0]} + {d.n_obs[1]} rows, rank {d.rank}, residual {d.residual:.2g}; lambda {d.reg}")
    return 0


def _demo(options: argparse.Namespace, _given: list[str]) -> int:
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    table, report = folder / "diabetes.csv", folder / "demo.html"
    write_table(table)
    if report.exists() and "condmmd" not in report.read_text(errors="replace")[:1000]:
        raise FileExistsError(f"{report} exists already and is not a report of ours; name another --folder.")
    print(question(), "\n")
    command = [
        "test", str(table), "--outcome", OUTCOME, "--covariates", *DEMO_COVARIATES, "--group", "sex",
        "--report", str(report), "--overwrite",
    ]  # fmt: skip
    print("$", shlex.join(["condmmd", *command]), "\n", flush=True)
    status = main(command)
    if status == 0:
        print(f"\nThe report with pictures: {report}")
    return status


def _target(path: str, options: argparse.Namespace, argument: str) -> Path:
    if path == "-":
        raise ValueError(f"{argument} must be a file; use --json for JSON on standard output.")
    inputs = [Path(name).resolve() for name in (options.file, options.file2) if name not in {None, "-"}]
    if Path(path).resolve() in inputs:
        raise ValueError(f"{argument}: {path} is the table itself; name another file.")
    try:
        return check_target(path, overwrite=options.overwrite, argument=argument)
    except FileExistsError:
        raise FileExistsError(f"{argument}: {path} exists already; name another file, or add --overwrite.") from None


def _read_stream(options: argparse.Namespace, sources: list[Source]) -> _Job:
    """Files too large to be read at once."""
    covariates, outcomes = _roles(options, list(sources[0].columns))
    group, labels = None, ("", "")
    if options.file2 is None:
        p, q = _two_values(group_values(sources[0], options.group), options.group, options.groups)
        group, labels = (options.group, p, q), (f"{options.group} = {p}", f"{options.group} = {q}")
    else:
        labels = _file_labels(options.file, options.file2)
    found = stream(
        sources, covariates, outcomes, group, labels,
        categorical=options.categorical, numeric=options.numeric, drop_missing=options.drop_missing,
    )  # fmt: skip
    notes = [f"from {options.file}" + (f" and {options.file2}" if options.file2 else "") + ", read in parts"]
    if found.left_out:
        notes.append(f"{found.left_out} rows with missing values or of other groups were left out")
    frame = Frame(None, found.types, found.left_out)
    return _Job(found.X, found.Y, found.groups, frame, covariates, outcomes, tuple(notes))


def _read(options: argparse.Namespace) -> _Job:
    _check_sources(options)
    sources = open_streams([path for path in (options.file, options.file2) if path is not None], always=options.stream)
    if sources is not None:
        return _read_stream(options, sources)
    settings = {"delimiter": options.delimiter, "encoding": options.encoding}
    tables = [read_file(path, **settings) for path in (options.file, options.file2) if path is not None]
    covariates, outcomes = _roles(options, tables[0].column_names)
    names = [*covariates, *outcomes]
    picked = {
        "categorical": options.categorical, "numeric": options.numeric, "drop_missing": options.drop_missing,
    }  # fmt: skip
    if len(tables) == 2:
        column = _free_name(names)
        labels = _file_labels(options.file, options.file2)
        sides = [1] * tables[0].num_rows + [0] * tables[1].num_rows
        joined = stack(tables[0], tables[1], names).append_column(column, [sides])
        frame = pick_columns(joined, [*names, column], strict=[column], **picked)
        t = np.asarray(frame.table[column], dtype=np.float64)
    else:
        frame = pick_columns(tables[0], [*names, options.group], strict=[options.group], **picked)
        frame, t, labels = _split(frame, options.group, options.groups)
    for label, count in zip(labels, (int(t.sum()), int((1 - t).sum())), strict=True):
        if count < 2:
            raise ValueError(f"there are {count} rows of '{label}'; at least 2 are needed.")
    notes = [f"from {options.file}" + (f" and {options.file2}" if options.file2 else "")]
    if frame.dropped:
        notes.append(f"{frame.dropped} rows with missing values were left out")
    return _Job(
        frame.table.select(covariates), frame.table.select(outcomes), Groups(t, *labels), frame, covariates, outcomes,
        tuple(notes),
    )  # fmt: skip


def _check_sources(options: argparse.Namespace) -> None:
    if options.file2 is not None and (options.group is not None or options.groups):
        raise ValueError("two files are two samples; --group and --groups are for one file that holds both.")
    if options.file2 is None and options.group is None:
        raise ValueError("name the column that tells the two samples apart with --group, or give two files.")
    if options.file == options.file2 == "-":
        raise ValueError("standard input can be read once; save one of the samples to a file.")


def _roles(options: argparse.Namespace, columns: list[str]) -> tuple[list[str], list[str]]:
    """Names of the covariates and of the outcomes."""
    outcomes = list(dict.fromkeys(options.outcome))
    others = [name for name in columns if name not in outcomes and name != options.group]
    covariates = list(dict.fromkeys(options.covariates)) if options.covariates else others
    if not covariates:
        raise ValueError("there is no column left to condition on; name the --covariates.")
    twice = sorted((set(covariates) & set(outcomes)) | ({options.group} & {*covariates, *outcomes}))
    if twice:
        raise ValueError(f"{', '.join(map(repr, twice))} can have one role only: outcome, covariate or group.")
    return covariates, outcomes


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


def _split(frame: Frame, column: str, wanted: list[str] | None) -> tuple[Frame, Any, tuple[str, str]]:
    """The rows of the two groups, which of them are of P, and what the groups are called."""
    values = np.array(["" if v is None else str(v) for v in frame.table[column].to_pylist()])
    p, q = _two_values(sorted(set(values.tolist())), column, wanted)
    keep = (values == p) | (values == q)
    if not keep.all():
        frame, values = replace(frame, table=frame.table.filter(keep)), values[keep]
    return frame, (values == p).astype(np.float64), (f"{column} = {p}", f"{column} = {q}")


def _two_values(found: list[str], column: str, wanted: list[str] | None) -> tuple[str, str]:
    """The values of P and of Q."""
    shown = ", ".join(map(repr, found[:10])) + (", ..." if len(found) > 10 else "")
    if wanted is None:
        if len(found) != 2:
            remedy = " Name the two to compare: --groups P Q." if len(found) > 2 else ""
            raise ValueError(f"'{column}' must have two different values; it has {len(found)}: {shown}.{remedy}")
        return (found[1], found[0]) if found[0] not in {"1", "1.0", "True", "true"} else (found[0], found[1])
    p, q = wanted
    if p == q or p not in found or q not in found:
        raise ValueError(f"--groups must be two different values of '{column}', which has {shown}.")
    return p, q


def _about(job: _Job) -> list[str]:
    """What was read, so that a wrong guess is seen."""
    group = job.group
    lines = [f"P: {group.p_label}, {group.n} rows; Q: {group.q_label}, {group.m} rows"]
    for role, names in (("outcome", job.outcomes), ("covariate", job.covariates)):
        lines += [f"  {role:<10} {name}: {job.frame.types[name]}" for name in names[:MAX_SHOWN]]
        if len(names) > MAX_SHOWN:
            lines.append(f"  {role:<10} ... and {len(names) - MAX_SHOWN} more")
    return [*lines, *(f"  {note}" for note in job.notes[1:])]


def _listed(names: list[str]) -> str:
    text = ", ".join(names)
    return text if len(text) <= 40 else f"{len(names)} columns"


def _read_aloud(options: argparse.Namespace, say: Callable[[str], None]) -> _Job:
    """Read the samples and say what was read."""
    job = _read(options)
    for line in _about(job):
        say(line)
    return job


@contextmanager
def _watched(options: argparse.Namespace) -> Iterator[None]:
    """Count the passes over a file that is read in parts, where somebody is looking."""
    if options.quiet or not sys.stderr.isatty():
        yield
        return

    def tell(number: int) -> None:
        print(f"\rpass {number} over the rows", end="", file=sys.stderr, flush=True)

    with watching(tell):
        yield


@contextmanager
def _noted(say: Callable[[str], None]) -> Iterator[list[str]]:
    """Collect the warnings of condmmd as notes, each once, and say them at the end."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CondmmdWarning)
        yield notes
    notes[:0] = [str(w.message) for w in caught if issubclass(w.category, CondmmdWarning)]
    notes[:] = dict.fromkeys(notes)
    for note in notes:
        say(f"note: {note}")


def _put_json(told: dict[str, Any], path: Path | None, options: argparse.Namespace, say: Callable[[str], None]) -> bool:
    """Write the answer to a file if one is named, and print it if asked to; whether it was printed."""
    text = json.dumps(told, indent=1, allow_nan=False)
    if path is not None:
        write_whole(path, text + "\n")
        say(f"wrote {path}")
    if options.json:
        print(text)
    return bool(options.json)


def _teller(options: argparse.Namespace) -> Callable[[str], None]:
    def say(text: str) -> None:
        if not options.quiet:
            print(text, file=sys.stderr)

    return say
