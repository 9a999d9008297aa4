"""The numbers that explain points of the page: ``python -m experiments.further``; some five minutes.

(1) Dimension 80, level 0: further sets of 200 trials, each with another seed and bandwidth. (2) MNIST, n = 600: our
default beside the same with one bandwidth for all principal components.
"""

import os
import sys

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from condmmd import CMMD, Gaussian, cmmd_test  # noqa: E402
from condmmd.kernels import median_distance  # noqa: E402
from experiments.draws import dimension  # noqa: E402
from experiments.experiment import ALPHA, published_test  # noqa: E402
from experiments.mnist import sample_images  # noqa: E402


def dimension_80(bandwidth_seed, seed):
    rng = np.random.default_rng([bandwidth_seed, seed, 99])
    covariates = np.random.default_rng([bandwidth_seed, 80]).normal(0.5, 0.75, size=(100, 80))
    kernel = Gaussian(median_distance(covariates))
    found = published_test(dimension(80)(rng), rng, 200, levels=(0,), kernel_x=kernel, kernel_y=kernel, reg=0.1)
    return found["CMMD_{0}"]


def mnist_600(seed):
    rng = np.random.default_rng([600, seed])
    draw = sample_images(600, True, rng)
    X = pd.DataFrame({"digit": draw.X.astype(str)})
    statistics = (CMMD(), CMMD(kernel_y=Gaussian(median_distance(draw.Y))))
    tests = (cmmd_test(X, draw.Y, draw.t, statistic=statistic, n_resamples=199, rng=seed) for statistic in statistics)
    return [test.pvalue <= ALPHA for test in tests]


def main():
    run = Parallel(n_jobs=2)
    for bandwidth_seed in (7, 1, 2, 3):
        rate = np.mean(run(delayed(dimension_80)(bandwidth_seed, seed) for seed in range(200)))
        sys.stdout.write(f"dimension 80, level 0, set {bandwidth_seed}: {rate:.3f} of 200\n")
    default, one = np.mean(run(delayed(mnist_600)(seed) for seed in range(60)), axis=0)
    sys.stdout.write(f"MNIST, n = 600, 60 trials: default {default:.2f}, one bandwidth {one:.2f}\n")


if __name__ == "__main__":
    main()
