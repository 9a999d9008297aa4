"""How the cost of the default test grows, and how near the moments come to a plain matrix product.

``python -m benchmarks.growth`` runs every row in a process of its own (so that its peak memory is its own) and writes
``benchmarks/README.md``. Times are of the default `cmmd_test`, residualised, all levels, propensity estimated; the last
column is the rate of the moments stage over that of one matrix product of the same shape, both in the same process.
Rows "from a file" are those of a Parquet file in parts of a million, read and tested by ``condmmd test --stream``,
which tests whether X and Y moved as well.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from condmmd import Family, cmmd_test
from condmmd.app.cli import main as command_line
from condmmd.backend import HeldLabels
from condmmd.backend.arrays import HOST_NUMBERS
from condmmd.regression.moments import both_moments

PAGE = Path(__file__).with_name("README.md")
NUMBERS = Path(__file__).with_name("growth.json")
DEVICES = Path(__file__).with_name("device.json")
BESIDE = [
    "## Against others", "",
    "The literal formula: `python -m benchmarks.levels`. Other methods and tools that ask the same questions:",
    "[leaderboard](leaderboard/README.md), by `python -m benchmarks.leaderboard`.", "",
]  # fmt: skip
BASE = {"n": 1000, "d": 1, "resamples": 200, "max_rank": None}
ROWS = {
    "rows in each group": [BASE | {"n": n} for n in (500, 5_000, 50_000, 500_000, 1_000_000)]
    + [BASE | {"n": n, "file": True} for n in (500_000, 5_000_000)],
    "null labels": [BASE | {"n": 5_000, "resamples": b} for b in (99, 199, 999, 1999)],
    "covariates": [BASE | {"n": 5_000, "d": d} for d in (1, 3, 10, 30)],
    "rank (10 covariates)": [BASE | {"n": 5_000, "d": 10, "max_rank": r} for r in (32, 64, 128, 256)],
}


def data(n, d):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-0.25, 1, size=(n, d)), rng.normal(0.25, 1, size=(n, d))])
    y = np.exp(-0.5 * X[:, 0] ** 2) * np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=2 * n)
    return X, y, np.repeat([1, 0], n)


def matrix_rate(n_labels, products, chunk):
    """Operations a second of one product of the shape that the moments stage has, the best of five."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(n_labels, chunk)), rng.normal(size=(products, chunk))
    times = []
    for _ in range(5):
        start = perf_counter()
        A @ B.T
        times.append(perf_counter() - start)
    return 2 * n_labels * products * chunk / min(times)


