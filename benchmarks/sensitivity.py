"""Do the bounds of `result.sensitivity()` hold? ``python -m benchmarks.sensitivity [--trials 200] [--rows 400]``.

A covariate U that nobody measured moves the odds of P by exactly ``gamma`` up or down, and it is as bad as can be: it
says whether the noise of the outcome is above or below the quantile at which the odds given X stay what they are. So
the true difference is the very end of the sharp bounds. For each design the share of trials in which the interval
around the bounds has the truth in it, at gamma (at least 0.95; 0.975 for one end) and at 1 (where the estimate
believes U), the mean of the nearer end less the truth in standard errors (0 where the bounds are sharp), and, of the
test, where nothing differs but U: the share of rejections, and the share said to hold at gamma (at most 0.05).
"""

import argparse
import os
import warnings
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402
from scipy.special import ndtri  # noqa: E402

from condmmd import cmmd_test  # noqa: E402
from condmmd.data.warning_types import CondmmdWarning  # noqa: E402


def hidden(rng, e, rank, gamma):
    """Labels whose odds are those of e times gamma where the noise is high, by gamma less where it is not."""
    more, less = gamma * e / (1 - e + gamma * e), e / (gamma * (1 - e) + e)
    share = (e - less) / (more - less)
    return (rng.random(len(e)) < np.where(rank > 1 - share, more, less)).astype(int)


def normal(rng, count, gamma, effect):
    X = rng.normal(size=(count, 3))
    e = 1 / (1 + np.exp(-0.8 * X[:, 0]))
    u = rng.random(count)
    t = hidden(rng, e, u, gamma)
    return X, X[:, 0] + np.sin(X[:, 1]) + ndtri(u) + effect * t, t, effect


def one_to_five(rng, count, gamma, effect):
    X = rng.normal(size=(count, 3))
    e = 1 / (1 + np.exp(1.8 - 0.8 * X[:, 0]))
    u = rng.random(count)
    t = hidden(rng, e, u, gamma)
    return X, X[:, 0] + ndtri(u) + effect * t, t, effect


def spread(rng, count, gamma, effect):
    """Noise whose spread X moves, and the labels too."""
    X = rng.normal(size=(count, 3))
    e = 1 / (1 + np.exp(-0.8 * X[:, 0]))
    u = rng.random(count)
    t = hidden(rng, e, u, gamma)
    return X, X[:, 1] + np.exp(0.5 * X[:, 0]) * ndtri(u) + effect * t, t, effect


def heavy(rng, count, gamma, effect):
    """Student's t with 3 degrees of freedom."""
    X = rng.normal(size=(count, 3))
    e = 1 / (1 + np.exp(-0.8 * X[:, 0]))
    noise = rng.standard_t(3, count)
    t = hidden(rng, e, (np.argsort(np.argsort(noise)) + 0.5) / count, gamma)
    return X, X[:, 0] + noise + effect * t, t, effect


def share(rng, count, gamma, effect):  # noqa: ARG001 - a share has no constant effect, so none at all
    """A binary outcome, of which nothing differs."""
    X = rng.normal(size=(count, 3))
    e = 1 / (1 + np.exp(-0.8 * X[:, 0]))
    u = rng.random(count)
    t = hidden(rng, e, u, gamma)
    return X, (u > 1 / (1 + np.exp(0.5 * X[:, 0] - 0.3))).astype(float), t, 0.0


DESIGNS = {f.__name__: f for f in (normal, one_to_five, spread, heavy, share)}


def trial(design, seed, rows, gamma, effect):
    X, Y, t, truth = DESIGNS[design](np.random.default_rng(seed), rows, gamma, effect)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CondmmdWarning)
        result = cmmd_test(X, Y, t, n_resamples=199, rng=seed)
        start = perf_counter()
        found = result.sensitivity((1.0, gamma))
    naive, own = found.outcomes[0].table
    half = (own.interval[1] - own.high) or 1.0
    return (
        own.interval[0] <= truth <= own.interval[1], naive.interval[0] <= truth <= naive.interval[1],
        (own.low - truth) / (half / 1.96), result.pvalue <= 0.05, (found.verdict or 0.0) >= gamma,
        perf_counter() - start,
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--gamma", type=float, default=1.5)
    parser.add_argument("--effect", type=float, default=0.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=list(DESIGNS))
    options = parser.parse_args()
    print(f"{options.rows} rows, gamma {options.gamma:g}, {options.trials} trials")
    print("| design | covered at gamma | at 1 | nearer end less truth, se | rejects | said to hold | seconds |")
    print("|---|---|---|---|---|---|---|")
    for design in options.only:
        runs = Parallel(n_jobs=options.jobs)(
            delayed(trial)(design, seed, options.rows, options.gamma, options.effect) for seed in range(options.trials)
        )
        covered, naive, end, rejects, holds, seconds = np.array(runs, dtype=float).mean(axis=0)
        print(
            f"| {design} | {covered:.3f} | {naive:.3f} | {end:+.2f} | {rejects:.2f} | {holds:.3f} | {seconds:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
