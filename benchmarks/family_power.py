"""Power on the settings of the field: ``python -m benchmarks.family_power [--trials 200] [--setting s]``.

- ecmmd: goodness of fit of Chatterjee et al. (X normal in R^3, Y = sum of x + N(0, 1), a model with variance
  ``1 + rho exp(-|x - 0.8|^2 / 1.28)``); published for N = 50, 100, 150: derandomised ECMMD 0.228, 0.468, 0.758;
- classes: their classification problem (p ~ Beta(s, 1 - s), n = 100, chance p - p^5 of the class predicted with p);
  published for s = 0.1 to 0.5: SKCE 0.334, 0.696, 0.958, 0.996, 1; its null 0.076, 0.076, 0.070, 0.070, 0.076;
- paired: sin(2x) + 0.5 N(0, 1), n = 100, and what the second outcome has beside that.

Each line: the default call, and each of its columns by itself. 199 draws of the null.
"""

import argparse
import os
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from condmmd import calibration_test, model_test, paired_test  # noqa: E402

LEVEL = 0.05


def ecmmd(n, rho):
    def draw(rng, seed, n_resamples):
        x = rng.normal(size=(n, 3))
        y = x.sum(axis=1) + rng.normal(size=n)
        sd = np.sqrt(1 + rho * np.exp(-np.sum((x - 0.8) ** 2, axis=1) / 1.28))
        return model_test(x, y, (x.sum(axis=1), sd), rng=seed, n_resamples=n_resamples)

    return draw


def classes(s, bent):
    def draw(rng, seed, n_resamples):
        p = rng.beta(s, 1 - s, size=100)
        y = 1 * (rng.uniform(size=100) < (p - p**5 if bent else p))
        return calibration_test(p, y, classes=[0, 1], rng=seed, n_resamples=n_resamples)

    return draw


CHANGES = {
    "none": lambda _, noise: noise,
    "mean 0.35 x": lambda x, noise: noise + 0.35 * x,
    "noise 1.5": lambda _, noise: 1.5 * noise,
    "bump": lambda x, noise: noise + 0.9 * (np.abs(x - 0.8) < 0.3),
    "shift 0.2": lambda _, noise: noise + 0.2,
}


def paired(change):
    def draw(rng, seed, n_resamples):
        x = rng.normal(size=100)
        first, second = 0.5 * rng.normal(size=(2, 100))
        return paired_test(
            x, np.sin(2 * x) + first, np.sin(2 * x) + CHANGES[change](x, second), rng=seed, n_resamples=n_resamples
        )

    return draw


SETTINGS = {
    **{f"ecmmd, N {n}, rho {rho}": ecmmd(n, rho) for rho in (0, 10) for n in (50, 100, 150)},
    **{f"classes, s {s}": classes(s, bent=True) for s in (0.1, 0.2, 0.3, 0.4, 0.5)},
    **{f"classes, s {s}, null": classes(s, bent=False) for s in (0.1, 0.3, 0.5)},
    **{f"paired, {change}": paired(change) for change in CHANGES},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--setting", default="")
    options = parser.parse_args()
    chosen = {name: draw for name, draw in SETTINGS.items() if name.startswith(options.setting)}
    sys.stdout.write("| setting | default | alone | trials |\n|---|---|---|---|\n")
    for name, draw in chosen.items():
        started, found = time.perf_counter(), []
        for seed in range(options.trials):
            if found and time.perf_counter() - started > options.seconds / len(chosen):
                break
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = draw(np.random.default_rng([seed, 19]), seed, 199)
            found.append([result.pvalue, *(column.pvalue for column in result.by_level)])
        rates = np.mean(np.array(found) <= LEVEL, axis=0)
        alone = ", ".join(f"{c.name} {rate:.3f}" for c, rate in zip(result.by_level, rates[1:], strict=True))
        sys.stdout.write(f"| {name} | {rates[0]:.3f} | {alone} | {len(found)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
