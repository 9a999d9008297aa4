"""All levels for many label vectors, against the literal formula, in one run: ``python -m benchmarks.levels``.

Ours is timed from the raw rows to the levels of every label vector: lengthscales, features, moments, solves. The
literal formula gets its two pooled Gram matrices timed too, then label vectors one by one until ``--seconds`` are
spent; its time for all of them is the mean of those times their number (its cost does not depend on the labels).
"""

import argparse
from time import perf_counter

import numpy as np

from benchmarks.literal import all_levels
from condmmd import CMMD, Gaussian
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.kernels import median_distance
from condmmd.nuisance import Learned

LAMBDA = 0.1
LEVELS = np.array([0.0, 1.0, 2.0])


def data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(0.5, 0.75, size=(2 * n, d))
    t = np.repeat([1.0, 0.0], n)
    signal = np.where(t == 1, np.exp(-0.5 * X[:, 0] ** 2) * np.sin(2 * X[:, 0]), X[:, 0])
    return X, signal + 0.5 * rng.normal(size=2 * n), t


def ours(X, Y, T, tol, max_rank):
    statistic = CMMD(kernel_x=Gaussian(), kernel_y=Gaussian(), reg=LAMBDA, tol=tol, max_rank=max_rank)
    start = perf_counter()
    samples = read_samples(X, Y, T[0])
    comparison = statistic.measure(samples, Learned(statistic.embed_measured(samples)))
    values = comparison.levels(HeldLabels(T), LEVELS)
    return values, perf_counter() - start, comparison


def literal(X, Y, T, seconds):
    start = perf_counter()
    K, L = Gaussian(median_distance(X))(X), Gaussian(median_distance(Y))(Y)
    setup = perf_counter() - start
    values, times = [], []
    for t in T:
        start = perf_counter()
        values.append(all_levels(K, L, t, LAMBDA))
        times.append(perf_counter() - start)
        if sum(times) > seconds:
            break
    return np.array(values), setup + len(T) * float(np.mean(times)), len(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 250, 500, 1000], help="rows in each group")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--labels", type=int, default=200, help="label vectors")
    parser.add_argument("--seconds", type=float, default=20, help="time for the literal formula in each row")
    parser.add_argument("--tol", type=float, default=1e-12)
    parser.add_argument("--max-rank", type=int, default=None)
    parser.add_argument("--repeat", type=int, default=3, help="ours is the best of this many")
    options = parser.parse_args()
    print(f"{options.labels} label vectors, levels 0 1 2, lambda {LAMBDA}, tol {options.tol:g}")
    print(
        "  n=m   d |   ours s | literal s (timed) |   ratio | rank x, y | residual x, y     | largest rel. difference"
    )
    for d in options.dimensions:
        for n in options.sizes:
            X, Y, t = data(n, d)
            rng = np.random.default_rng(1)
            T = np.array([t] + [rng.permutation(t) for _ in range(options.labels - 1)])
            runs = [ours(X, Y, T, options.tol, options.max_rank) for _ in range(options.repeat)]
            found, seconds, comparison = min(runs, key=lambda run: run[1])
            x, y = comparison.x, comparison.y
            expected, baseline, timed = literal(X, Y, T, options.seconds)
            difference = np.abs(found[:timed] / expected - 1).max()
            print(
                f"{n:5d} {d:3d} | {seconds:8.4f} | {baseline:9.2f} ({timed:4d}) | {baseline / seconds:7.0f} | "
                f"{x.rank:5d} {y.rank:3d} | {x.residual:8.1e} {y.residual:8.1e} | {difference:.1e}  ({x.method})",
                flush=True,
            )


if __name__ == "__main__":
    main()
