"""How often do the intervals of ``result.effect()`` cover the truth?

``python -m benchmarks.coverage --trials 200 --jobs 1 [--only shift ...] [--rows 200] [--json FILE]``

Eight designs with a known propensity and known laws of the outcome in both groups, of which the effects in a population
are computed from a million draws. A rate of 0.95 has a standard error of 0.007 with 1000 trials and of 0.022 with 100.
"""

import argparse
import json
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from condmmd import cmmd_test

SHARES = np.arange(1, 10) / 10
TRUTH_ROWS = 1_000_000
BLOCK = 4


class Design(NamedTuple):
    """Covariates of the pooled rows, log-odds of P given them, and the law of the outcome given them and the group."""

    covariates: object
    odds: object
    outcome: object
    mean: object
    blocks: bool = False
    binary: bool = False


def normal(d):
    return lambda rng, n: rng.normal(size=(n, d))


def _numeric(mean, noise, *, d=3, odds=lambda x: 0.8 * x[:, 0]):
    return Design(normal(d), odds, lambda rng, x, t: mean(x, t) + noise(rng, x, t), mean)


def _smooth(x):
    return np.sin(x[:, 0]) + 0.5 * x[:, 1]


def _many(x):
    return x[:, 0] + 0.5 * x[:, 1] - 0.5 * x[:, 2] + 0.5 * x[:, 3] * x[:, 4]


def _gauss(rng, x, t):
    return rng.normal(size=len(x)) * np.where(t == 1, 1.3, 1.0)


def _chance(x, t):
    return 1 / (1 + np.exp(-(0.8 * x[:, 0] - 0.5 * x[:, 1] + 0.6 * t)))


def _positive(x, t):
    return 1 / (1 + np.exp(-(0.5 + 0.5 * x[:, 0] + 0.5 * t)))


def _amount(x, t):
    return np.exp(0.5 * x[:, 1] + 0.3 * t)


def _zeros(rng, x, t):
    return (rng.random(len(x)) < _positive(x, t)) * _amount(x, t) * rng.gamma(2.0, 0.5, size=len(x))


