"""Time of one null label vector of fixed size, against the number of rows: ``python -m benchmarks.labels``."""

from time import perf_counter

import numpy as np

from condmmd.labels import FixedSize


def main():
    print("    rows |  tables s |  ms a draw | independent labels, ms | ratio")
    for rows, size in ((1_000, 200), (10_000, 200), (50_000, 64), (100_000, 64), (2_000_000, 16)):
        rng = np.random.default_rng(0)
        e = 1 / (1 + np.exp(-rng.normal(size=rows)))
        t = (rng.random(rows) < e).astype(float)
        start = perf_counter()
        scheme = FixedSize.of(e, t)
        made = perf_counter()
        scheme.draw([(size, rng)], t)
        drawn = perf_counter()
        for _ in range(size):
            np.less(rng.random(rows), e)
        free = perf_counter()
        each, plain = 1e3 * (drawn - made) / size, 1e3 * (free - drawn) / size
        print(f"{rows:>8,} | {made - start:9.3f} | {each:10.3f} | {plain:22.3f} | {each / plain:5.1f}")


if __name__ == "__main__":
    main()
