"""``python -m benchmarks.leaderboard --minutes 30``: measure what is not measured yet, draw, and write the page."""

import argparse
import os
import sys
from pathlib import Path
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

from benchmarks.leaderboard.packages import ENVIRONMENTS  # noqa: E402
from benchmarks.leaderboard.problems import all_problems  # noqa: E402
from benchmarks.leaderboard.registry import METHODS  # noqa: E402
from benchmarks.leaderboard.running import read, run  # noqa: E402

QUESTIONS = list(dict.fromkeys(method.question for method in METHODS))


def options_of(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leaderboard", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="no further batch of trials once they are over")
    parser.add_argument("--trials", type=int, default=200, help="of a method on a problem")
    parser.add_argument("--resamples", type=int, default=199)
    parser.add_argument("--cell-seconds", type=float, default=60, help="no further trials of a cell that took so long")
    parser.add_argument("--limit", type=int, default=120, help="seconds a call may take")
    parser.add_argument("--jobs", type=int, default=1, help="workers; the numbers do not depend on it")
    parser.add_argument("--questions", nargs="+", choices=QUESTIONS, default=QUESTIONS)
    parser.add_argument("--only", nargs="+", help="methods of these names, or with these words in them")
    parser.add_argument("--problems", nargs="+", help="problems, likewise")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder for records, pictures and page")
    parser.add_argument("--fresh", action="store_true", help="measure again what is there")
    parser.add_argument("--smoke", action="store_true", help="two trials with 20 resamples of everything: does it run?")
    parser.add_argument("--page", action="store_true", help="run nothing; write the page of what is on disk")
    options = parser.parse_args(arguments)
    if min(options.minutes, options.trials, options.resamples, options.cell_seconds, options.limit) <= 0:
        parser.error("--minutes, --trials, --resamples, --cell-seconds and --limit must be positive")
    if options.smoke:
        options.trials, options.resamples, options.out = 2, 20, ENVIRONMENTS / "smoke"
    return options


def chosen(things, words):
    """Those named by a word as a whole; or, of a word that is no name, those that have it in theirs."""
    names = {thing.name for thing in things}
    return [
        thing
        for thing in things
        if not words or any(word == thing.name or (word not in names and word in thing.name) for word in words)
    ]


def main(arguments=None):
    options = options_of(arguments)
    problems = [p for p in chosen(all_problems(), options.problems) if p.question in options.questions]
    methods = [m for m in chosen(METHODS, options.only) if m.question in options.questions]
    start = perf_counter()

    def say(text):
        sys.stderr.write(f"[{perf_counter() - start:6.0f} s] {text}\n")
        sys.stderr.flush()

    done = options.page or run(methods, problems, options, say)
    write_page(options)
    say(f"wrote {options.out / 'README.md'}")
    return 0 if done else 3


def write_page(options):
    """Of all that is on disk, whatever was run now."""
    from benchmarks.leaderboard.page import page  # noqa: PLC0415 - the measuring needs no matplotlib
    from benchmarks.leaderboard.pictures import draw  # noqa: PLC0415
    from benchmarks.leaderboard.tables import ranked, row_of  # noqa: PLC0415
    from experiments.running import write  # noqa: PLC0415

    records = {method: read(options.out, method, options.resamples) for method in METHODS}
    nulls_first = sorted(all_problems(), key=lambda problem: not problem.null)
    problems = {q: [p for p in nulls_first if p.question == q] for q in QUESTIONS}
    rows = {}
    for question in QUESTIONS:
        shown = [p for p in problems[question] if not p.timed]
        found = [row_of(m, records[m], shown) for m in METHODS if m.question == question]
        rows[question] = ranked([row for row in found if row.rates])
        if rows[question]:
            draw(question, rows[question], shown, options.out)
    write(options.out / "README.md", page(rows, records, problems, options.resamples) + "\n")


if __name__ == "__main__":
    sys.exit(main())
