"""Rejection rates: ``python -m benchmarks.rejections [--trials 300] [--jobs 2] [--json FILE --resume] [--page PAGE]``.

For each design of `designs` at each size, and each procedure of `procedures`: the share of trials with a p-value of at
most 0.05 (and of at most 0.01), and the median seconds of a call. A star marks a null that is rejected more often than
its bar allows: 0.075 and two standard errors. The record is written after every row; ``--page`` measures nothing, and
writes the tables of the record between the marks of a page.
"""

import argparse
import json
import os
import re
import sys
import warnings
from pathlib import Path
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from benchmarks import designs  # noqa: E402
from benchmarks.procedures import PROCEDURES  # noqa: E402

LEVELS = (0.05, 0.01)
BAR = 0.075  # of nulls
# What a page shows of nulls, and of alternatives.
SHOWN = {
    "null": ("default",),
    "power": ("default", "told the same", "paper 0", "paper 1", "paper 2", "mean of residuals", "least squares"),
}


def trial(kind, name, n, procedure, seed):
    """The p-value, None if there is none, the seconds, and the error if there was one."""
    draw = designs.draw(kind, name, n, seed)
    start, pvalue, error = perf_counter(), None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pvalue = PROCEDURES[procedure](draw, name, seed)
        except Exception as problem:  # noqa: BLE001 - one bad table must not end a run of hours
            error = f"seed {seed}: {type(problem).__name__}: {problem}".splitlines()[0]
    return pvalue, perf_counter() - start, error


def measured(kind, name, n, procedure, trials, parallel):
    """A cell of the record: trials that gave a p-value, how many are at most each level, and the median seconds."""
    work = (delayed(trial)(kind, name, n, procedure, seed) for seed in range(trials))
    pvalues, seconds, errors = zip(*parallel(work), strict=True)
    found = np.array([p for p in pvalues if p is not None])
    cell = {"trials": len(found), **{f"{level:g}": int(np.sum(found <= level)) for level in LEVELS}}
    failed = [error for error in errors if error]
    cell |= {"seconds": round(float(np.median(seconds)), 3)}
    return cell | ({"failed": len(failed), "error": failed[0]} if failed else {})


def rate(cell, level=0.05):
    """The share of rejections; NaN where the procedure does not apply."""
    return cell[f"{level:g}"] / cell["trials"] if cell["trials"] else np.nan


def too_many(cell):
    """Whether a null is rejected more often than 0.075 and two standard errors."""
    return cell["trials"] > 0 and rate(cell) > BAR + 2 * (BAR * (1 - BAR) / cell["trials"]) ** 0.5


def key_of(kind, name, n):
    return f"{kind}: {name}, {n}"


def wanted(kind, name, n, options):
    named = not options.only or any(text in key_of(kind, name, n) for text in options.only)
    return named and (not options.smallest or n == designs.sizes(kind, name)[0])


def run(record, options):
    """Fill the record, cell by cell, and print each row; the number of stars."""
    stars = 0
    with Parallel(n_jobs=options.jobs) as parallel:
        for kind, name, n in designs.rows():
            if not wanted(kind, name, n, options):
                continue
            row = record.setdefault(key_of(kind, name, n), {})
            for procedure in options.procedures:
                if "trials" not in row.get(procedure, {}) or row[procedure].get("asked", 0) < options.trials:
                    cell = measured(kind, name, n, procedure, options.trials, parallel)
                    row[procedure] = cell | {"asked": options.trials}
            marked = {p: kind == "null" and too_many(row[p]) for p in options.procedures}
            stars += sum(marked.values())
            cells = (f"{p} {rate(row[p]):.3f}{'*' * marked[p]} ({row[p]['seconds']:.2f} s)" for p in options.procedures)
            print(f"{key_of(kind, name, n):60} " + "; ".join(cells), flush=True)
            if options.json:
                written = options.json.with_suffix(".part")
                written.write_text(json.dumps(record, indent=0) + "\n")
                written.replace(options.json)
    return stars


def table(record, kind):
    """A Markdown table: of nulls rates at two levels, of alternatives the procedures side by side."""
    rows = [(key.removeprefix(f"{kind}: "), row) for key, row in record.items() if key.startswith(f"{kind}: ")]
    if kind == "null":
        lines = ["| null, rows a group | trials | at .05 | at .01 |", "|---" * 4 + "|"]
        for words, row in rows:
            own = row["default"]
            share = f"{rate(own):.3f}"
            share = f"**{share}**" if too_many(own) else share
            lines.append(f"| {words} | {own['trials']} | {share} | {rate(own, 0.01):.3f} |")
        return "\n".join(lines)
    shown = [p for p in SHOWN[kind] if any(p in row for _, row in rows)]
    lines = ["| " + " | ".join(["alternative, rows a group", "trials", *shown]) + " |", "|---" * (2 + len(shown)) + "|"]
    for words, row in rows:
        cells = [f"{rate(row[p]):.2f}" if row.get(p, {}).get("trials") else "" for p in shown]
        lines.append("| " + " | ".join([words, str(row["default"]["trials"]), *cells]) + " |")
    return "\n".join(lines)


def paged(text, record):
    """The text of a page with the record's tables between its marks."""
    for kind in SHOWN:
        mark = rf"(<!-- table: {kind} -->\n).*?(\n<!-- end -->)"
        text = re.sub(mark, lambda found, kind=kind: found[1] + table(record, kind) + found[2], text, flags=re.DOTALL)
    return text


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rejections",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--procedures", nargs="+", choices=PROCEDURES, default=["default"])
    parser.add_argument("--only", nargs="+", help="rows such as 'null: edge, 300' that have one of these in them")
    parser.add_argument("--smallest", action="store_true", help="each design at its smallest size alone")
    parser.add_argument("--json", type=Path, help="write counts and seconds here, after every row")
    parser.add_argument("--resume", action="store_true", help="keep what that file has, and run what it does not have")
    parser.add_argument("--page", type=Path, help="measure nothing; write the tables of the record into this page")
    options = parser.parse_args(arguments)
    if (options.resume or options.page) and not options.json:
        parser.error("--resume and --page need --json, the file of the record.")
    record = json.loads(options.json.read_text()) if (options.resume or options.page) and options.json.exists() else {}
    if options.page:
        options.page.write_text(paged(options.page.read_text(), record))
        return 0
    stars = run(record, options)
    print(f"{stars} marked")
    return stars > 0


if __name__ == "__main__":
    sys.exit(main())
