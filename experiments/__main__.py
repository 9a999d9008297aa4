"""``python -m experiments [names] --trials 200 --jobs 2``: measure, draw, and write the page."""

import argparse
import os
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

MODULES = (
    "toy", "theta", "dimension", "levels", "consistency", "dr_fit", "dr_error", "dr_tests", "mnist", "appendix_data",
    "appendix_statistics", "appendix", "lalonde",
)  # fmt: skip


def all_experiments():
    return [e for name in MODULES for e in import_module(f"experiments.{name}").EXPERIMENTS]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("names", nargs="*", help="experiments to run; all of them without")
    parser.add_argument("--list", action="store_true", help="name the experiments and stop")
    parser.add_argument("--trials", type=int, default=200, help="200: as many as the paper; fewer: that share of them")
    parser.add_argument("--resamples", type=int, default=200, help="200: as many null labels as the paper")
    parser.add_argument("--jobs", type=int, default=2, help="workers; the numbers do not depend on it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder for results, figures and page")
    parser.add_argument("--fresh", action="store_true", help="measure again what is there")
    parser.add_argument("--variant", action="append", help="only this one (as published, as written, ours); repeatable")
    parser.add_argument("--page", action="store_true", help="measure nothing: figures and page from the records")
    parser.add_argument("--smoke", action="store_true", help="two points, two trials, 20 null labels: does it run?")
    parser.add_argument("--no-figures", action="store_true", help="numbers only; needs no matplotlib")
    options = parser.parse_args(arguments)
    experiments = {e.name: e for e in all_experiments()}
    if options.list:
        sys.stdout.writelines(f"{name:20} {e.title}\n" for name, e in experiments.items())
        return 0
    unknown = [name for name in options.names if name not in experiments]
    if unknown:
        parser.error(f"no experiment {', '.join(unknown)}; there are {', '.join(experiments)}")
    if options.trials < 1 or options.resamples < 1:
        parser.error("--trials and --resamples must be positive")
    if options.smoke:
        options.trials, options.resamples = 2, 20
        experiments = {name: replace(e, points=e.points[:2]) for name, e in experiments.items()}
    return run([experiments[name] for name in options.names or experiments], experiments, options)


def run(chosen, experiments, options):
    from experiments.literal import measured_ratio
    from experiments.replay import kept
    from experiments.running import generator, read, run_experiment, write

    start = perf_counter()

    def say(text):
        sys.stderr.write(f"[{perf_counter() - start:6.0f} s] {text}\n")

    for experiment in () if options.page else chosen:
        run_experiment(
            experiment, options.out, trials=options.trials, resamples=options.resamples, seed=options.seed,
            jobs=options.jobs, fresh=options.fresh, say=say,
            variants=options.variant and [v for v in experiment.variants if v in options.variant],
        )  # fmt: skip
    if options.no_figures:
        return 0
    ratio = "" if options.smoke else measured_ratio(options.out, fresh=options.fresh and not options.names)
    from experiments.drawing import draw
    from experiments.page import page

    records = {name: read(options.out, e) for name, e in experiments.items()}
    for experiment in [e for e in chosen if records[e.name] is not None]:
        draw(experiment, records[experiment.name], options.out)
        if experiment.files and not options.page:
            experiment.files(options.out, generator(experiment, options.seed))
    known = [e for name, e in experiments.items() if records[name] is not None]
    write(options.out / "README.md", page(known, records, ratio, kept()))
    say(f"wrote {options.out / 'README.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
