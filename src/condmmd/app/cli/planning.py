"""The command ``condmmd plan``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from condmmd.app.cli.answers import answer_as
from condmmd.app.cli.clock import Clock, ticking
from condmmd.app.cli.output import noted, put_json, target_files, teller
from condmmd.app.cli.reading import describe_job, read_job, read_pilot
from condmmd.app.cli.repeating import repeat_command
from condmmd.app.cli.words import in_options
from condmmd.doors import plan as rows_for

__all__ = ["plan"]


def plan(options: argparse.Namespace, given: list[str]) -> int:
    """How many rows does a test need? What can be refused is refused before a file is read."""
    files = target_files(options, "picture")
    if not 0 < options.significance < options.power < 1:
        raise ValueError(
            f"--power must be between --significance, {options.significance:g}, and 1; got {options.power:g}."
        )
    if options.seed < 0:
        raise ValueError(f"--seed must not be negative; got {options.seed}.")
    one = options.file2 is None and options.group is None
    if not one and options.share != 0.5:
        raise ValueError("--share is for a pilot of one population; with groups, the share is that of the pilot.")
    with ticking(options) as clock:
        return _plan_job(options, given, files, clock)


def _plan_job(
    options: argparse.Namespace, given: list[str], files: tuple[Path | None, Path | None], clock: Clock
) -> int:
    (picture, json_file), say = files, teller(options)
    one = options.file2 is None and options.group is None
    job = read_pilot(options) if one else read_job(options)
    for line in describe_job(job)[1 if one else 0 :]:
        say(line)
    clock.tell("drawing labels on the pilot")
    with noted(say) as notes:
        found = rows_for(
            job.X, job.Y, None if one else job.group, effect=options.effect, kind=options.kind,
            outcome=options.effect_on, along=options.along, in_deviations=options.deviations, power=options.power,
            share=options.share, propensity=None if options.propensity == "equal" else "estimate",
            significance=options.significance, rng=options.seed,
        )  # fmt: skip
    if picture is not None:
        _draw(found, picture)
        say(f"wrote {picture}")
    answer = {
        "answer": found.sentence(),
        **found.to_dict(),
        "assumption": in_options(found.assumption),
        "columns": job.frame.types,
        "notes": [*job.notes, *notes],
        "repeat": repeat_command(given),
    }
    clock.stop()
    if not put_json(answer_as("plan", answer, full=options.full), json_file, options, say):
        print(in_options(found.summary()))
    return 0


def _draw(found: Any, path: Path) -> None:
    import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra

    figure, axes = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
    try:
        found.plot(axes)
        figure.savefig(path, dpi=120)
    finally:
        plt.close(figure)
