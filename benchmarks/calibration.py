"""How often a true null hypothesis is rejected: ``python -m benchmarks.calibration [--trials 1000] [--jobs 2]``.

For each null of `scenarios.NULLS` and each procedure, the share of trials with a p-value of at most 0.05, with 199 null
labels each, and beside it the smallest and the largest rate of a single column (a level, a view) of the same statistic.
Exact schemes must stay inside the 99.9 % binomial interval around 0.05 (below it for discrete data, where ties make
p-values larger), each column too; the default call and what may become it must not exceed 0.08. A star marks what does
not.
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
from scipy.stats import binom  # noqa: E402

from benchmarks.procedures import SETTINGS  # noqa: E402
from benchmarks.scenarios import NULLS  # noqa: E402
from condmmd import CMMD, Resampling, cmmd_test  # noqa: E402

LEVEL = 0.05
LIMIT_OF_DEFAULT = 0.08
# name: (settings, needs equal marginals, exact; the names of SETTINGS have the limit in its place)
PROCEDURES = {
    "permutation": ({"propensity": None}, True, True),
    "true e, fixed-size": ({"propensity": "true"}, False, True),
    "true e, bernoulli": ({"propensity": "true", "null": Resampling("bernoulli")}, False, True),
    "true e, orthogonal": ({"propensity": "true", "statistic": CMMD(estimator="orthogonal")}, False, True),
    "estimated e, orthogonal": ({"statistic": CMMD(estimator="orthogonal")}, False, False),
    **{name: (settings, False, False) for name, settings in SETTINGS.items()},
}
UNLESS_NAMED = {"plug-in"}


def trial(name, seed, n_resamples, procedures=tuple(PROCEDURES)):
    """P-values of every procedure and of each column of its statistic by itself."""
    draw = NULLS[name](np.random.default_rng([seed, 17]))
    found = {}
    for procedure, (settings, needs_equal, _) in PROCEDURES.items():
        if procedure not in procedures or (needs_equal and not draw.equal):
            continue
        chosen = dict(settings)
        if chosen.get("propensity") == "true":
            chosen["propensity"] = draw.e
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = cmmd_test(draw.X, draw.Y, draw.t, blocks=draw.blocks, n_resamples=n_resamples, rng=seed, **chosen)
        found[procedure] = result.pvalue
        found |= {f"{procedure}, column {k}": column.pvalue for k, column in enumerate(result.by_level)}
    return found


def rates(name, trials, jobs, n_resamples, procedures):
    """By procedure and column; columns that only some trials have are left out."""
    results = Parallel(n_jobs=jobs, batch_size=8)(
        delayed(trial)(name, seed, n_resamples, procedures) for seed in range(trials)
    )
    shared = [key for key in results[0] if all(key in result for result in results)]
    return {key: float(np.mean([r[key] <= LEVEL for r in results])) for key in shared}


def verdict(procedure, rate, trials, discrete):
    low, high = binom.interval(0.999, trials, LEVEL)
    if procedure in SETTINGS:
        return rate <= LIMIT_OF_DEFAULT
    exact = PROCEDURES[procedure][2]
    return not exact or (rate * trials <= high and (discrete or rate * trials >= low))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=199)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=list(NULLS))
    usual = [name for name in PROCEDURES if name not in UNLESS_NAMED]
    parser.add_argument("--procedures", nargs="*", choices=PROCEDURES, default=usual)
    parser.add_argument("--json", type=Path, help="also write the rates here, null by null")
    options = parser.parse_args()
    low, high = binom.interval(0.999, options.trials, LEVEL)
    print(
        f"{options.trials} trials, {options.resamples} null labels; exact schemes within {low / options.trials:.3f} to "
        f"{high / options.trials:.3f}; joined p-value (smallest, largest of a single column)"
    )
    collected, failed = {}, 0
    for name in options.only:
        found = rates(name, options.trials, options.jobs, options.resamples, tuple(options.procedures))
        collected[name] = found
        print(name)
        for procedure in PROCEDURES:
            if procedure not in found:
                continue
            columns = [rate for key, rate in found.items() if key.startswith(f"{procedure}, column ")]
            several = [found[procedure], min(columns), max(columns)]
            fine = [verdict(procedure, rate, options.trials, "binary" in name) for rate in several]
            failed += fine.count(False)
            shown = [f"{rate:.3f}{' ' if ok else '*'}" for rate, ok in zip(several, fine, strict=True)]
            print(f"  {procedure:<24} {shown[0]}  ({' '.join(shown[1:])})", flush=True)
        if options.json:
            options.json.write_text(json.dumps(collected, indent=1))
    print(f"{failed} outside")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