def moments_rate(result, n_labels):
    """Operations a second of the moments stage on the test's own features and labels, and the shape of its products."""
    phi, psi = result.evidence.x.phi[:100_000], result.evidence.y.phi[:100_000]
    T = HeldLabels(np.random.default_rng(0).integers(0, 2, size=(n_labels, len(phi)), dtype=np.int8))
    r, q = phi.shape[1], psi.shape[1]
    size, times = r * (r + 1) // 2 + r * q, []
    for _ in range(5):
        start = perf_counter()
        both_moments(T, phi, psi)
        times.append(perf_counter() - start)
    return 2 * n_labels * size * len(phi) / min(times), (size, max(64, HOST_NUMBERS // size))


def from_file(setting):
    """The command line on a Parquet file, which is made here."""
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        rng, left, writer = np.random.default_rng(0), 2 * setting["n"], None
        while left:
            rows = min(left, 1_000_000)
            group = rng.integers(0, 2, size=rows)
            x = rng.normal(size=rows) + 0.5 * group
            y = np.exp(-0.5 * x**2) * np.sin(2 * x) + 0.5 * rng.normal(size=rows)
            table = pa.table({"x": x, "y": y, "group": group})
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
            left -= rows
        writer.close()
        start = perf_counter()
        command = ["test", path, "--outcome", "y", "--covariates", "x", "--group", "group", "--stream", "--no-where"]
        with redirect_stdout(StringIO()) as out:
            status = command_line([*command, "--resamples", str(setting["resamples"]), "--json", "--quiet"])
        seconds = perf_counter() - start
    told = json.loads(out.getvalue())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    ranks = [embedding["rank"] for embedding in told["embeddings"].values()]
    return {"seconds": seconds, "peak": peak, "ranks": ranks, "share": None, "status": status}


def one(setting):
    if setting.get("file"):
        return from_file(setting)
    X, y, group = data(setting["n"], setting["d"])
    settings = {"statistic": Family(max_rank=setting["max_rank"]), "n_resamples": setting["resamples"], "rng": 0}
    if setting["n"] <= 5_000:
        cmmd_test(X, y, group, **settings)  # imports and threads are warm then
    start = perf_counter()
    result = cmmd_test(X, y, group, **settings)
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    n_labels = min(256, setting["resamples"])
    rate, shape = moments_rate(result, n_labels)
    ranks = [embedding["rank"] for embedding in result.embeddings.values()]
    return {"seconds": seconds, "peak": peak, "ranks": ranks, "share": rate / matrix_rate(n_labels, *shape)}


def run(setting):
    command = [sys.executable, "-m", "benchmarks.growth", "--one", json.dumps(setting)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return json.loads(done.stdout.splitlines()[-1])


def page(found):
    lines = [
        "# What it costs", "", "Generated by `python -m benchmarks.growth`; do not edit.", "",
        *__doc__.split("\n\n", 1)[1].strip().splitlines(), "",
        f"{os.cpu_count()} cores, NumPy {np.__version__}.", "",
    ]  # fmt: skip
    for title, rows in found.items():
        lines += [
            f"## Against {title}", "",
            "| rows | covariates | null labels | rank x, y | seconds | peak GB | moments / product |",
            "|---|---|---|---|---|---|---|",
        ]  # fmt: skip
        for setting, cost in rows:
            cells = [
                f"{setting['n']:,} + {setting['n']:,}" + (" from a file" if setting.get("file") else ""),
                str(setting["d"]), str(setting["resamples"]), ", ".join(map(str, cost["ranks"])),
                f"{cost['seconds']:.2f}", f"{cost['peak']:.2f}",
                "" if cost["share"] is None else f"{cost['share']:.2f}",
            ]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join([*lines, *devices(), *BESIDE])


def devices():
    """What `benchmarks.device` found, where its numbers are."""
    if not DEVICES.exists():
        return []
    lines = [
        "## On a device", "", "By `python -m benchmarks.device`, one covariate, and 50 for the dual path.", "",
        "| device | test of | seconds | float64, float32 TFLOP/s | moments, of float64 | dual: s a label vector |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for found in json.loads(DEVICES.read_text()):
        rates = found["rates"]
        cells = [
            f"{found['name']} ({found['library']})",
            f"{found['rows']:,} + {found['rows']:,} rows, {found['resamples']} null labels", f"{found['whole']:.2f}",
            ", ".join(f"{rate / 1e12:.3g}" for rate in rates.values()), f"{found['moments'] / rates['float64']:.2f}",
            f"{found['dual_label']:.4f} ({found['dual_rows']:,} + {found['dual_rows']:,} rows)",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", help="a setting as JSON: run it here and print its cost")
    parser.add_argument("--largest", type=int, default=5_000_000, help="leave out more rows in each group")
    parser.add_argument("--again", nargs="+", choices=list(ROWS), help="these tables only; the others as they are")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(json.loads(options.one))))
        return
    found = json.loads(NUMBERS.read_text()) if options.again else {}
    for title, settings in ROWS.items():
        if options.again and title not in options.again:
            continue
        found[title] = []
        for setting in (s for s in settings if s["n"] <= options.largest):
            cost = run(setting)
            found[title].append((setting, cost))
            print(f"{title}: {setting} {cost}", flush=True)
    NUMBERS.write_text(json.dumps(found, indent=1) + "\n")
    PAGE.write_text(page(found))


if __name__ == "__main__":
    main()
