"""Time of whole commands with a report: ``python -m benchmarks.command_line``.

A made-up table of 100,000 rows and 10 covariates, and the NSW trial where it lies beside the repository.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from experiments.data import data_file
from experiments.lalonde import CATEGORICAL, COVARIATES


def large_table(path, rows=100_000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 10))
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    table["group"] = (rng.random(rows) < 1 / (1 + np.exp(-0.3 * X[:, 0]))).astype(int)
    table["y"] = np.sin(X[:, 0]) + 0.5 * X[:, 1] + rng.normal(size=rows) + 0.1 * table.group * (X[:, 2] > 1)
    table.to_csv(path, index=False)


def timed(name, *arguments):
    command = [sys.executable, "-m", "condmmd", "test", *map(str, arguments), "--quiet"]
    start = perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    print(f"{name}: {perf_counter() - start:.1f} s. {done.stdout.splitlines()[0]}", flush=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large_table(folder / "large.csv")
        output = ("--report", folder / "r.html", "--json-file", folder / "r.json", "--overwrite")
        timed("100,000 rows, 10 covariates", folder / "large.csv", "--outcome", "y", "--group", "group", *output)
        trial = data_file("nsw_mixtape.csv")
        if trial is not None:
            roles = (
                "--outcome",
                "re78",
                "--covariates",
                *COVARIATES,
                "--group",
                "treat",
                "--categorical",
                *CATEGORICAL,
            )
            timed("NSW", trial, *roles, *output)


if __name__ == "__main__":
    main()
