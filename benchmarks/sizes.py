"""What a share means: ``python -m benchmarks.sizes [--rows 2000] [--trials 5] [--json FILE]``.

The share of what X leaves of the outcomes that the group explains (``result.size().share``), for differences that
people know: shifts in standard deviations of the noise, ratios of spread, shapes. Its words ("small", "medium",
"large") are those of the shifts by 0.2, 0.5 and 0.8. Where the share of a linear kernel has a formula it is beside it:
of a shift by d deviations ``(d^2 / 4) / (1 + d^2 / 4)``; a kernel that sees the whole distribution has many more
directions of noise to share with, so its share of a shift is smaller, and its share of a spread is not 0.
"""

import argparse
import json
import os
import warnings
from functools import partial
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from condmmd import Family, cmmd_test  # noqa: E402


def outcome(x, t, rng, *, shift=0.0, slope=0.0, ratio=1.0, noise=1.0, columns=1):
    """What X leaves of the outcome: noise of deviation 1, and what P has otherwise."""
    size = (len(t), columns)
    drawn = rng.standard_t(2, size=size) if noise == "t" else noise * rng.normal(size=size)
    P = t[:, None] == 1
    return np.where(P, ratio * drawn + shift + slope * x[:, :1], drawn)


def humps(x, t, rng):  # noqa: ARG001 - as the others
    """Two humps for P, one for Q, of the same mean and spread."""
    both = 0.9 * np.where(rng.random(len(t)) < 0.5, -1, 1) + np.sqrt(1 - 0.81) * rng.normal(size=len(t))
    return np.where(t == 1, both, rng.normal(size=len(t)))[:, None]


EXAMPLES = {
    "nothing": outcome,
    "shift by 0.2 sd": partial(outcome, shift=0.2),
    "shift by 0.5 sd": partial(outcome, shift=0.5),
    "shift by 0.8 sd": partial(outcome, shift=0.8),
    "shift by 2 sd": partial(outcome, shift=2.0),
    "shift by 0.5 sd times x": partial(outcome, slope=0.5),
    "spread 1.5 times": partial(outcome, ratio=1.5),
    "spread 2 times": partial(outcome, ratio=2.0),
    "two humps against one": humps,
    "t with 2 degrees, by 0.5": partial(outcome, shift=0.5, noise="t"),
    "two outcomes, both by 0.5 sd": partial(outcome, shift=0.5, columns=2),
    "another outcome altogether": partial(outcome, shift=5.0, noise=0.05),
}
KERNELS = {"default": None, "linear": "linear"}


def measured(name, kernel, rows, seed, n_p=None):
    rng = np.random.default_rng(seed)
    t = np.repeat([1, 0], [n_p or rows, rows])
    x = rng.normal(size=(len(t), 2))
    Y = EXAMPLES[name](x, t, rng) + (np.sin(x[:, 0]) + 0.5 * x[:, 1])[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = cmmd_test(x, Y, t, statistic=Family(kernel_y=KERNELS[kernel]), n_resamples=19, rng=0)
        return result.size()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000, help="a group")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    record = {}
    print("| difference | share | linear kernel | in a word | 1 : 4 |\n|---|---|---|---|---|")
    for name in EXAMPLES:
        seeds = range(options.trials)
        shares = {
            kernel: float(np.mean([measured(name, kernel, options.rows, seed).share for seed in seeds]))
            for kernel in KERNELS
        }
        few = float(np.mean([measured(name, "default", options.rows, s, options.rows // 4).share for s in seeds]))
        word = measured(name, "default", options.rows, 0).word
        record[name] = shares | {"one to four": few, "word": word}
        print(f"| {name} | {shares['default']:.4f} | {shares['linear']:.4f} | {word} | {few:.4f} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
