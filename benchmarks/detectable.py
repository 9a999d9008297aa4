"""Is what a test could have seen what it sees: ``python -m benchmarks.detectable --trials 200 --jobs 1 [--json]``.

Of each design some pilot tables are drawn in which nothing differs. ``result.detectable()`` names the effects that are
seen with a power of 0.8; then as many fresh tables as there are trials get that very effect, in the law that they are
drawn from, and the whole test is made of each: it should reject 0.75 to 0.85 of them, but for the noise of the trials
(0.8 has a standard error of 0.028 with 200). ``--what check`` compares ``result.check()`` with fresh tables in which
nothing differs, and ``--what plan`` the power of tables of as many rows as ``plan`` says that an effect needs.
"""

import argparse
import json
import os
import sys
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from condmmd import Compute, cmmd_test, plan  # noqa: E402

POWER = 0.8
RESAMPLES = 199


def shifted(rng, n, m, d, by):
    """Covariates of which some have moved, and the labels."""
    X = rng.normal(size=(n + m, d))
    X[:n, : len(by)] += by
    return X, np.repeat([1, 0], [n, m])


def number(d, by, noise=None):
    """One numeric outcome."""

    def draw(rng, n, m, kind="", size=0.0, along=0):
        X, t = shifted(rng, n, m, d, by)
        mean = np.sin(X[:, 0]) + X[:, 1]
        eps = rng.normal(size=n + m) if noise is None else noise(rng, n + m)
        spread = np.where(t == 1, size, 1.0) if kind == "spread" else 1.0
        middle = sum(by[along : along + 1]) / 2  # of the covariate, where the groups overlap
        slope = size * t * (X[:, along] - middle) if kind == "slope" else 0.0
        return X, mean + slope + spread * eps + (size * t if kind == "shift" else 0.0), t

    return draw


def binary(rng, n, m, kind="", size=0.0, along=0):  # noqa: ARG001
    """Of the rows that are not 1, as many turn into 1 as the share of ones is to rise; ones are the rarer."""
    X, t = shifted(rng, n, m, 3, [0.5])
    y = (rng.random(n + m) < 1 / (1 + np.exp(1.0 - X[:, 0] - 0.5 * X[:, 1]))).astype(float)
    if kind == "share":
        room = 1 - y.mean()
        y = np.where((t == 1) & (rng.random(n + m) < size / room), 1.0, y)
    return X, y, t


def counts(rng, n, m, kind="", size=1.0, along=0):  # noqa: ARG001
    X, t = shifted(rng, n, m, 3, [0.5])
    rate = np.exp(0.5 + 0.4 * X[:, 0])
    return X, rng.poisson(np.where(t == 1, size, 1.0) * rate if kind == "rate" else rate).astype(float), t


def student(rng, count):
    return rng.standard_t(4, size=count) / 2**0.5


# Design: a table, rows of P and of Q, kinds of effect.
DESIGNS = {
    "X moved, 5 covariates": (number(5, [0.5, 0.3]), 150, 150, ("shift", "slope", "spread")),
    "1 : 4": (number(2, [0.5]), 80, 320, ("shift", "slope", "spread")),
    "10 covariates": (number(10, [0.5]), 150, 150, ("shift",)),
    "heavy tails": (number(2, [0.5], student), 150, 150, ("shift", "spread")),
    "binary": (binary, 200, 200, ("share",)),
    "counts": (counts, 150, 150, ("rate",)),
}


def test(draw, seed, n, m, **effect):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, Y, t = draw(np.random.default_rng(seed), n, m, **effect)
        return cmmd_test(X, Y, t, n_resamples=RESAMPLES, rng=seed[0], compute=Compute(keep_fits=True))


def rejects(draw, seed, n, m, **effect):
    return test(draw, seed, n, m, **effect).pvalue <= 0.05


def share(workers, draw, options, n, m, **effect):
    """Shifts and slopes go up in one half of the tables and down in the other: confounding that is left favours one."""
    sizes = [effect.get("size", 0.0)] * options.trials
    if effect.get("kind") in {"shift", "slope"}:
        sizes[1::2] = [-size for size in sizes[1::2]]
    jobs = (
        delayed(rejects)(draw, [k, 5 + options.seed], n, m, **{**effect, "size": size}) for k, size in enumerate(sizes)
    )
    return float(np.mean(workers(jobs)))


def pilot(draw, number_of, n, m):
    """What one pilot table says, by kind."""
    found = test(draw, [number_of, 3], n, m).detectable(POWER, along="x1")
    return {effect.kind: (effect.size, effect.deviations) for effect in found.effects}


def detectable(workers, name, options):
    draw, n, m, kinds = DESIGNS[name]
    pilots = workers(delayed(pilot)(draw, k, n, m) for k in range(options.pilots))
    for kind in kinds:
        sizes = [found[kind][0] for found in pilots]
        size = float(np.mean(sizes))
        power = share(workers, draw, options, n, m, kind=kind, size=size, along=1)
        yield {"design": name, "rows": [n, m], "kind": kind, "size": size, "deviation of sizes": float(np.std(sizes)),
               "power": power}  # fmt: skip


def check(workers, name, options):
    draw, n, m, _ = DESIGNS[name]
    outside = share(workers, draw, options, n, m)
    inside = [test(draw, [k, 3], n, m).check(max(1, options.trials // options.pilots)) for k in range(options.pilots)]
    rejected, trials = sum(found.rejected for found in inside), sum(found.trials for found in inside)
    yield {"design": name, "rows": [n, m], "kind": "nothing", "check": rejected / trials, "power": outside}


def planned(workers, name, options):
    """A pilot of half as many rows, and an effect that needs more."""
    draw, n, m, kinds = DESIGNS[name]
    kind = kinds[0]
    size = pilot(draw, 0, n, m)[kind][0]
    rows = []
    for k in range(options.pilots):
        X, Y, t = draw(np.random.default_rng([k, 4]), n // 2, m // 2)
        rows.append(plan(X, Y, t, effect=size, kind=kind, power=POWER, rng=k).rows)
    p, q = (round(float(np.mean(part))) for part in zip(*rows, strict=True))
    power = share(workers, draw, options, p, q, kind=kind, size=size)
    yield {"design": name, "rows": [p, q], "kind": kind, "size": size, "pilot": [n // 2, m // 2], "power": power}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--pilots", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the fresh tables")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="designs whose name has this in it")
    parser.add_argument("--what", choices=["detectable", "check", "plan"], default="detectable")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    question = {"detectable": detectable, "check": check, "plan": planned}[options.what]
    with Parallel(n_jobs=options.jobs) as workers:
        for name in DESIGNS:
            if options.only not in name:
                continue
            for row in question(workers, name, options):
                if options.json:
                    print(json.dumps(row))
                else:
                    inside = f"; check() says {row['check']:.3f}" if "check" in row else f"; size {row['size']:.3g}"
                    print(f"{row['design']}, {row['rows'][0]} + {row['rows'][1]} rows, {row['kind']}{inside}: "
                          f"rejected {row['power']:.3f}")  # fmt: skip
                sys.stdout.flush()


if __name__ == "__main__":
    main()
