"""``python -m experiments.ecmmd [names] --trials 200 --jobs 2``: measure, draw, write the page; can be resumed."""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

from experiments.ecmmd.tables import EXPERIMENTS  # noqa: E402


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m experiments.ecmmd", description=__doc__)
    parser.add_argument("names", nargs="*", help="tables to run; all of them without")
    parser.add_argument("--trials", type=int, default=200, help="200: as many as published (500); fewer: that share")
    parser.add_argument("--resamples", type=int, default=200, help="200: as many as published")
    parser.add_argument("--jobs", type=int, default=2, help="workers; the numbers do not depend on it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder for results, figures and page")
    parser.add_argument("--fresh", action="store_true", help="measure again what is there")
    parser.add_argument("--smoke", action="store_true", help="two points, two trials, 20 resamples: does it run?")
    options = parser.parse_args(arguments)
    experiments = {e.name: e for e in EXPERIMENTS}
    unknown = [name for name in options.names if name not in experiments]
    if unknown:
        parser.error(f"no table {', '.join(unknown)}; there are {', '.join(experiments)}")
    if options.smoke:
        options.trials, options.resamples = 2, 20
        experiments = {name: cut(experiment) for name, experiment in experiments.items()}
    return run([experiments[name] for name in options.names or experiments], experiments, options)


def cut(experiment):
    """Two points and two trials of it."""
    points = experiment.points[:2]
    targets = {name: {x: own[x] for x in points} for name, own in experiment.targets.items()}
    return replace(experiment, points=points, targets=targets, trials=200)


def run(chosen, experiments, options):
    from experiments.drawing import draw
    from experiments.ecmmd.page import page
    from experiments.running import read, run_experiment, write

    for experiment in chosen:
        run_experiment(
            experiment, options.out, trials=options.trials, resamples=options.resamples, seed=options.seed,
            jobs=options.jobs, fresh=options.fresh, say=lambda text: sys.stderr.write(text + "\n"),
        )  # fmt: skip
    records = {name: read(options.out, e) for name, e in experiments.items()}
    for experiment in chosen:
        draw(experiment, records[experiment.name], options.out)
    if None in records.values():
        sys.stderr.write("the page is written once every table is there.\n")
        return 0
    write(options.out / "README.md", page(list(experiments.values()), records))
    return 0


if __name__ == "__main__":
    sys.exit(main())
