"""What each loss leaves of the distance between a generator and the truth: ``python -m benchmarks.loss``; a minute.

The small generator of the tests, 600 rows of one covariate, 250 steps over batches of 128, three first draws of its
parameters. The measure is the energy score of 2,000 new rows less that of the truth, as a share of what it was before
training. Columns: the median share, the three of them, and milliseconds for a step.
"""

import os
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from tests.doors.generators import STEPS, Generator, excess, train  # noqa: E402

LOSSES = {
    "kernel score, 2 draws": ({}, 2),
    "kernel score, 4 draws": ({}, 4),
    "kernel score, 8 draws": ({}, 8),
    "kernel score, 4 draws, biased": ({"unbiased": False}, 4),
    "energy score, 4 draws": ({"kernel_y": "energy"}, 4),
    "level 0, 1 draw": ({"level": 0}, 1),
    "level 0, 3 draws": ({"level": 0}, 3),
    "level 1 with ridge, 1 draw": ({"level": 1}, 1),
    "level 2, 1 draw": ({"level": 2}, 1),
    "level 2, 1 draw, biased": ({"level": 2, "unbiased": False}, 1),
    "level 2, 3 draws": ({"level": 2}, 3),
}


def main():
    for name, (options, draws) in LOSSES.items():
        shares, seconds = [], 0.0
        for seed in range(3):
            generator = Generator(seed=seed)
            before, start = excess(Generator(seed=seed)), perf_counter()
            train(generator, draws=draws, **options)
            seconds += perf_counter() - start
            shares.append(excess(generator) / before)
        step = seconds / 3 / STEPS
        own = "  ".join(f"{share:.3f}" for share in sorted(shares))
        print(f"{name:30}{np.median(shares):8.3f}   {own}   {1e3 * step:6.1f} ms", flush=True)


if __name__ == "__main__":
    main()
