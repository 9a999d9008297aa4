"""Do intervals of the size hold it, and does equivalence err as often as it says?

``python -m benchmarks.size_coverage [--trials 200] [--jobs 1] [--only WORD] [--json FILE]``

For each design at each size of the difference: the share of trials whose 95 % interval holds the share, and squared
CMMD at levels 0, 1 and 2; and how often the one-sided upper limit does. What is to be held is found by drawing outcomes
anew at the very covariates of the trial, in its own features, over its own directions. "within" of the share is what
the models of the trial leave of the outcomes; "true" counts the share with the noise itself in its place, which is
larger by what those models miss. Equivalence: claims at the margin, which should be at most 5 %. Compare: pairs told
apart at 5 %, of equal and of unequal candidates.
"""

import argparse
import json
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from condmmd import Compute, cmmd_test, compare  # noqa: E402
from condmmd.effects.sizes import share_of  # noqa: E402

LEVELS = (0.0, 1.0, 2.0)
ANEW = 100


@dataclass(frozen=True)
class Design:
    """Two groups of rows; X of P is moved by ``move``; delta(x) is ``effect * (1 + slope * x_last)``."""

    n: tuple[int, int] = (150, 150)
    effect: float = 0.0
    slope: float = 0.5
    move: float = 0.6
    covariates: int = 2
    heavy: bool = False
    cluster: int = 1

    def noise(self, rng, size):
        return rng.standard_t(2, size=size) if self.heavy else rng.normal(size=size)

    def mean(self, x):
        return np.sin(x[:, 0]) + 0.5 * x[:, -1]

    def delta(self, x):
        return self.effect * (1 + self.slope * x[:, -1])

    def draw(self, seed):
        rng = np.random.default_rng(seed)
        t = np.repeat([1, 0], self.n)
        blocks = np.arange(len(t)) // self.cluster
        x = rng.normal(size=(len(t), self.covariates))
        x[:, 0] += self.move * (t - 0.5)
        own = self.noise(rng, len(t))
        if self.cluster > 1:  # half of the noise is that of the cluster
            shared = self.noise(rng, blocks.max() + 1)[blocks]
            own = np.sqrt(0.5) * (own + shared)
        return x, self.mean(x) + t * self.delta(x) + own, t, blocks if self.cluster > 1 else None


DESIGNS = {
    "nothing": Design(),
    "small": Design(effect=0.35),
    "large": Design(effect=1.0),
    "one covariate, moved by 1, nothing": Design(covariates=1, move=1.0, slope=0.0),
    "one covariate, moved by 1, large": Design(covariates=1, move=1.0, effect=1.0),
    "5 covariates, small": Design(covariates=5, effect=0.35),
    "heavy tails, nothing": Design(heavy=True),
    "heavy tails, large": Design(heavy=True, effect=1.0),
    "clusters of 3, nothing": Design(cluster=3, n=(240, 240), move=0.0),
    "clusters of 3, large": Design(cluster=3, n=(240, 240), effect=1.0, move=0.0),
    "1 : 8, nothing": Design(n=(70, 560)),
    "1 : 8, large": Design(n=(70, 560), effect=1.0),
}


def truth(design, evidence, sizes, x, seed):
    """What intervals are to hold: the squared difference over the directions, at each level, and both withins."""
    rng = np.random.default_rng(10_000 + seed)
    noise = design.noise(rng, (len(x), ANEW))
    features = [
        np.asarray(evidence.y.transform(((design.mean(x) + k * design.delta(x))[:, None] + noise).reshape(-1, 1)))
        .reshape(len(x), ANEW, -1)
        for k in (0, 1)
    ]  # fmt: skip
    delta = features[1].mean(axis=1) - features[0].mean(axis=1)
    w = evidence.e * (1 - evidence.e)
    u = sizes.rows.along_directions(_count(sizes)).phi
    B = np.linalg.solve((u * w[:, None]).T @ u, u.T @ (w[:, None] * delta))
    squared = float(w @ np.sum((u @ B) ** 2, axis=1) / w.sum())
    within = float(w @ sum(0.5 * part.var(axis=1).sum(axis=1) for part in features) / w.sum())
    phi = sizes.rows.phi
    sigma, U = np.linalg.eigh((phi * w[:, None]).T @ phi / w.sum())
    sigma, M = np.maximum(sigma, 1e-14), (phi @ U).T @ (w[:, None] * delta) / w.sum()
    levels = [float(sigma**s / (sigma + sizes.reg) ** 2 @ np.sum(M**2, axis=1)) for s in LEVELS]
    return squared, within, levels


