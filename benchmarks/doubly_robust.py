"""Double robustness itself: ``python -m benchmarks.doubly_robust``; the paper's figures are in ``experiments``.

Three tables: bias with right and wrong models for growing n; four ways to the difference beside each other; the time of
refitted models against the plug-in.
"""

import argparse
import os
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from condmmd import CMMD, DoublyRobust, PerGroup, cmmd, cmmd_test  # noqa: E402
from experiments.dr_models import KERNELS  # noqa: E402
from experiments.draws import cosine  # noqa: E402


def bias_trial(n, seed, e_kind, mu_kind, at):
    draw = cosine(np.random.default_rng([seed, n, 7]), n, 0.5)
    x, right = draw.X, np.cos(4 * np.pi * draw.X)
    mu = (right + 0.5 * x**2, right) if mu_kind == "right" else (np.full(2 * n, 0.7), np.full(2 * n, -0.4))
    e = draw.e if e_kind == "right" else np.clip(1.3 * draw.e**2, 0.05, 0.95)
    statistic = CMMD(estimator=DoublyRobust(model=PerGroup(*mu)), reg=1e-6, **KERNELS)
    d = cmmd(x, draw.Y, draw.t, statistic=statistic, propensity=e)
    return d.witness(at, np.ones(len(at)))


def bias(options):
    at = np.array([0.2, 0.5, 0.8])
    print("Largest bias of the estimated difference 0.5 x^2 at x = 0.2, 0.5, 0.8 (its standard error), by n = m")
    for e_kind in ("right", "wrong"):
        for mu_kind in ("right", "wrong"):
            shown = []
            for n in (250, 1000, 4000, 16_000):
                jobs = (delayed(bias_trial)(n, seed, e_kind, mu_kind, at) for seed in range(options.bias_trials))
                found = np.array(Parallel(n_jobs=options.jobs)(jobs))
                worst = int(np.abs(found.mean(axis=0) - 0.5 * at**2).argmax())
                off = found.mean(axis=0)[worst] - 0.5 * at[worst] ** 2
                shown.append(f"{n}: {off:+.4f} ({found[:, worst].std() / len(found) ** 0.5:.4f})")
            print(f"  e {e_kind}, mu {mu_kind}:  " + "   ".join(shown), flush=True)


METHODS = {
    "plug-in": {"residualize": False},
    "residualised": {},
    "orthogonal": {"statistic": CMMD(estimator="orthogonal")},
    "doubly robust": {"statistic": CMMD(estimator="doubly_robust"), "residualize": False},
}


def comparison_trial(n, seed, wrong):
    found = []
    for difference in (0.5, 0.0):
        draw = cosine(np.random.default_rng([seed, n, 8]), n, difference)
        e = np.clip(1.3 * draw.e**2, 0.05, 0.95) if wrong else draw.e
        for settings in METHODS.values():
            result = cmmd_test(draw.X, draw.Y, draw.t, propensity=e, n_resamples=99, rng=seed, **settings)
            found.append(result.pvalue <= 0.05)
    return found


def comparison(options):
    print("Rejection at 0.05, n = m = 200, Gaussian kernels, all levels: difference 0.5 x^2 / none")
    for wrong in (False, True):
        jobs = (delayed(comparison_trial)(200, seed, wrong) for seed in range(options.trials))
        rates = np.mean(Parallel(n_jobs=options.jobs, batch_size=4)(jobs), axis=0).reshape(2, -1)
        told = ", ".join(f"{name} {a:.3f} / {b:.3f}" for name, a, b in zip(METHODS, *rates, strict=True))
        print(f"  propensity {'wrong' if wrong else 'right'}: {told}", flush=True)


def timing(_):
    draw = cosine(np.random.default_rng(0), 500, 0.5)
    seconds = {}
    for name, statistic in {
        "plug-in": CMMD(),
        "refitted": CMMD(estimator=DoublyRobust()),
        "refitted, 5 folds": CMMD(estimator=DoublyRobust(folds=5)),
    }.items():
        times = []
        for _ in range(5):
            start = perf_counter()
            cmmd_test(draw.X, draw.Y, draw.t, statistic=statistic, propensity=draw.e, n_resamples=200, rng=0)
            times.append(perf_counter() - start)
        seconds[name] = min(times)
    told = ", ".join(f"{name} {value:.3f} s" for name, value in seconds.items())
    print(f"200 resamples at n = m = 500: {told}; ratio {seconds['refitted'] / seconds['plug-in']:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--bias-trials", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=["bias", "comparison", "time"])
    options = parser.parse_args()
    tables = {"bias": bias, "comparison": comparison, "time": timing}
    for name in options.only:
        tables[name](options)


if __name__ == "__main__":
    main()
