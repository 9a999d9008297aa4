"""How often true nulls are rejected: ``python -m benchmarks.family_nulls [--trials 400] [--seconds 600] [--door ...]``.

Ten nulls for each of `paired_test`, `model_test` and `calibration_test`, in their default calls with 199 draws of the
null. The share of p-values of at most 0.05 must stay inside the 99.9 % binomial interval around 0.05 (below it for
discrete outcomes, where ties make p-values larger); a star marks what does not. ``--seconds`` bounds the time: every
null gets as many of its trials as fit in an equal share of it, and the page says how many.
"""

import argparse
import os
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
from scipy.stats import binom  # noqa: E402

from condmmd import Mixture, Quantiles, calibration_test, model_test, paired_test  # noqa: E402

LEVEL = 0.05


def skewed(rng, n):
    return rng.exponential(size=n) - 1


def paired(name, rng):  # noqa: PLR0911 - a line for each null
    n = 100
    x = rng.normal(size=n)
    noise = rng.normal(size=(2, n))
    if name == "smooth":
        return x, *(np.sin(2 * x) + 0.5 * noise), {}
    if name == "noise grows":
        return x, *(x + np.exp(0.5 * x) * noise), {}
    if name == "heavy tails":
        return x, *(x + rng.standard_t(2, size=(2, n))), {}
    if name == "skewed":
        return x, *(x + skewed(rng, (2, n))), {}
    if name == "two correlated raters":
        return x, *(np.sin(x) + 0.6 * rng.normal(size=n) + 0.4 * noise), {}
    if name == "twenty rows":
        return x[:20], *(x[:20] + noise[:, :20]), {}
    if name == "eight covariates":
        X = rng.normal(size=(n, 8))
        return X, *(X[:, 0] + noise), {}
    if name == "classes":
        chance = 1 / (1 + np.exp(-x))
        return x, *(rng.uniform(size=(2, n)) < chance), {}
    if name == "blocks of four":
        common = np.repeat(rng.normal(size=(2, n // 4)), 4, axis=1)
        return x, *(x + common + 0.5 * noise), {"blocks": np.arange(n) // 4}
    return np.round(x), *(np.round(x)[:, None] + rng.normal(size=(2, n, 2))), {}  # two outcomes, ties in x


PAIRED = (
    "smooth", "noise grows", "heavy tails", "skewed", "two correlated raters", "twenty rows", "eight covariates",
    "classes", "blocks of four", "two outcomes, ties",
)  # fmt: skip


def model(name, rng):  # noqa: PLR0911
    n = 100
    x = rng.normal(size=n)
    mean, noise = np.sin(2 * x), rng.normal(size=n)
    if name == "normal":
        return x, mean + 0.5 * noise, (mean, 0.5), {}
    if name == "noise grows":
        sd = np.exp(0.5 * x)
        return x, mean + sd * noise, (mean, sd), {}
    if name == "normal, redrawn, twenty rows":
        return x[:20], mean[:20] + noise[:20], (mean[:20], 1.0), {"null": "redraw"}
    if name == "mixture":
        means = mean[:, None] + np.array([-1.0, 1.5])
        which = (rng.uniform(size=n) < 0.4).astype(int)
        law = Mixture(np.tile([0.6, 0.4], (n, 1)), means, np.full((n, 2), 0.4))
        return x, means[np.arange(n), which] + 0.4 * noise, law, {}
    if name == "skewed, draws":
        return x, x + skewed(rng, n), x[:, None] + skewed(rng, (n, 20)), {}
    if name == "draws, redrawn":
        return x, x + skewed(rng, n), x[:, None] + skewed(rng, (n, 20)), {"null": "redraw"}
    if name == "quantiles":
        levels = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
        values = mean[:, None] + np.array([-1.2815515655, -0.5244005127, 0.0, 0.5244005127, 1.2815515655])
        return x, mean + noise, Quantiles(values, levels), {}
    if name == "three classes":
        P = np.exp(np.stack([x, -x, 0 * x], axis=1))
        P /= P.sum(axis=1, keepdims=True)
        return x, (rng.random((n, 1)) > P.cumsum(axis=1)[:, :2]).sum(axis=1), P, {}
    if name == "blocks of four":
        common = np.repeat(rng.normal(size=n // 4), 4)
        return x, x + 0.8 * common + 0.6 * noise, (x, 1.0), {"blocks": np.arange(n) // 4}
    X = rng.normal(size=(n, 5))
    return X, X @ np.ones(5) + noise, (X @ np.ones(5), 1.0), {}


MODEL = (
    "normal", "noise grows", "normal, redrawn, twenty rows", "mixture", "skewed, draws", "draws, redrawn", "quantiles",
    "three classes", "blocks of four", "five covariates",
)  # fmt: skip


def calibration(name, rng):  # noqa: PLR0911
    n = 100
    if name.startswith("Dirichlet"):
        s = float(name.split()[1])
        p = rng.beta(s, 1 - s, size=n)
        return p, 1 * (rng.uniform(size=n) < p), {"classes": [0, 1]}
    if name == "five classes":
        P = rng.dirichlet(np.full(5, 0.5), size=n)
        return P, (rng.random((n, 1)) > P.cumsum(axis=1)[:, :4]).sum(axis=1), {"classes": range(5)}
    if name == "twenty rows":
        p = rng.uniform(size=20)
        return p, 1 * (rng.uniform(size=20) < p), {"classes": [0, 1]}
    if name == "rare":
        p = rng.uniform(0, 0.1, size=n)
        return p, 1 * (rng.uniform(size=n) < p), {"classes": [0, 1]}
    if name == "within groups":
        p = rng.uniform(size=n)
        return p, 1 * (rng.uniform(size=n) < p), {"classes": [0, 1], "given": rng.integers(0, 4, n) > 1}
    mean, sd = rng.normal(size=n), rng.uniform(0.5, 1.5, n)
    y = mean + sd * rng.normal(size=n)
    if name == "normal":
        return (mean, sd), y, {}
    if name == "quantiles":
        return (
            Quantiles(mean[:, None] + sd[:, None] * np.array([-1.2815515655, 0, 1.2815515655]), [0.1, 0.5, 0.9]),
            y,
            {},
        )
    return mean[:, None] + sd[:, None] * rng.normal(size=(n, 25)), y, {}


CALIBRATION = (
    "Dirichlet 0.1", "Dirichlet 0.3", "Dirichlet 0.5", "five classes", "twenty rows", "rare", "within groups", "normal",
    "quantiles", "draws",
)  # fmt: skip

DOORS = {
    "paired": (PAIRED, paired, paired_test),
    "model": (MODEL, model, model_test),
    "calibration": (CALIBRATION, calibration, calibration_test),
}
DISCRETE = {"classes", "three classes", "five classes", "rare", "twenty rows", "Dirichlet 0.1"}


def rejected(door, name, trials, seconds, n_resamples=199):
    """How many of how many trials reject."""
    _, draw, test = DOORS[door]
    started, count, found = time.perf_counter(), 0, 0
    for seed in range(trials):
        if count and time.perf_counter() - started > seconds:
            break
        *data, options = draw(name, np.random.default_rng([seed, 18]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found += test(*data, rng=seed, n_resamples=n_resamples, **options).pvalue <= LEVEL
        count += 1
    return found, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--door", choices=tuple(DOORS), action="append")
    options = parser.parse_args()
    doors = options.door or list(DOORS)
    share = options.seconds / sum(len(DOORS[door][0]) for door in doors)
    outside = 0
    sys.stdout.write("| door | null | rejected at 0.05 | trials |\n|---|---|---|---|\n")
    for door in doors:
        for name in DOORS[door][0]:
            found, count = rejected(door, name, options.trials, share)
            low, high = binom.interval(0.999, count, LEVEL)
            bad = found > high or (found < low and name not in DISCRETE)
            outside += bad
            sys.stdout.write(f"| {door} | {name} | {found / count:.3f}{' *' if bad else ''} | {count} |\n")
            sys.stdout.flush()
    return int(outside > 0)


if __name__ == "__main__":
    sys.exit(main())
