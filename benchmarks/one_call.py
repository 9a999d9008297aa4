"""What one default call costs: ``python -m benchmarks.one_call [--against FOLDER]``.

From arrays to p-value, with 199 draws, on one thread: CPU seconds (the least of some calls) and the most memory that
the process had, in MB. ``--against`` names another checkout of the project; its calls are made in turn with ours, in
processes of their own, and ratios (ours over theirs) are printed.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]
SIZES = ((20, 1), (150, 1), (500, 1), (1000, 1), (200, 5), (500, 5), (1000, 5), (5000, 5), (100, 160))
CALL = """
import json, resource, sys, warnings
from time import process_time
import numpy as np
from condmmd import cmmd_test
warnings.simplefilter("ignore")
rows, columns, repeat = map(int, sys.argv[1:])
rng, group = np.random.default_rng(0), np.repeat([1, 0], rows)
X = rng.normal(size=(2 * rows, columns))
X[:, :5] += 0.3 * group[:, None]
Y = np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=2 * rows)
cmmd_test(X[::4], Y[::4], group[::4], rng=0, n_resamples=19)  # what is made once
seconds = []
for _ in range(repeat):
    start = process_time()
    cmmd_test(X, Y, group, rng=0, n_resamples=199)
    seconds.append(process_time() - start)
print(json.dumps([min(seconds), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def cost(folder, rows, columns, repeat):
    """CPU seconds and megabytes of a call by the sources in a folder."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(folder / "src")}
    command = [sys.executable, "-c", CALL, str(rows), str(columns), str(repeat)]
    done = subprocess.run(command, env=os.environ | threads, capture_output=True, text=True, check=True)  # noqa: S603
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--repeat", type=int, default=3, help="calls of a process")
    parser.add_argument("--rounds", type=int, default=2, help="processes of each; the least counts")
    options = parser.parse_args()
    print("rows a group, columns |  CPU s |  MB" + (" | ratios" if options.against else ""))
    for rows, columns in SIZES:
        folders = [HERE] if options.against is None else [HERE, options.against]
        found = [[cost(folder, rows, columns, options.repeat) for folder in folders] for _ in range(options.rounds)]
        best = [[min(turn[k][j] for turn in found) for j in (0, 1)] for k in range(len(folders))]
        ratios = f" | {best[0][0] / best[1][0]:.2f}, {best[0][1] / best[1][1]:.2f}" if options.against else ""
        print(f"{rows:12}, {columns:7} | {best[0][0]:6.3f} | {best[0][1]:3.0f}{ratios}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