def _clustered(rng, n):
    """Three covariates, the first of them shared by the rows of a block."""
    x = rng.normal(size=(n, 3))
    x[:, 0] = np.repeat(rng.normal(size=-(-n // BLOCK)), BLOCK)[:n]
    return x


def _with_block_effects(rng, x, t):
    shared = np.repeat(rng.normal(size=-(-len(x) // BLOCK)), BLOCK)[: len(x)]
    return _smooth(x) + 0.3 * t + 0.5 * shared + rng.normal(size=len(x))


DESIGNS = {
    "shift": _numeric(lambda x, t: _smooth(x) + 0.4 * t, _gauss),
    "ten": _numeric(lambda x, t: _many(x) + 0.4 * t, _gauss, d=10, odds=lambda x: 0.5 * x[:, 0] + 0.5 * x[:, 1]),
    "tails": _numeric(lambda x, t: _smooth(x) + 0.4 * t, lambda rng, x, _: rng.standard_t(3, size=len(x))),
    "binary": Design(
        normal(3), lambda x: 0.8 * x[:, 0], lambda rng, x, t: (rng.random(len(x)) < _chance(x, t)) * 1.0, _chance,
        binary=True,
    ),
    "zeros": Design(normal(3), lambda x: 0.8 * x[:, 0], _zeros, lambda x, t: _positive(x, t) * _amount(x, t)),
    "clusters": Design(
        _clustered, lambda x: 0.6 * x[:, 0], _with_block_effects, lambda x, t: _smooth(x) + 0.3 * t, blocks=True
    ),
    "one to eight": _numeric(
        lambda x, t: _smooth(x) + 0.4 * t, _gauss, odds=lambda x: 0.7 * x[:, 0] - np.log(8) - 0.15
    ),
    "varying": _numeric(lambda x, t: _smooth(x) + t * (0.3 + 0.5 * x[:, 0] + 0.4 * x[:, 1] ** 2), _gauss),
}  # fmt: skip


def draw(design, rng, n):
    """X, Y, the labels and the blocks of 2 n rows."""
    x = design.covariates(rng, 2 * n)
    u = rng.random(2 * n)
    if design.blocks:
        u = np.repeat(u[::BLOCK], BLOCK)[: 2 * n]
    t = (u < 1 / (1 + np.exp(-design.odds(x)))).astype(int)
    return x, design.outcome(rng, x, t), t, np.arange(2 * n) // BLOCK if design.blocks else None


def weights_of(population, e):
    return {"overlap": e * (1 - e), "p": e, "q": 1 - e, "all": np.ones_like(e)}[population]


@cache
def truth(name, population):
    """Effects in a population, by their names."""
    design, rng = DESIGNS[name], np.random.default_rng(12345)
    x = design.covariates(rng, TRUTH_ROWS)
    e = 1 / (1 + np.exp(-design.odds(x)))
    w = weights_of(population, e)
    w = w / w.sum()
    sides = []
    for label in (1, 0):
        t = np.full(len(x), label)
        y = design.outcome(rng, x, t)
        order = np.argsort(y)
        places = np.searchsorted(np.cumsum(w[order]), SHARES)
        means = design.mean(x, t)
        sides.append((w @ means, w @ np.abs(y - means), y[order][places]))
    (mean_p, spread_p, quantiles_p), (mean_q, spread_q, quantiles_q) = sides
    if design.binary:
        return {"share": mean_p - mean_q}
    found = {"mean": mean_p - mean_q, "spread": spread_p / spread_q}
    return found | {f"q{100 * s:.0f}": d for s, d in zip(SHARES, quantiles_p - quantiles_q, strict=True)}


def trial(name, population, n, seed):
    """For each effect: whether its interval covers, how wide it is, the estimate, and its standard error."""
    design = DESIGNS[name]
    x, y, t, blocks = draw(design, np.random.default_rng([seed, 41]), n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = cmmd_test(x, y, t, blocks=blocks, n_resamples=19, rng=seed)
        effects = result.effect(population)
    known, found, band = truth(name, population), {}, True
    for effect in effects:
        key = effect.kind if effect.share is None else f"q{100 * effect.share:.0f}"
        if key not in known:
            continue
        low, high = effect.interval
        width = np.log(high / low) if effect.is_ratio else high - low
        found[key] = (low <= known[key] <= high, width, effect.estimate, effect.error)
        if effect.share is not None:
            band &= effect.simultaneous[0] <= known[key] <= effect.simultaneous[1]
    if not design.binary:
        found["band"] = (band, 0.0, 0.0, 0.0)
    return found


def measure(name, population, options):
    truth(name, population)
    trials = Parallel(n_jobs=options.jobs)(
        delayed(trial)(name, population, options.rows, seed)
        for seed in range(options.first, options.first + options.trials)
    )
    known, rows = truth(name, population), {}
    for key in trials[0]:
        covers, widths, estimates, errors = (
            np.array(column, dtype=float) for column in zip(*(f[key] for f in trials), strict=True)
        )
        of_log = key == "spread"
        estimates = np.log(estimates) if of_log else estimates
        rows[key] = {
            "coverage": float(covers.mean()), "width": float(widths.mean()), "truth": float(known.get(key, np.nan)),
            "estimate": float(np.exp(estimates.mean()) if of_log else estimates.mean()),
            "deviation": float(estimates.std(ddof=1)), "error": float(np.sqrt(np.mean(errors**2))),
        }  # fmt: skip
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first trial")
    parser.add_argument("--rows", type=int, default=200, help="half the rows of a table")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=list(DESIGNS), choices=list(DESIGNS))
    parser.add_argument("--population", default="overlap", choices=["overlap", "p", "q", "all"])
    parser.add_argument("--json", help="write everything to this file")
    options = parser.parse_args()
    print(f"{options.trials} trials, {options.rows} + {options.rows} rows, population {options.population}")
    print(
        f"{'design':<13} {'effect':<7} coverage  width   truth    mean     sd of estimates   standard error", flush=True
    )
    everything = {}
    for name in options.only:
        everything[name] = measure(name, options.population, options)
        for key, row in everything[name].items():
            shown = f"{row['width']:7.3f} {row['truth']:8.3f} {row['estimate']:8.3f} {row['deviation']:10.3f}"
            values = "" if key == "band" else f"{shown} {row['error']:16.3f}"
            print(f"{name:<13} {key:<7} {row['coverage']:7.3f} {values}", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
