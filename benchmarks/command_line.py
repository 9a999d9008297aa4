"""Time and memory of whole commands with a report: ``python -m benchmarks.command_line``.

Made-up tables of 25,000 rows and 5 covariates, 100,000 and 10, a million and 3; beside the last the test alone of the
library, with as many null labels; and the NSW trial where it lies beside the repository.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from experiments.data import data_file
from experiments.lalonde import CATEGORICAL, COVARIATES

SIZES = ((25_000, 5), (100_000, 10), (1_000_000, 3))
# The test alone, of the same table, with the null labels that the command line has for so many rows.
ALONE = """
import sys
import pandas as pd
from condmmd import cmmd_test
table = pd.read_csv(sys.argv[1])
print(cmmd_test(["c0", "c1", "c2"], "y", "group", data=table, n_resamples=199, rng=0))
"""


def large_table(path, rows, covariates):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, covariates))
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(covariates)])
    table["group"] = (rng.random(rows) < 1 / (1 + np.exp(-0.3 * X[:, 0]))).astype(int)
    table["y"] = np.sin(X[:, 0]) + 0.5 * X[:, 1] + rng.normal(size=rows) + 0.1 * table.group * (X[:, 2] > 1)
    table.to_csv(path, index=False)


def timed(name, *arguments):
    measured(name, [sys.executable, "-m", "condmmd", "test", *map(str, arguments), "--quiet"])


def measured(name, command):
    """Wall and processor seconds, and the largest memory, of one process."""
    start = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        told = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(status)
    seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6
    print(f"{name}: {perf_counter() - start:.1f} s, {seconds:.1f} of processors, {peak:.2f} GB. {told.splitlines()[0]}",
          flush=True)  # fmt: skip


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        output = ("--report", folder / "r.html", "--json-file", folder / "r.json", "--overwrite")
        for rows, covariates in SIZES:
            large_table(folder / "large.csv", rows, covariates)
            table = (folder / "large.csv", "--outcome", "y", "--group", "group")
            timed(f"{rows:,} rows, {covariates} covariates", *table, *output)
        measured("its test alone", [sys.executable, "-c", ALONE, str(folder / "large.csv")])
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
