"""How long one default call takes: ``python -m benchmarks.one_call``. The literal formula is timed beside it.

From arrays to p-value: propensity, residuals, features, 999 null labels, five levels. The baseline is the paper's
closed form for levels 0, 1 and 2 on a few label vectors, times 1,000.
"""

import argparse
from time import perf_counter

import numpy as np

from benchmarks.literal import all_levels
from benchmarks.scenarios import gaussian_noise
from condmmd import Gaussian, cmmd_test


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 5000], help="rows in each group")
    parser.add_argument("--repeat", type=int, default=3, help="the best of this many")
    options = parser.parse_args()
    print("  n=m | default call s | literal formula s, 1000 label vectors (timed) |  ratio")
    for n in options.sizes:
        draw = gaussian_noise(1.0, n=n, m=n)(np.random.default_rng(0))
        times = []
        for _ in range(options.repeat):
            start = perf_counter()
            cmmd_test(draw.X, draw.Y, draw.t, rng=0)
            times.append(perf_counter() - start)
        if n > 1000:
            print(f"{n:5d} | {min(times):14.3f} | not run", flush=True)
            continue
        K, L = Gaussian(1.0)(draw.X), Gaussian(0.7)(draw.Y)
        labels = 3
        start = perf_counter()
        for _ in range(labels):
            all_levels(K, L, draw.t, 0.1)
        literal = 1000 * (perf_counter() - start) / labels
        print(f"{n:5d} | {min(times):14.3f} | {literal:10.1f} ({labels}) | {literal / min(times):6.0f}", flush=True)


if __name__ == "__main__":
    main()
