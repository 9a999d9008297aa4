"""Does a result know when it does not know? ``python -m benchmarks.diagnostics [--trials 40] [--jobs 2]``.

Designs in which groups and outcomes share a structure of X that the models may not learn, and clean ones. For each the
share of trials with p <= 0.05; the share that `result.diagnostics()` warns of, of confounding and of anything;
of the rejections the share that is warned of; and the seconds of the checks.
"""

import argparse
import os
import sys
import warnings
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from benchmarks import designs  # noqa: E402
from benchmarks.made_up import balanced  # noqa: E402
from benchmarks.procedures import SETTINGS  # noqa: E402


def shared(n, structure, strength=1.5, draw_x=np.random.Generator.normal):
    """Five covariates; a structure of them that drives both the labels and the outcomes."""

    def draw(rng):
        X = draw_x(rng, size=(2 * n, 5))
        drive = strength * structure(X)
        return X, drive + rng.normal(size=2 * n), balanced(rng, drive)

    return draw


def uniform(rng, size):
    return rng.uniform(size=size)


def signs(X):
    return np.sign(X[:, 0] * X[:, 1] * X[:, 2])


def rotated_signs(X):
    return np.sign((X[:, 0] + X[:, 1]) * (X[:, 2] - X[:, 3]))


def shell(X):
    distance = np.sum(X**2, axis=1)
    return np.where((distance > 2.7) & (distance < 6.6), 1.0, -1.0)


def waves(X):
    return 1.5 * np.sin(9 * X[:, 0]) * np.sin(9 * X[:, 1])


def board(cells):
    return lambda X: 1 - 2 * ((np.floor(cells * X[:, 0]) + np.floor(cells * X[:, 1])) % 2)


def depends_on_x(n):
    def draw(rng):
        t = np.repeat([1, 0], n)
        X = rng.normal(size=(2 * n, 5)) + 0.3 * t[:, None]
        return X, X[:, 0] + rng.normal(size=2 * n) + 0.8 * t * (X[:, 1] > 0), t

    return draw


def of_battery(kind, name, n):
    """A design of `rejections`."""
    return lambda rng: designs.KINDS[kind][name].draw(rng, n=n)


SHARED = {
    **{
        f"{name}, {n}": of_battery("null", name, n)
        for name, n in (
            ("edge", 300), ("four leaves", 200), ("tanh of a product", 600), ("product of two of ten", 300),
            ("seven leaves, eight mixed columns", 200), ("random tree of eight leaves", 200),
            ("breast cancer, tree of X", 285), ("wine, tree of X", 89), ("product of two signs of five", 200),
            ("product of three signs of five", 200), ("checkerboard", 200), ("checkerboard", 600),
        )
    },
    "signs of three, 150": shared(150, signs),
    "checkerboard of 5, 300": shared(300, board(5), draw_x=uniform),
    "waves, 200": shared(200, waves, draw_x=uniform),
    "shell, 200": shared(200, shell),
    "signs of sums, 200": shared(200, rotated_signs),
}  # fmt: skip
CLEAN = {
    **{
        f"{name}, {n}": of_battery(kind, name, n)
        for kind, name, n in (
            ("null", "linear, strong shift", 200), ("null", "20 covariates, all moved", 200),
            ("null", "mixed table", 200), ("power", "5 covariates, 0.4 of a noise sd", 200),
            ("power", "mixed table, half a noise sd", 200),
        )
    },
    "a difference where x1 > 0, 200": depends_on_x(200),
}  # fmt: skip


def trial(draw, seed, procedure):
    X, Y, group = draw(np.random.default_rng([seed, 29]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from condmmd import cmmd_test  # noqa: PLC0415 - in the worker

        result = cmmd_test(X, Y, group, n_resamples=199, rng=seed, **SETTINGS[procedure])
    start = perf_counter()
    found = result.diagnostics()
    kinds = {finding.kind for finding in found.of("warning")}
    return result.pvalue <= 0.05, "confounding" in kinds, bool(kinds), perf_counter() - start


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnostics", description=__doc__)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--procedures", nargs="+", choices=SETTINGS, default=["default"])
    parser.add_argument("--only", default="", help="designs whose name has this in it")
    options = parser.parse_args(arguments)
    sys.stdout.write("| design | procedure | p <= 0.05 | confounding | any warning | of p <= 0.05 | seconds |\n")
    sys.stdout.write("|---|---|---|---|---|---|---|\n")
    for kind, drawn in (("shared", SHARED), ("clean", CLEAN)):
        for name, draw in drawn.items():
            for procedure in options.procedures if options.only in name else ():
                work = (delayed(trial)(draw, seed, procedure) for seed in range(options.trials))
                rejected, confounded, warned, seconds = map(
                    np.array, zip(*Parallel(n_jobs=options.jobs)(work), strict=True)
                )
                of_rejected = f"{confounded[rejected].mean():.2f} of {rejected.sum()}" if rejected.any() else "-"
                sys.stdout.write(
                    f"| {kind}: {name} | {procedure} | {rejected.mean():.2f} | {confounded.mean():.2f} | "
                    f"{warned.mean():.2f} | {of_rejected} | {np.median(seconds):.2f} |\n"
                )
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
