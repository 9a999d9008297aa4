"""The paper's doubly robust experiment, and double robustness itself: ``python -m benchmarks.doubly_robust``.

Five tables: (1) rejection rates against the published ones, as the authors ran it (errata 10: propensity clipped to
[0.1, 0.9], lambda and models from 5-fold cross-validation on the observed labels and kept, independent labels); (2) the
squared error of CMMD_1^2; (3) bias with right and wrong models for growing n; (4) four ways to
the difference beside each other; (5) the time of refitted models against the plug-in.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from benchmarks.scenarios import cosine  # noqa: E402
from condmmd import Linear, Polynomial, cmmd, cmmd_test  # noqa: E402

HERE = Path(__file__).parent.parent
FIGURES = next(
    (p for p in (HERE.parent / "shared/gold/figures.json", HERE / "tests/data/figures.json") if p.exists()), None
)
KERNELS = {"kernel_x": Polynomial(2, 1.0), "kernel_y": Linear()}
ALPHAS = np.logspace(-4, 1, 5)
EXACT = 0.0591797  # CMMD_1^2 of the population: E[(x^2 / 2)^2] over the mixture


def cross_validated(x, y):
    """Kernel ridge with 5 unshuffled folds over ALPHAS: the lambda in our scale."""
    K = Polynomial(2, 1.0)(x)
    folds = np.array_split(np.arange(len(x)), 5)
    errors = []
    for alpha in ALPHAS:
        total = []
        for test in folds:
            train = np.setdiff1d(np.arange(len(x)), test)
            dual = np.linalg.solve(K[np.ix_(train, train)] + alpha * np.eye(len(train)), y[train])
            total.append(np.mean((y[test] - K[np.ix_(test, train)] @ dual) ** 2))
        errors.append(np.mean(total))
    return ALPHAS[int(np.argmin(errors))] / len(x)


def nuisances(draw):
    """What the authors fit once on the observed labels: lambdas of the groups and of the difference."""
    t, e = draw.t, np.clip(draw.e, 0.1, 0.9)
    lam_p, lam_q = (cross_validated(draw.X[t == k], draw.Y[t == k]) for k in (1, 0))
    first = cmmd(
        draw.X, draw.Y, t, estimator="doubly_robust", propensity=e, reg=0.1, outcome_reg=(lam_p, lam_q), **KERNELS
    )
    lam = cross_validated(draw.X, first.pseudo_outcomes[:, 0])
    return e, (lam_p, lam_q), lam


def published_trial(n, seed, difference):
    draw = cosine(np.random.default_rng([seed, n, 5]), n, difference)
    e, pair, lam = nuisances(draw)
    common = {
        "propensity": e, "scheme": "bernoulli", "residualize": False, "level": [0, 1, 2], "n_resamples": 200,
        "rng": seed, **KERNELS,
    }  # fmt: skip
    plain = cmmd_test(draw.X, draw.Y, draw.t, reg=pair, **common)
    robust = cmmd_test(
        draw.X, draw.Y, draw.t, estimator="doubly_robust", reg=lam, outcome_reg=pair, refit=False, **common
    )
    refitted = cmmd_test(draw.X, draw.Y, draw.t, estimator="doubly_robust", reg=lam, outcome_reg=pair, **common)
    return [r.pvalue < 0.05 for result in (plain, robust, refitted) for r in result.by_level]


def rejection(options):
    figures = json.loads(FIGURES.read_text()) if FIGURES else {}
    outside = 0
    print("Rejection at 0.05: plug-in 0 1 2 | doubly robust 0 1 2 | the same, models refitted   (published behind /)")
    for name, difference in (("type2", 0.5), ("type1", 0.0)):
        curves = figures.get(f"dr/{name}_vs_sample_size.pdf", {}).get("curves", {})
        for position, n in enumerate((100, 200, 300, 400, 500)):
            jobs = (delayed(published_trial)(n, seed, difference) for seed in range(options.trials))
            rates = np.mean(Parallel(n_jobs=options.jobs, batch_size=8)(jobs), axis=0)
            shown = []
            for k, rate in enumerate(rates):
                curve = curves.get(f"CMMD_{{{k % 3}}}" + (" DR" if k >= 3 else ""))
                if curve is None or k >= 6:
                    shown.append(f"{rate:.3f}")
                    continue
                p = curve["y"][position]
                middle = (p + rate) / 2
                bound = 3 * np.sqrt(middle * (1 - middle) * (1 / 200 + 1 / options.trials)) + 0.01
                outside += abs(rate - p) > bound
                shown.append(f"{rate:.3f}/{p:.3f}{'*' if abs(rate - p) > bound else ''}")
            print(
                f"  {name} n={n}: " + " ".join(shown[:3]) + " | " + " ".join(shown[3:6]) + " | " + " ".join(shown[6:])
            )
    print(f"  {outside} outside three standard errors")
    return outside


def error_trial(n, seed):
    draw = cosine(np.random.default_rng([seed, n, 6]), n, 0.5)
    e, pair, lam = nuisances(draw)
    plain = cmmd(draw.X, draw.Y, draw.t, reg=pair, **KERNELS).level(1)
    robust = cmmd(
        draw.X, draw.Y, draw.t, estimator="doubly_robust", propensity=e, reg=lam, outcome_reg=pair, **KERNELS
    ).level(1)
    return (plain - EXACT) ** 2, (robust - EXACT) ** 2


def squared_error(options):
    figures = json.loads(FIGURES.read_text()) if FIGURES else {}
    curves = figures.get("dr/cmmd1_error.pdf", {}).get("curves", {})
    print("Squared error of CMMD_1^2, mean (standard error), published mean (standard error)")
    for position, n in enumerate((100, 200, 300, 400, 500)):
        jobs = (delayed(error_trial)(n, seed) for seed in range(options.trials))
        errors = np.array(Parallel(n_jobs=options.jobs, batch_size=8)(jobs))
        for k, name in enumerate(("Standard Estimator", "DR Estimator")):
            mean, spread = errors[:, k].mean(), errors[:, k].std(ddof=1) / len(errors) ** 0.5
            curve = curves.get(name)
            told = "" if curve is None else f"   {curve['y'][position]:.5f} ({curve['err_half'][position]:.5f})"
            print(f"  n={n} {name:20} {mean:.5f} ({spread:.5f}){told}")


def bias_trial(n, seed, e_kind, mu_kind, at):
    draw = cosine(np.random.default_rng([seed, n, 7]), n, 0.5)
    x, right = draw.X, np.cos(4 * np.pi * draw.X)
    mu = (right + 0.5 * x**2, right) if mu_kind == "right" else (np.full(2 * n, 0.7), np.full(2 * n, -0.4))
    e = draw.e if e_kind == "right" else np.clip(1.3 * draw.e**2, 0.05, 0.95)
    d = cmmd(x, draw.Y, draw.t, estimator="doubly_robust", propensity=e, outcome_model=mu, reg=1e-6, **KERNELS)
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
    "orthogonal": {"estimator": "orthogonal"},
    "doubly robust": {"estimator": "doubly_robust", "residualize": False},
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
    for name, settings in {
        "plug-in": {},
        "refitted": {"estimator": "doubly_robust"},
        "refitted, 5 folds": {"estimator": "doubly_robust", "outcome_fit": 5},
    }.items():
        times = []
        for _ in range(5):
            start = perf_counter()
            cmmd_test(draw.X, draw.Y, draw.t, propensity=draw.e, n_resamples=200, rng=0, **settings)
            times.append(perf_counter() - start)
        seconds[name] = min(times)
    told = ", ".join(f"{name} {value:.3f} s" for name, value in seconds.items())
    print(f"200 resamples at n = m = 500: {told}; ratio {seconds['refitted'] / seconds['plug-in']:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--bias-trials", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=["rejection", "error", "bias", "comparison", "time"])
    options = parser.parse_args()
    tables = {"rejection": rejection, "error": squared_error, "bias": bias, "comparison": comparison, "time": timing}
    failed = [tables[name](options) for name in options.only]
    return any(failed)


if __name__ == "__main__":
    sys.exit(main())
