"""Rejection rates on tables such as people have: ``python -m benchmarks.real_tables [--trials 100] [--jobs 2]``.

For each design of `designs` at each size, and each procedure of `procedures`: the share of trials with a p-value of at
most 0.05, its standard error, and the median seconds of a call. A star marks a null that is rejected more often than
its bar allows (0.08; if hard, 0.25 at the smallest size and from then on no more than at smaller ones), and a
procedure of ours with less than 0.9 of the power of the best of ours. The record is written after every row.
"""

import argparse
import json
import os
import sys
import warnings
from pathlib import Path
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

from benchmarks import designs  # noqa: E402
from benchmarks.procedures import PROCEDURES, SETTINGS  # noqa: E402

LEVEL = 0.05


def trial(kind, name, n, procedure, seed):
    """The p-value, None if there is none, the seconds, and the error if there was one."""
    X, Y, group = designs.draw(kind, name, n, seed)
    start, pvalue, error = perf_counter(), None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pvalue = round(float(PROCEDURES[procedure](X, Y, group, seed)), 6)
        except Exception as problem:  # noqa: BLE001 - one bad table must not end a run of hours
            error = f"seed {seed}: {type(problem).__name__}: {problem}".splitlines()[0]
    return pvalue, perf_counter() - start, error


def measured(kind, name, n, procedure, trials, parallel):
    """A cell of the record."""
    work = (delayed(trial)(kind, name, n, procedure, seed) for seed in range(trials))
    pvalues, seconds, errors = zip(*parallel(work), strict=True)
    found = {"pvalues": pvalues, "seconds": round(float(np.median(seconds)), 3)}
    failed = [error for error in errors if error]
    return found | ({"failed": len(failed), "error": failed[0]} if failed else {})


def rate(cell):
    """The share of rejections among the calls that gave a p-value, and its standard error; NaN where none did."""
    pvalues = np.array([p for p in cell["pvalues"] if p is not None])
    if not len(pvalues):
        return np.nan, np.nan
    share = float(np.mean(pvalues <= LEVEL))
    return share, (share * (1 - share) / len(pvalues)) ** 0.5


def key_of(kind, name, n):
    return f"{kind}: {name}, {n}"


def missed(record, kind, name, n, procedure):
    """Whether this cell of the record misses its bar."""
    share, _ = rate(record[key_of(kind, name, n)][procedure])
    if kind == "power":
        row = record[key_of(kind, name, n)]
        return procedure in SETTINGS and share < 0.9 * max(rate(row[other])[0] for other in SETTINGS if other in row)
    design = designs.NULLS[name]
    if not design.hard:
        return share > designs.LIMIT
    smaller = [record.get(key_of(kind, name, m), {}).get(procedure) for m in design.sizes if m < n]
    before = [rate(cell)[0] for cell in smaller if cell]
    return share > max(designs.LIMIT, min([designs.LIMIT_OF_HARD, *before]))


def cell_text(record, kind, name, n, procedure):
    cell = record[key_of(kind, name, n)][procedure]
    share, error = rate(cell)
    star = "*" if missed(record, kind, name, n, procedure) else ""
    failed = f", {cell['failed']} failed" if "failed" in cell else ""
    return f"{share:.3f}{star} +- {error:.3f} ({cell['seconds']:.2f} s{failed})"


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
                if len(row.get(procedure, {}).get("pvalues", ())) < options.trials:
                    row[procedure] = measured(kind, name, n, procedure, options.trials, parallel)
            stars += sum(missed(record, kind, name, n, procedure) for procedure in options.procedures)
            cells = (f"{procedure} {cell_text(record, kind, name, n, procedure)}" for procedure in options.procedures)
            print(f"{kind:5} {f'{name}, {n}':52} " + "; ".join(cells), flush=True)
            if options.json:
                written = options.json.with_suffix(".part")
                written.write_text(json.dumps(record))
                written.replace(options.json)
    return stars


def page(record):
    """Markdown tables of a record: nulls, alternatives, and the seconds of a call."""
    lines = []
    for wanted, title in (("null", "null, rows a group"), ("power", "alternative, rows a group")):
        rows = [
            (name, n, record[key])
            for k, name, n in designs.rows()
            if k == wanted and (key := key_of(k, name, n)) in record
        ]
        shown = [p for p in PROCEDURES if any(p in row for _, _, row in rows)]
        if not shown:
            continue
        lines += ["| " + " | ".join([title, "trials", *shown]) + " |", "|---" * (2 + len(shown)) + "|"]
        for name, n, row in rows:
            hard = " (hard)" if wanted == "null" and designs.NULLS[name].hard else ""
            cells = [page_cell(record, wanted, name, n, p) if p in row else "" for p in shown]
            trials = max(len(cell["pvalues"]) for cell in row.values())
            lines.append("| " + " | ".join([f"{name}{hard}, {n}", str(trials), *cells]) + " |")
        seconds = [np.median([row[p]["seconds"] for _, _, row in rows if p in row]) for p in shown]
        lines += ["| " + " | ".join(["*median seconds*", "", *(f"*{s:.2f}*" for s in seconds)]) + " |", ""]
    return "\n".join(lines)


def page_cell(record, kind, name, n, procedure):
    share, _ = rate(record[key_of(kind, name, n)][procedure])
    return f"**{share:.2f}**" if missed(record, kind, name, n, procedure) else f"{share:.2f}"


def options_of(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.real_tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--procedures", nargs="+", choices=PROCEDURES, default=list(PROCEDURES))
    parser.add_argument("--only", nargs="+", help="rows such as 'null: edge, 300' that have one of these in them")
    parser.add_argument("--smallest", action="store_true", help="each design at its smallest size alone")
    parser.add_argument("--json", type=Path, help="write the p-values and seconds here, after every row")
    parser.add_argument("--resume", action="store_true", help="keep what that file has, and run what it does not have")
    parser.add_argument("--page", type=Path, help="run nothing; print this record as Markdown")
    options = parser.parse_args(arguments)
    if options.resume and not options.json:
        parser.error("--resume needs --json, the file to go on with.")
    return options


def main(arguments=None):
    options = options_of(arguments)
    if options.page:
        print(page(json.loads(options.page.read_text())))
        return 0
    record = json.loads(options.json.read_text()) if options.resume and options.json.exists() else {}
    stars = run(record, options)
    print(f"{stars} marked")
    return stars > 0


if __name__ == "__main__":
    sys.exit(main())
