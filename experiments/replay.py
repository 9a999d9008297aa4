"""The authors' own random numbers: their seeds, in the order in which their runs call the generators.

Their code is public (github.com/PeterDoesMaths/kernel_conditonal_distributions). One generator of seed 42 serves a
whole figure: each trial takes three seeds from it, for the sample of P, the sample of Q and the null labels, and the
k-th statistic of a trial draws its labels from the third seed plus k. With the same numbers the rates must be the
published ones exactly, whatever computes the statistics. ``python -m experiments.replay [names]`` measures them anew.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from scipy.stats import norm  # noqa: E402

from condmmd import CMMD, Gaussian, Resampling, cmmd_test  # noqa: E402
from condmmd.backend import observed_labels, placed_labels, stacked  # noqa: E402
from condmmd.inference.outcome import Outcome, level_results  # noqa: E402
from condmmd.kernels import median_distance  # noqa: E402
from experiments.draws import curve, labels  # noqa: E402
from experiments.experiment import decisions  # noqa: E402
from experiments.published import rates  # noqa: E402
from experiments.running import write  # noqa: E402

SEED, HIGH = 42, 2**31  # of every run of theirs
NOISE, REG = 0.5, 0.1
RECORD = Path(__file__).parent / "results" / "replay.json"


@dataclass(frozen=True, eq=False)
class GivenLabels(Resampling):
    """A null law whose label vectors were drawn elsewhere, for each column of the statistic its own."""

    scheme: str = "permutation"
    null: np.ndarray = ()  # columns x vectors x rows

    def check(self, statistic, rules, settings):
        """There is nothing that could be refused."""

    def run(self, fitted, plan, settings):  # noqa: ARG002
        t, (_, count, n_rows) = plan.samples.groups.t, self.null.shape
        null = placed_labels(self.null.reshape(-1, n_rows), t)
        statistics = fitted(stacked([observed_labels(t), null]))
        own = np.column_stack([statistics[1 + k * count : 1 + (k + 1) * count, k] for k in range(len(self.null))])
        pvalues = (1 + np.sum(own >= statistics[0], axis=0)) / (1 + count)
        columns = level_results(fitted.columns, statistics[0], pvalues)
        return Outcome(float(statistics[0, 0]), float(pvalues[0]), own[:, 0], columns, count, "labels given")


@dataclass(frozen=True)
class Replay:
    """One figure: its points, and for a point the sizes, how a group is drawn, the bandwidth and how labels are."""

    figure: str
    points: tuple[float, ...]
    sample: Callable  # (point, group, seed) -> X, Y
    levels: tuple[tuple[float, str], ...]
    bandwidth: Callable  # (covariates of P) -> lengthscale of both kernels
    propensity: Callable | None = None
    before: Callable | None = None  # what a point takes from the figure's generator before its trials
    trials: int = 200
    resamples: int = 200


def permuted(rng, x, n, count):
    """Label vectors: the rows of P are a draw without replacement."""
    null = np.zeros((count, len(x)), dtype=np.int8)
    for row in null:
        row[rng.choice(np.arange(len(x)), size=n, replace=False)] = 1
    return null


def independent(propensity, rng, x, _, count):
    """Label vectors row by row from the propensity."""
    return rng.binomial(1, np.tile(propensity(x), (count, 1))).astype(np.int8)


def one_trial(replay, point, seeds, lengthscale):
    """Rejections of one trial of theirs: our functions, their numbers."""
    of_p, of_q, of_labels = (int(seed) for seed in seeds)
    (x, y), (x_q, z) = (replay.sample(point, group, seed) for group, seed in ((0, of_p), (1, of_q)))
    X, Y, t = np.concatenate([x, x_q]), np.concatenate([y, z]), labels(len(x), len(x_q))
    kernel = Gaussian(lengthscale or replay.bandwidth(x))
    draw = permuted if replay.propensity is None else partial(independent, replay.propensity)
    own = [draw(np.random.default_rng(of_labels + k), X, len(x), replay.resamples) for k in range(len(replay.levels))]
    found = {}
    for estimator in ("plugin", "joint"):
        chosen = [k for k, (_, name) in enumerate(replay.levels) if name == estimator]
        if not chosen:
            continue
        levels, reg = [replay.levels[k][0] for k in chosen], None if estimator == "joint" else REG
        result = cmmd_test(
            X, Y, t, statistic=CMMD(level=levels, kernel_x=kernel, kernel_y=kernel, reg=reg, estimator=estimator),
            propensity=None, residualize=False, n_resamples=replay.resamples, rng=0,
            null=GivenLabels(null=np.stack([own[k] for k in chosen])),
        )  # fmt: skip
        found |= decisions(result)
    return found


def measured(replay, chosen=None, say=None):
    """{point: {curve: rate}}; points that are not ``chosen`` only take their share of the figure's generator."""
    rng, found = np.random.default_rng(SEED), {}
    for point in replay.points:
        lengthscale = replay.before(point, rng) if replay.before else None
        seeds = [[rng.integers(1, HIGH) for _ in range(3)] for _ in range(replay.trials)]
        if chosen is not None and point not in chosen:
            continue
        trials = [one_trial(replay, point, triple, lengthscale) for triple in seeds]
        found[f"{point:g}"] = {name: sum(trial[name] for trial in trials) / len(trials) for name in trials[0]}
        if say:
            say(f"{replay.figure}, {point:g}: {found[f'{point:g}']}")
    return found


def outcome(seed, mean, noise=NOISE):
    return mean + np.random.default_rng(seed).normal(0, noise, size=len(mean))


