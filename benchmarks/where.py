"""Is the planted region found, and nothing where there is nothing? ``python -m benchmarks.where``.

Three uniform covariates, 1000 + 1000 rows, outcomes that differ by one noise standard deviation only where x1 > 0.5.
Then differences that are constant: are they said to vary, and do the intervals of the shift cover?
"""

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from condmmd import cmmd_test  # noqa: E402
from tests.explain.planted import planted  # noqa: E402
from tests.explain.test_locate import coverage  # noqa: E402
from tests.explain.test_shifts import constant_difference  # noqa: E402


def trial(seed, effect, resamples):
    where = cmmd_test(*planted(seed, effect=effect), n_resamples=resamples, rng=seed).where()
    covered, beyond = coverage(where)
    marked = where.outside.any() or any(profile.outside.any() for profile in where.profiles)
    return covered, beyond, where.profiles[0].covariate == "x1", bool(marked)


def constant_trial(kind, shift, seed):
    """Is a constant difference said to vary, and do the 95 % intervals of the shift cover it?"""
    where = constant_difference(kind, seed)
    covered = np.concatenate([np.abs(p.shift - shift) <= 1.96 * p.error for p in where.profiles])
    return len(where.carriers) > 0, covered.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--nulls", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=199)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    run = Parallel(n_jobs=options.jobs)
    found = np.array(run(delayed(trial)(seed, 1.0, options.resamples) for seed in range(options.runs)))
    good = (found[:, 0] >= 0.8) & (found[:, 1] <= 0.1) & (found[:, 2] == 1)
    print(f"planted: {good.sum():.0f} of {options.runs} good (covers at least 80 %, at most 10 % beyond, x1 first)")
    print(f"  covered: median {np.median(found[:, 0]):.3f}, smallest {found[:, 0].min():.3f}")
    print(f"  beyond:  median {np.median(found[:, 1]):.3f}, largest {found[:, 1].max():.3f}")
    print(f"  x1 first in {found[:, 2].sum():.0f}")
    null = np.array(run(delayed(trial)(seed, 0.0, options.resamples) for seed in range(10_000, 10_000 + options.nulls)))
    print(f"null: marked in {null[:, 3].sum():.0f} of {options.nulls} ({null[:, 3].mean():.3f})")
    for kind, shift in (("slope", 1.0), ("shift", 3.0), ("spread", 0.0)):
        constant = np.array(run(delayed(constant_trial)(kind, shift, seed) for seed in range(100)))
        said, covered = constant.mean(axis=0)
        print(f"constant difference ({kind}): said to vary in {said:.0%} of 100, intervals cover {covered:.1%}")


if __name__ == "__main__":
    main()
