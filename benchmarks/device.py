"""The whole test on a device, and its share of the device's matrix rate: ``python -m benchmarks.device``.

Four things in one run, on ``--library torch`` (or cupy, or numpy) and ``--device cuda``:

1. the rates of a plain square matrix product in float64 and float32;
2. `cmmd_test` with its defaults on ``--rows`` rows a group, one covariate, ``--resamples`` null labels, six times: the
   first run warms up, the median of the others counts;
3. the moments stage alone, on the features and a batch of null labels of that test: its rate in operations of the
   product that it is, over the rate of 1;
4. the dual path, on ``--dual-rows`` rows a group and 50 covariates: seconds for each null label vector.

The same command with ``--library numpy`` on a processor gives the numbers to divide by.
"""

import argparse
import json
from pathlib import Path
from time import perf_counter

import numpy as np

from condmmd import CMMD, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.regression.moments import both_moments


class Device:
    """Arrays of one library on one device."""

    def __init__(self, library, device):
        self.library = library
        self.module = __import__(library)
        self.device = device

    def array(self, values):
        if self.library == "torch":
            return self.module.asarray(values, device=self.device)
        return self.module.asarray(values)

    def wait(self):
        if self.library == "torch" and self.device != "cpu":
            self.module.cuda.synchronize()
        if self.library == "cupy":
            self.module.cuda.get_current_stream().synchronize()

    def seconds(self, function, repeat=3):
        """The best of some runs, after one to warm up."""
        function()
        times = []
        for _ in range(repeat):
            self.wait()
            start = perf_counter()
            function()
            self.wait()
            times.append(perf_counter() - start)
        return min(times)


def matrix_rate(device, dtype, size):
    A = device.array(np.random.default_rng(0).normal(size=(size, size)).astype(dtype))
    return 2 * size**3 / device.seconds(lambda: A @ A)


def data(n, d):
    rng = np.random.default_rng(0)
    t = np.repeat([1, 0], n)
    X = rng.normal(size=(2 * n, d)) + 0.3 * t[:, None]
    return X, np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=2 * n), t


def stage(device, result, n_labels):
    """Seconds and operations of the moments of one batch of labels, with the features of a finished test."""
    fitted = result._trained.fitted  # noqa: SLF001 - its features, where they are
    phi, psi = fitted.covariates.phi, fitted.outcomes.phi
    labels = np.random.default_rng(0).integers(0, 2, size=(n_labels, phi.shape[0]), dtype=np.int8)
    T = HeldLabels(device.array(labels))
    r, q = phi.shape[1], psi.shape[1]
    return device.seconds(lambda: both_moments(T, phi, psi)), 2 * n_labels * phi.shape[0] * (r * (r + 1) // 2 + r * q)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default="torch", choices=["torch", "cupy", "numpy"])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows in each group")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--dual-rows", type=int, default=2000, help="rows in each group")
    parser.add_argument("--dual-resamples", type=int, default=480)
    parser.add_argument("--size", type=int, default=8192, help="of the plain matrix product")
    parser.add_argument("--out", help="write the numbers to this file, as JSON")
    options = parser.parse_args()
    device = Device(options.library, options.device)
    rates = {dtype: matrix_rate(device, dtype, options.size) for dtype in ("float64", "float32")}
    for dtype, rate in rates.items():
        print(f"plain product, {dtype}: {rate / 1e12:.2f} TFLOP/s", flush=True)

    X, y, t = (device.array(part) for part in data(options.rows, 1))
    runs = []
    for _ in range(6 if options.library != "numpy" else 1):
        start = perf_counter()
        result = cmmd_test(X, y, t, n_resamples=options.resamples, rng=0)
        runs.append(perf_counter() - start)
    whole = float(np.median(runs[1:] or runs))
    ranks = [embedding["rank"] for embedding in result.embeddings.values()]
    print(
        f"whole test, {options.rows} + {options.rows} rows, B = {options.resamples}, ranks {ranks}: {whole:.3f} s",
        end="",
    )
    print(f", p = {result.pvalue:.4g}, statistic {result.statistic!r}", flush=True)
    seconds, operations = stage(device, result, min(options.resamples, 1000))
    shares = {dtype: operations / seconds / rate for dtype, rate in rates.items()}
    print(f"moments: {seconds:.4f} s, {operations / seconds / 1e12:.2f} TFLOP/s", end="")
    print("".join(f", {share:.2f} of {dtype}" for dtype, share in shares.items()), flush=True)

    X, y, t = (device.array(part) for part in data(options.dual_rows, 50))
    times, most = {}, 19 + options.dual_resamples
    for count in (19, 19, most):  # the first to warm up
        start = perf_counter()
        result = cmmd_test(X, y, t, statistic=CMMD(solver="dual"), n_resamples=count, rng=0)
        times[count] = perf_counter() - start
    a_label = (times[most] - times[19]) / options.dual_resamples
    print(
        f"dual, {options.dual_rows} + {options.dual_rows} rows, 50 covariates: {a_label:.5f} s a label vector", end=""
    )
    print(f", {times[most]:.2f} s for {most} of them, p = {result.pvalue:.4g}")
    summary = {
        "library": options.library, "device": options.device, "rates": rates, "rows": options.rows,
        "resamples": options.resamples, "whole": whole, "runs": runs, "moments": operations / seconds, "ranks": ranks,
        "dual_rows": options.dual_rows, "dual_label": a_label, "dual_whole": times[most], "dual_resamples": most,
    }  # fmt: skip
    print(json.dumps(summary))
    if options.out:
        Path(options.out).write_text(json.dumps(summary, indent=1) + "\n")


if __name__ == "__main__":
    main()
