"""The commands: ``condmmd test``, ``condmmd measure``, ``condmmd demo``."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from condmmd.app.cli.answers import answer_as
from condmmd.app.cli.clock import Clock, TellingCompute, ticking
from condmmd.app.cli.output import Note, listed, noted, put_json, target_file, target_files, teller
from condmmd.app.cli.parser import make_parser
from condmmd.app.cli.reading import Job, describe_job, read_job
from condmmd.app.cli.repeating import repeat_command
from condmmd.app.cli.words import in_options, said_in_options
from condmmd.app.demo import COVARIATES as DEMO_COVARIATES
from condmmd.app.demo import OUTCOME, question, write_table
from condmmd.data.checks import check_resamples
from condmmd.data.warning_types import OverlapWarning
from condmmd.doors import cmmd, cmmd_test
from condmmd.effects.sizes import Size
from condmmd.present import ReportContext, contradictions, render, write_whole
from condmmd.results import CMMDTestResult
from condmmd.statistics import CMMD, Family, Interventional

__all__ = ["demo", "measure", "test"]

# Null draws, if no number is asked for; and of so many rows, where they take most of the time.
RESAMPLES, RESAMPLES_OF_MANY = 999, 199
MANY_ROWS = 200_000


def test(options: argparse.Namespace, given: list[str]) -> int:
    """Is Y given X the same? Everything that can be refused is refused before a file is read."""
    files = target_files(options)
    _check_numbers(options)
    with ticking(options) as clock:
        return _test_job(options, given, files, clock)


def _test_job(
    options: argparse.Namespace, given: list[str], files: tuple[Path | None, Path | None], clock: Clock
) -> int:
    (report, json_file), say = files, teller(options)
    job = _read_aloud(options, say, clock)
    with noted(say) as notes:
        result = cmmd_test(
            job.X, job.Y, job.group,
            statistic=Family() if options.population is None else Interventional(options.population),
            propensity=None if options.propensity == "equal" else "estimate",
            blocks=job.blocks, trim=options.trim, n_resamples=_resamples(options, job),
            significance=options.significance, rng=options.seed,
            compute=TellingCompute(options.jobs, keep_fits=True, tell=clock.tell),
        )  # fmt: skip
        clock.tell("whether X or Y alone moved")
        tests = result.marginal()
        marginal = {f"X: {listed(job.covariates)}": tests["X"], f"Y: {listed(job.outcomes)}": tests["Y"]}
        notes.extend(contradictions(result, tests))
    clock.tell("where it differs, and how much")
    where = None if options.no_where else result.where()
    alarms = None if options.check is None else result.check(options.check or None)
    size, outlook = result.size(), result.outlook()
    result.effect()  # so that it is told of rows in chunks too
    answer = {
        "verdict": result.sentence(),
        "differs": bool(result.pvalue <= result.significance),
        "moved": {name: {"statistic": test.statistic, "pvalue": test.pvalue} for name, test in tests.items()},
        **said_in_options(result.to_dict()),
        "size": size.to_dict(),
        "outlook": outlook,
        "where": None if where is None else where.to_dict(),
        "check": None if alarms is None else alarms.to_dict(),
        "columns": job.frame.types,
        "notes": [*job.notes, *notes],
        "repeat": repeat_command(given),
    }
    if report is not None:
        clock.tell("the report")
        context = ReportContext(
            result.question(), answer["repeat"], tuple(_beside_checks([*job.notes[1:], *notes])), marginal,
            with_where=not options.no_where, source=job.notes[0],
            alarms="" if alarms is None else alarms.sentence(), outlook=outlook,
            words=in_options,
        )  # fmt: skip
        write_whole(report, render(result, context))
        say(f"wrote {report}")
    clock.stop()
    if not put_json(answer_as("test", answer, full=options.full), json_file, options, say):
        _print_test(result, marginal, where, size, outlook, answer["repeat"])
        if alarms is not None:
            print("\n" + alarms.sentence())
    return int(options.fail_under is not None and result.pvalue <= options.fail_under)


def _resamples(options: argparse.Namespace, job: Job) -> int:
    """Null draws: as many as were asked for; else fewer where each takes long, but enough to decide."""
    if options.resamples is not None:
        return int(options.resamples)
    if job.group.n + job.group.m <= MANY_ROWS:
        return RESAMPLES
    smallest = min(value for value in (options.significance, options.fail_under) if value is not None)
    return min(RESAMPLES, max(RESAMPLES_OF_MANY, math.ceil(10 / smallest) - 1))


def _beside_checks(notes: list[str]) -> list[str]:
    """Those that the checks of a report do not tell: of little overlap they tell the same."""
    return [note for note in notes if not (isinstance(note, Note) and issubclass(note.category, OverlapWarning))]


def _check_numbers(options: argparse.Namespace) -> None:
    """What can be refused before a file is read."""
    for flag, value in (("--fail-under", options.fail_under), ("--significance", options.significance)):
        if value is None:
            continue
        if not 0 < value < 1:
            raise ValueError(f"{flag} must be between 0 and 1; got {value:g}.")
        if options.resamples is None or options.resamples >= 1:
            check_resamples(options.resamples or RESAMPLES, value, ("--resamples", flag))
    if options.resamples is not None and options.resamples < 1:
        raise ValueError(f"--resamples must be at least 1; got {options.resamples}.")
    if options.trim is not None and not 0 < options.trim < 0.5:
        raise ValueError(f"--trim must be between 0 and 0.5; got {options.trim:g}.")
    if options.trim is not None and options.propensity == "equal":
        raise ValueError("--trim leaves out rows by the estimated propensity; with --propensity equal there is none.")
    if options.trim is not None and options.blocks is not None:
        raise ValueError("--trim and --blocks cannot be used together; leave such blocks out of the file.")
    _check_not_negative(options)
    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1; got {options.jobs}.")


def _check_not_negative(options: argparse.Namespace) -> None:
    for flag, count in (("--seed", options.seed), ("--check", options.check or 0)):
        if count < 0:
            raise ValueError(f"{flag} must not be negative; got {count}.")


def _print_test(
    result: CMMDTestResult, marginal: dict[str, Any], where: Any, size: Size, outlook: str, repeat: str
) -> None:
    print(result.sentence())
    print(size.sentence())
    if outlook:
        print(outlook)
    print("\nWhat moved?")
    for name, test in marginal.items():
        print(f"  {name:<44} p = {test.pvalue:.3g}")
    asked = "Y given X" if result.population is None else "Y, adjusted for X"
    print(f"  {asked:<44} p = {result.pvalue:.3g}\n")
    print(in_options(result.summary().rpartition("\n")[0]))
    print(f"  repeat with {repeat}")
    if where is not None:
        print("\n" + where.summary())


def measure(options: argparse.Namespace, given: list[str]) -> int:
    """How different are the two, at some levels?"""
    json_file = None if options.json_file is None else target_file(options.json_file, options, "--json-file")
    with ticking(options) as clock:
        return _measure_job(options, given, json_file, clock)


def _measure_job(options: argparse.Namespace, given: list[str], json_file: Path | None, clock: Clock) -> int:
    say = teller(options)
    job = _read_aloud(options, say, clock)
    with noted(say) as notes:
        d = cmmd(job.X, job.Y, job.group, statistic=CMMD(tol=1e-8, max_rank=256))
        levels = d.level(options.level)
        sizes = [d.size(level=s) for s in options.level]
    answer = {
        "levels": {f"{s:g}": float(v) for s, v in zip(options.level, levels, strict=True)},
        "size": d.size().to_dict(),
        "squared": {f"{size.level:g}": [size.squared, *size.squared_interval] for size in sizes},
        "columns": job.frame.types,
        "notes": [*job.notes, *notes],
        "repeat": repeat_command(given),
    }
    whole = answer_as("measure", {**d.to_dict(), **answer}, full=options.full)
    clock.stop()
    if not put_json(whole, json_file, options, say):
        print(f"Distance of {listed(job.outcomes)} given {listed(job.covariates)}, P {d.labels[0]}, Q {d.labels[1]}")
        print(f"  {sizes[0].sentence()}")
        print(f"  level     CMMD^2       {'95% interval':<24}  as the {d.estimator} estimator has it")
        for size, value in zip(sizes, levels, strict=True):
            low, high = size.squared_interval
            print(f"  {size.level:<8g}  {size.squared:<11.5g}  {f'{low:.5g} to {high:.5g}':<24}  {value:.5g}")
        print(f"  {d.n_obs[0]} + {d.n_obs[1]} rows, rank {d.rank}, residual {d.residual:.2g}; lambda {d.reg}")
    return 0


def demo(options: argparse.Namespace, _given: list[str]) -> int:
    """Write a table that scikit-learn ships, test it, and write the report."""
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
    status = test(make_parser().parse_args(command), command)
    if status == 0:
        print(f"\nThe report with pictures: {report}")
    return status


def _read_aloud(options: argparse.Namespace, say: Callable[[str], None], clock: Clock) -> Job:
    """Read the samples and say what was read."""
    clock.tell("reading")
    job = read_job(options)
    clock.tell("learning how Y and the groups depend on X")
    for line in describe_job(job):
        say(line)
    return job
