"""How often a true null hypothesis is rejected: ``python -m benchmarks.calibration [--trials 1000] [--jobs 2]``.

For each null of `scenarios.NULLS` and each procedure, the share of trials with a p-value of at most 0.05, with 199 null
labels each. Exact schemes must stay inside the 99.9 % binomial interval around 0.05 (below it for discrete data, where
ties make p-values larger); the default call must not exceed 0.08. A star marks what does not.
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

from benchmarks.scenarios import NULLS  # noqa: E402
from condmmd import CMMD, Resampling, cmmd_test  # noqa: E402

LEVEL = 0.05
LIMIT_OF_DEFAULT = 0.08
# name: (settings, needs equal marginals, exact)
PROCEDURES = {
    "permutation": ({"propensity": None}, True, True),
    "true e, fixed-size": ({"propensity": "true"}, False, True),
    "true e, bernoulli": ({"propensity": "true", "null": Resampling("bernoulli")}, False, True),
    "true e, orthogonal": ({"propensity": "true", "statistic": CMMD(estimator="orthogonal")}, False, True),
    "estimated e, orthogonal": ({"statistic": CMMD(estimator="orthogonal")}, False, False),
    "default": ({}, False, False),
}


def trial(name, seed, n_resamples, procedures=tuple(PROCEDURES)):
    """P-values of every procedure and, for the plug-in ones, of levels 0, 1 and 2 by themselves."""
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
        for level in result.by_level:
            if level.level in (0.0, 1.0, 2.0):
                found[f"{procedure}, level {level.level:g}"] = level.pvalue
    return found


def rates(name, trials, jobs, n_resamples, procedures):
    results = Parallel(n_jobs=jobs, batch_size=8)(
        delayed(trial)(name, seed, n_resamples, procedures) for seed in range(trials)
    )
    return {key: float(np.mean([r[key] <= LEVEL for r in results])) for key in results[0]}


def verdict(procedure, rate, trials, discrete):
    low, high = binom.interval(0.999, trials, LEVEL)
    if procedure.split(", level")[0] == "default":
        return rate <= LIMIT_OF_DEFAULT
    exact = PROCEDURES[procedure.split(", level")[0]][2]
    return not exact or (rate * trials <= high and (discrete or rate * trials >= low))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=199)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=list(NULLS))
    parser.add_argument("--procedures", nargs="*", default=list(PROCEDURES))
    parser.add_argument("--json", type=Path, help="also write the rates here, null by null")
    options = parser.parse_args()
    low, high = binom.interval(0.999, options.trials, LEVEL)
    print(
        f"{options.trials} trials, {options.resamples} null labels; exact schemes within "
        f"{low / options.trials:.3f} to {high / options.trials:.3f}; adaptive p-value (levels 0, 1, 2 alone)"
    )
    collected, failed = {}, 0
    for name in options.only:
        found = rates(name, options.trials, options.jobs, options.resamples, tuple(options.procedures))
        collected[name] = found
        print(name)
        for procedure in PROCEDURES:
            if procedure not in found:
                continue
            keys = [procedure, *(f"{procedure}, level {s}" for s in (0, 1, 2))]
            fine = [verdict(key, found[key], options.trials, "binary" in name) for key in keys]
            failed += fine.count(False)
            shown = [f"{found[key]:.3f}{' ' if ok else '*'}" for key, ok in zip(keys, fine, strict=True)]
            print(f"  {procedure:<24} {shown[0]}  ({' '.join(shown[1:])})", flush=True)
        if options.json:
            options.json.write_text(json.dumps(collected, indent=1))
    print(f"{failed} outside")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