def own_generators(n, covariate, mean, seed):
    """X and the noise of Y have a generator each."""
    rng = np.random.default_rng(seed)
    of_x, of_y = rng.integers(0, HIGH), rng.integers(0, HIGH)
    x = covariate(np.random.default_rng(of_x), n)
    return x, outcome(of_y, mean(x))


def one_coordinate(theta, group, seed, noise=NOISE):
    """X comes from the sample's own generator, after the seed of the noise was taken from it."""
    rng = np.random.default_rng(seed)
    of_y = rng.integers(0, HIGH)
    x = rng.normal(theta, 0.75, size=100)
    return x, outcome(of_y, x if group else curve(x), noise)


def coordinates(dimension, group, seed):
    """A seed for each coordinate, whose noise grows with its number."""
    rng = np.random.default_rng(seed)
    columns = [one_coordinate(0.5, group, rng.integers(0, HIGH), (0.1 * d + 1) * NOISE) for d in range(int(dimension))]
    return tuple(np.column_stack(part) for part in zip(*columns, strict=True))


def pilot(dimension, rng):
    """The bandwidth of a dimension, from covariates drawn for it alone."""
    return median_distance(np.column_stack([rng.normal(0.5, 0.75, size=100) for _ in range(int(dimension))]))


def wave(which, theta, group, seed):
    def mean(x):
        common = np.sin(np.pi * x)
        return (1 - group * theta) * common + group * theta * (3 * x - 0.5 if which == 1 else 0.5)

    return own_generators(100, lambda rng, n: rng.beta(4, 4, size=n), mean, seed)


def appendix(shift, differs, n, group, seed):
    middle = shift * (group - 0.5)
    mean = (lambda x: x) if group and differs else curve
    return own_generators(int(n), lambda rng, size: rng.normal(middle, 1, size=size), mean, seed)


def shifted_propensity(x):
    p, q = norm.pdf(x, -0.5), norm.pdf(x, 0.5)
    return p / (p + q)


PLUG_IN = tuple((level, "plugin") for level in (0, 1, 2))
JOINT = (*PLUG_IN[:2], (2, "joint"))
SIZES = (10.0, 50.0, 100.0, 150.0, 200.0, 250.0)


def of_appendix(which, kind):
    name, shift = (("same", 0.0), ("diff", 1.0))[which - 1]
    count = 200 if kind == "type1" else 250
    return Replay(
        f"synthetic/{kind}_vs_sample_size_{name}_marginal.pdf", SIZES, partial(appendix, shift, kind == "type2"),
        JOINT if which == 1 else PLUG_IN, lambda _: 0.1**-0.5, shifted_propensity if which == 2 else None,
        trials=count, resamples=count,
    )  # fmt: skip


REPLAYS = {
    "theta": Replay(
        "synthetic/power_vs_theta.pdf", (-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0), one_coordinate, JOINT,
        median_distance,
    ),
    **{
        f"levels_{which}": Replay(
            f"lvls/power_curve_setting_{which}.pdf", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), partial(wave, which),
            tuple((level, "plugin") for level in (0, 0.5, 1, 1.5, 2, 2.5)), median_distance,
        )
        for which in (1, 2)
    },
    **{
        f"appendix_{which}_{name}": of_appendix(which, kind)
        for which in (1, 2)
        for name, kind in (("type1", "type1"), ("power", "type2"))
    },
    "dimension": Replay(
        "synthetic/power_vs_dimension.pdf", (1.0, *map(float, range(20, 161, 20))), coordinates, JOINT, median_distance,
        before=pilot,
    ),
}  # fmt: skip


def compared(name, found):
    """(point, curve, ours, theirs) of every published rate that was replayed."""
    return [
        (x, curve_name, found[f"{x:g}"][curve_name], target.value)
        for curve_name, targets in rates(REPLAYS[name].figure).items()
        for x, target in targets.items()
        if f"{x:g}" in found
    ]


def replays(record):
    """The lines of the page."""
    rows = {name: compared(name, found) for name, found in record.items()}
    same = {name: sum(ours == theirs for *_, ours, theirs in row) for name, row in rows.items()}
    missing = " and ".join(name for name in REPLAYS if name not in record)
    lines = [
        "## With the authors' own random numbers",
        "",
        f"**{sum(same.values())} of {sum(map(len, rows.values()))} rates are the published ones exactly.** Their seeds "
        "and the order in which their generators are called are public, so that samples and null labels can be drawn "
        "again as they were; the statistics and the p-values are ours (`python -m experiments.replay`). The doubly "
        "robust and the MNIST experiments are not replayed" + (f"; not yet replayed: {missing}." if missing else "."),
        "",
        "| figure | rates | exactly equal |",
        "|---|---|---|",
        *(f"| {name} | {len(row)} | {same[name]} |" for name, row in rows.items()),
        "",
    ]
    for name, row in rows.items():
        lines += [
            f"- {name} at {x:g}, {c}: {ours:g}, published {theirs:g}" for x, c, ours, theirs in row if ours != theirs
        ]
    return lines


def kept():
    """What was measured."""
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def main(names=None):
    """Measure what is named, or everything, and keep it with the results."""
    record = kept()
    for name in names or REPLAYS:
        found = measured(REPLAYS[name], say=lambda text: sys.stderr.write(text + "\n"))
        record[name] = found
        write(RECORD, json.dumps(record, indent=1) + "\n")
        rows = compared(name, found)
        same = sum(ours == theirs for *_, ours, theirs in rows)
        sys.stdout.write(f"{name}: {same} of {len(rows)} rates are the published ones exactly\n")


if __name__ == "__main__":
    main(sys.argv[1:])
