"""What one null label vector costs, in processor time of one thread: ``python -m benchmarks.label_cost [--rows 500]``.

The plug-in solves a system for every label vector; the family, which the default test has, multiplies. Both are given
the same 512 label vectors of two groups with five covariates; what is fitted before any label is not counted.
"""

import argparse
import os
import sys
from time import process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # set before NumPy loads

import numpy as np  # noqa: E402

from condmmd import CMMD, Compute, Family, Forests, PooledRidge, Resampling  # noqa: E402
from condmmd.backend import HeldLabels  # noqa: E402
from condmmd.data import read_samples  # noqa: E402
from condmmd.inference import Plan, Settings  # noqa: E402
from condmmd.labels import LabelRules  # noqa: E402
from condmmd.nuisance.propensity import Logistic  # noqa: E402

LABELS, REPEATS = 512, 5
PARTS = {
    "plug-in": (CMMD(), PooledRidge()),
    "overlap": (CMMD(estimator="overlap"), PooledRidge()),
    "family": (Family(), Forests()),
}


def milliseconds(statistic, residuals, samples, T):
    """The best of some runs, for one label vector."""
    plan = Plan(statistic, LabelRules(Logistic()), residuals, Resampling(), Settings(LABELS, 0, 0.05, Compute()))
    fitted = plan.train(samples).fitted
    fitted(T)  # what is made once
    times = []
    for _ in range(REPEATS):
        start = process_time()
        fitted(T)
        times.append(process_time() - start)
    return 1000 * min(times) / LABELS


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.label_cost", description=__doc__)
    parser.add_argument("--rows", type=int, default=500, help="of each group")
    rows = parser.parse_args(arguments).rows
    rng = np.random.default_rng(0)
    group = np.repeat([1, 0], rows)
    X = rng.normal(size=(2 * rows, 5)) + 0.2 * group[:, None]
    samples = read_samples(X, X[:, 0] + rng.normal(size=2 * rows), group)
    T = HeldLabels(np.stack([rng.permutation(group) for _ in range(LABELS)]).astype(np.int8))
    found = {name: milliseconds(*parts, samples, T) for name, parts in PARTS.items()}
    for name, cost in found.items():
        sys.stdout.write(f"{name:8} {cost:.3f} ms a label vector, {cost / found['plug-in']:.2f} of the plug-in\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
