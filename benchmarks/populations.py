"""Rejections of `interventional_test` and `ratio_test` (docs/decisions/0012): ``python -m benchmarks.populations``."""

import argparse
import warnings

import numpy as np

from benchmarks.leaderboard.two_samples import SCENARIOS, draw
from condmmd import PooledRidge, interventional_test, ratio_test


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def of_leaderboard(scenario):
    def made(rng):
        drawn = draw(rng, scenario)
        return drawn.X, drawn.Y, drawn.group, sigmoid(-scenario.moved * drawn.X[:, 0])

    return made


def labelled(rng, x, e):
    return (rng.random(len(x)) < e).astype(int)


def discrete(rng):
    x = rng.integers(0, 4, size=300)
    e = np.array([0.3, 0.45, 0.6, 0.75])[x]
    return x[:, None].astype(float), x + rng.exponential(size=300), labelled(rng, x, e), e


def unbalanced(rng):
    x, group = np.concatenate([rng.normal(0, 1, 60), rng.normal(0.7, 1, 240)]), np.repeat([1, 0], [60, 240])
    return x[:, None], np.sin(2 * x) + 0.5 * rng.normal(size=300), group, 1 / (1 + 4 * np.exp(0.7 * x - 0.245))


def cancels(rng):
    """Y given x differs at every x but 0; over all rows it does not."""
    x = rng.normal(size=300)
    e = sigmoid(0.8 * x - 0.7)
    group = labelled(rng, x, e)
    return x[:, None], np.where(group == 1, x, -x) + 0.5 * rng.normal(size=300), group, e


DESIGNS = {name: of_leaderboard(scenario) for name, scenario in SCENARIOS.items() if scenario.outcomes == 1} | {
    "X of 4 values": discrete, "60 + 240 rows, X moved": unbalanced, "cancels over all rows": cancels,
}  # fmt: skip


def rejected(pvalues):
    return f"{np.mean(np.array(pvalues) <= 0.05):.3f} of {len(pvalues)}"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.populations", description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, made in DESIGNS.items():
        tables = [made(np.random.default_rng([seed, 150])) for seed in range(options.trials)]
        for population in ("overlap", "all", "q"):
            found = [
                interventional_test(
                    X, Y, group, population=population, propensity=e, residualize=PooledRidge(), n_resamples=99, rng=k
                ).pvalue
                for k, (X, Y, group, e) in enumerate(tables)
            ]
            print(f"{name} | {population} | {rejected(found)}", flush=True)
        found = [
            ratio_test(X, Y, g, (1 - e) / e, n_resamples=199, rng=k).pvalue for k, (X, Y, g, e) in enumerate(tables)
        ]
        print(f"{name} | true ratio of X | {rejected(found)}", flush=True)


if __name__ == "__main__":
    main()
