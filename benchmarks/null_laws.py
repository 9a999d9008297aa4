"""Other null laws of the very same fitted default: ``python -m benchmarks.null_laws [--trials 200] [--jobs 2]``.

The features, the residuals, the propensity, the columns and their joining stay as they are; what differs is how the
residual labels are drawn under the null hypothesis. The shares of p-values of at most 0.05 are printed.
"""

import argparse
import os
import warnings
from dataclasses import replace

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from benchmarks import designs  # noqa: E402
from condmmd import Resampling, Signs, cmmd_test  # noqa: E402
from condmmd.inference.joining import join_columns, pvalue  # noqa: E402

B = 199
GOLDEN = 5**0.5
ROWS = (
    ("null", "160 covariates, 160 outcomes", 100), ("null", "every one of 20 shifted", 150),
    ("null", "20 covariates, all moved a little", 150), ("null", "survey of 35 mixed columns", 200),
    ("null", "wine, tree of X", 89), ("null", "curve, X moved by 1", 50), ("null", "curve, X moved by 0.5", 20),
    ("power", "theta = 0", 100), ("power", "setting 1, n = 50", 50), ("power", "setting 2, n = 50", 50),
    ("power", "levels setting 2, theta = 0.4", 100), ("power", "doubly robust, n = 100", 100),
    ("power", "dimension 160", 100), ("power", "5 covariates, 0.4 of a noise sd", 200),
)  # fmt: skip


class Kept(Signs):
    """The default null law, which keeps what it was run with."""

    def run(self, fitted, labels, settings):
        self.__dict__["run_with"] = fitted, labels
        return super().run(fitted, labels, settings)


def mammen(rng, size):
    """Multipliers of mean 0 whose second and third moments are 1."""
    return np.where(rng.random(size) < (GOLDEN + 1) / (2 * GOLDEN), (1 - GOLDEN) / 2, (1 + GOLDEN) / 2)


def laws(labels, seed):
    """Draws of residual labels, by name."""
    own, rng = labels.multipliers, np.random.default_rng([seed, 9])
    size = (B, own.count)
    signs, a = rng.choice([-1.0, 1.0], size=size), np.asarray(own.a)
    found = {"signs alone": replace(own, fit=None).weights(signs)}
    if own.fit is None:
        return found
    once = replace(own, deviation=a)
    h = 1 - np.diagonal(own.fit.at(np.eye(own.count)))
    return found | {
        "leverage": replace(own, fit=None, deviation=a / np.sqrt(1 - np.clip(h, 0, 0.95))).weights(signs),
        "without d": once.weights(signs),
        "normal": own.weights(rng.normal(size=size)),
        "Mammen": own.weights(mammen(rng, size)),
    }


def trial(kind, name, n, seed):
    """The p-value by every law."""
    draw, null = designs.draw(kind, name, n, seed), Kept()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"blocks": draw.blocks, "n_resamples": B, "rng": seed}
        found = {"default": cmmd_test(draw.X, draw.Y, draw.t, null=null, **options).pvalue}
        found["labels"] = cmmd_test(draw.X, draw.Y, draw.t, null=Resampling(), **options).pvalue
    fitted, labels = null.run_with
    observed = fitted(labels.multipliers.observed)
    for law, draws in laws(labels, seed).items():
        joined = join_columns(fitted, np.concatenate([observed, fitted(draws)]))
        found[law] = pvalue(float(joined[0]), joined[1:], unit=1.0)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[""])
    options = parser.parse_args()
    names = ("default", "signs alone", "leverage", "without d", "normal", "Mammen", "labels")
    print("| " + " | ".join(["design, rows a group", *names]) + " |\n" + "|---" * (1 + len(names)) + "|")
    with Parallel(n_jobs=options.jobs) as parallel:
        for kind, name, n in ROWS:
            if not any(words in name for words in options.only):
                continue
            results = parallel(delayed(trial)(kind, name, n, seed) for seed in range(options.trials))
            rates = (f"{np.mean([r[law] <= 0.05 for r in results if law in r] or np.nan):.3f}" for law in names)
            print("| " + " | ".join([f"{kind}: {name}, {n}", *rates]) + " |", flush=True)


if __name__ == "__main__":
    main()
