"""How often a false null hypothesis is rejected: ``python -m benchmarks.power [--trials 300] [--jobs 2]``.

For each alternative of `scenarios.ALTERNATIVES`: the default call (or another of ours, ``--procedure``); the same with
the true propensity; its best single column (a level, a view of the outcomes); the paper's own procedure with the true
propensity (plug-in at levels 0, 1, 2 with its kernels, lambda 0.1, Bernoulli labels, or shuffled labels and the joint
estimator for level 2 where X has equal distributions). A star marks a call below 0.9 of its best column or below the
paper's best.
"""

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from benchmarks.procedures import SETTINGS  # noqa: E402
from benchmarks.scenarios import ALTERNATIVES  # noqa: E402
from condmmd import CMMD, Gaussian, Linear, Polynomial, Resampling, cmmd_test  # noqa: E402
from condmmd.kernels import median_distance  # noqa: E402

LEVEL = 0.05


def paper_kernels(name, draw):
    """Kernels as in the paper's experiments (errata 7: the precision comes from the covariates of P, for both)."""
    if name.startswith("doubly robust"):
        return {"kernel_x": Polynomial(2, 1.0), "kernel_y": Linear()}
    if name.startswith(("theta", "levels", "dimension")):
        X = np.asarray(draw.X).reshape(len(draw.t), -1)
        scale = median_distance(X[draw.t == 1])
    else:
        scale = 0.1**-0.5
    return {"kernel_x": Gaussian(scale), "kernel_y": Gaussian(scale)}


def paper(name, draw, seed, n_resamples):
    kernels = paper_kernels(name, draw)
    statistics = [CMMD(level=[0, 1, 2], reg=0.1, **kernels)]
    if draw.equal and not name.startswith("levels"):
        statistics = [CMMD(level=[0, 1], reg=0.1, **kernels), CMMD(level=2, estimator="joint", **kernels)]
    common = {
        "residualize": False, "n_resamples": n_resamples, "rng": seed,
        **({"propensity": None} if draw.equal else {"propensity": draw.e, "null": Resampling("bernoulli")}),
    }  # fmt: skip
    tests = (cmmd_test(draw.X, draw.Y, draw.t, statistic=statistic, **common) for statistic in statistics)
    return [level.pvalue for test in tests for level in test.by_level]


def trial(name, seed, n_resamples, procedure):
    draw = ALTERNATIVES[name](np.random.default_rng([seed, 23]))
    common = {"n_resamples": n_resamples, "rng": seed, **SETTINGS[procedure]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        joined = cmmd_test(draw.X, draw.Y, draw.t, **common)
        true = cmmd_test(draw.X, draw.Y, draw.t, propensity=draw.e, **common)
        return {
            "joined": joined.pvalue,
            "true e": true.pvalue,
            **{f"column {column.name}": column.pvalue for column in joined.by_level},
            **{f"paper {s}": p for s, p in zip((0, 1, 2), paper(name, draw, seed, n_resamples), strict=True)},
        }


def shares(results):
    """Rejection rates by key; a column that only some trials have has the rate over all of them."""
    keys = dict.fromkeys(key for result in results for key in result)
    return {key: float(np.mean([result.get(key, 1.0) <= LEVEL for result in results])) for key in keys}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--resamples", type=int, default=199)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--procedure", choices=SETTINGS, default="default")
    parser.add_argument("--only", nargs="*", default=list(ALTERNATIVES))
    parser.add_argument("--json", type=Path, help="also write the rates here, row by row")
    options = parser.parse_args()
    error = 0.5 / options.trials**0.5
    print(f"{options.trials} trials (standard error up to {error:.3f}), {options.resamples} null labels")
    print(f"{'':32}  joined  true e | paper 0     1     2 | joined / best column")
    collected, failed = {}, 0
    for name in options.only:
        jobs = (delayed(trial)(name, seed, options.resamples, options.procedure) for seed in range(options.trials))
        rate = shares(Parallel(n_jobs=options.jobs, batch_size=4)(jobs))
        collected[name] = rate
        column = max((key for key in rate if key.startswith("column ")), key=rate.get)
        published = max(rate[f"paper {s}"] for s in (0, 1, 2))
        fine = rate["joined"] >= 0.9 * rate[column] and rate["joined"] >= published
        failed += not fine
        print(
            f"{name:32} {rate['joined']:7.3f} {rate['true e']:7.3f} |  "
            + "".join(f"{rate[f'paper {s}']:6.3f}" for s in (0, 1, 2))
            + f" | {rate['joined'] / max(rate[column], 1e-9):.2f}{' ' if fine else '*'} "
            + f"{rate[column]:.3f} {column.removeprefix('column ')}",
            flush=True,
        )
        if options.json:
            options.json.write_text(json.dumps(collected, indent=1))
    print(f"{failed} marked")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