def _count(sizes):
    return max(1, int(np.ceil(sizes.rows.count**0.5 / 2)))


def trial(name, seed):
    design = DESIGNS[name]
    x, y, t, blocks = design.draw(seed)
    result = cmmd_test(x, y, t, blocks=blocks, n_resamples=19, rng=0, compute=Compute(keep_fits=True))
    sizes = result._sizes  # noqa: SLF001
    squared, within, levels = truth(design, result.evidence, sizes, x, seed)
    found, upper = sizes.difference, sizes.difference.in_scale.upper(0.95)
    low, high = result.size().share_interval
    held = {
        "share": low <= share_of(squared, found.within) <= high,
        "share, true": low <= share_of(squared, within) <= high,
        "upper": share_of(squared, found.within) <= share_of(upper, found.within),
        "upper, true": share_of(squared, within) <= share_of(upper, found.within),
    }
    for s, value in zip(LEVELS, levels, strict=True):
        low, high = sizes.squared(s).interval(0.95)
        held[f"level {s:g}"] = low <= value <= high
    numbers = (share_of(squared, within), result.size().share)
    return {key: bool(value) for key, value in held.items()} | {"numbers": numbers}


def mean_claim(seed, margin=0.4):
    """A constant shift that is the margin itself, up or down: is it claimed to be smaller?"""
    design = Design(effect=margin if seed % 2 else -margin, slope=0.0)
    x, y, t, _ = design.draw(seed)
    return cmmd_test(x, y, t, n_resamples=19, rng=0, compute=Compute(keep_fits=True)).closer_than(margin).shown


def size_claim(seed, effect=0.5):
    """A margin that is the share itself, with what the models leave and with the noise itself in it."""
    design = Design(effect=effect)
    x, y, t, _ = design.draw(seed)
    result = cmmd_test(x, y, t, n_resamples=19, rng=0, compute=Compute(keep_fits=True))
    sizes = result._sizes  # noqa: SLF001
    squared, within, _ = truth(design, result.evidence, sizes, x, seed)
    margins = (share_of(squared, sizes.difference.within), share_of(squared, within))
    return tuple(result.closer_than(margin, "size").shown for margin in margins)


def pair_claim(seed, effects, n=150):
    """Reference and two candidates whose covariates moved apart: are the candidates told apart?"""
    rng = np.random.default_rng(seed)

    def sample(effect, move):
        x = rng.normal(size=(n, 2))
        x[:, 0] += move
        return x, np.sin(x[:, 0]) + 0.5 * x[:, 1] + effect + rng.normal(size=n)

    reference = sample(0.0, 0.0)
    found = compare(reference, {"a": sample(effects[0], 0.4), "b": sample(effects[1], -0.4)})
    return found.pairs[0].pvalue <= 0.05, found.nearest == "a"


OTHERS = {
    "equivalence of means at the margin": mean_claim,
    "equivalence of size at the margin": size_claim,
    "compare: equal, both 0": lambda seed: pair_claim(seed, (0.0, 0.0)),
    "compare: equal, both 0.6": lambda seed: pair_claim(seed, (0.6, 0.6)),
    "compare: 0.2 and 0.8": lambda seed: pair_claim(seed, (0.2, 0.8)),
}


def quiet(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="designs with this word in their name")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    parallel, record = Parallel(options.jobs), {}
    keys = ["share", "share, true", "upper", "upper, true", *(f"level {s:g}" for s in LEVELS)]
    print(f"| design | true share, mean estimate | {' | '.join(keys)} | s |\n|{'---|' * (3 + len(keys))}", flush=True)
    for name in (name for name in DESIGNS if options.only in name):
        start = perf_counter()
        found = parallel(delayed(quiet)(trial, name, seed) for seed in range(options.trials))
        rates = {key: float(np.mean([one[key] for one in found])) for key in keys}
        shares = np.mean([one["numbers"] for one in found], axis=0).round(5).tolist()
        record[name] = rates | {"shares": shares, "trials": options.trials}
        seconds = (perf_counter() - start) / options.trials
        cells = " | ".join(f"{rates[key]:.3f}" for key in keys)
        print(f"| {name} | {shares[0]:.4f}, {shares[1]:.4f} | {cells} | {seconds:.1f} |", flush=True)
    print("\n| claim | rates |\n|---|---|", flush=True)
    for name in (name for name in OTHERS if options.only in name):
        found = parallel(delayed(quiet)(OTHERS[name], seed) for seed in range(options.trials))
        record[name] = np.mean(np.atleast_2d(np.array(found).T), axis=1).tolist()
        print(f"| {name} | {', '.join(f'{rate:.3f}' for rate in record[name])} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
