"""What a rank cap buys and costs where the kernel has no low rank: ``python -m benchmarks.rank_cap``.

Ten covariates, plug-in levels 0, 1 and 2, the same label vectors with all features and with ``--rank`` of them. First
the statistic (of the observed labels, and the largest and median over all label vectors) and the time, on ``--rows``
rows a group. Then rejection rates at 0.05 on ``--trials`` data sets of ``--power-rows`` rows a group with a weak
difference: both ways see the same data and the same null labels, so the difference is due to the cap alone.
"""

import argparse

import numpy as np

from benchmarks.levels import LAMBDA, LEVELS, literal, ours
from benchmarks.levels import data as strong
from condmmd.inference.joining import pvalues


def weak(n, seed, strength):
    rng = np.random.default_rng(seed)
    X = rng.normal(0.5, 0.75, size=(2 * n, 10))
    t = np.repeat([1.0, 0.0], n)
    return X, X[:, 0] + strength * t * np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=2 * n), t


def labels(t, count, seed):
    rng = np.random.default_rng(seed)
    return np.array([t] + [rng.permutation(t) for _ in range(count)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rank", type=int, default=128)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--labels", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10, help="time for the literal formula")
    parser.add_argument("--power-rows", type=int, default=150)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--strength", type=float, default=0.5)
    options = parser.parse_args()

    X, Y, t = strong(options.rows, 10)
    T = labels(t, options.labels - 1, 1)
    exact = ours(X, Y, T, 1e-12, None)
    capped = min((ours(X, Y, T, 1e-12, options.rank) for _ in range(3)), key=lambda run: run[1])
    _, baseline, timed = literal(X, Y, T, options.seconds)
    error = np.abs(capped[0] / exact[0] - 1)
    print(f"{options.rows} + {options.rows} rows, 10 covariates, lambda {LAMBDA}, {options.labels} label vectors")
    print(f"literal {baseline:.1f} s ({timed} timed), all features {baseline / exact[1]:.0f}x, ", end="")
    print(f"rank {options.rank} {baseline / capped[1]:.0f}x")
    for name, row in (
        ("observed", error[0]),
        ("median of label vectors", np.median(error, axis=0)),
        ("largest", error.max(axis=0)),
    ):
        told = ", ".join(f"level {s:g} {100 * e:.2f} %" for s, e in zip(LEVELS, row, strict=True))
        print(f"  relative difference of the statistic, {name}: {told}")

    rejected = np.zeros((2, len(LEVELS)))
    for trial in range(options.trials):
        X, Y, t = weak(options.power_rows, trial, options.strength)
        T = labels(t, 99, trial)
        for way, rank in enumerate((None, options.rank)):
            rejected[way] += pvalues(ours(X, Y, T, 1e-12, rank)[0]) <= 0.05
    for name, row in zip(("all features", f"rank {options.rank}"), rejected / options.trials, strict=True):
        told = ", ".join(f"level {s:g} {rate:.3f}" for s, rate in zip(LEVELS, row, strict=True))
        print(f"  rejections in {options.trials} sets of {options.power_rows} + {options.power_rows}, {name}: {told}")


if __name__ == "__main__":
    main()
