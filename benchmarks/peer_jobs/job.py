"""What every peer's script shares: read the data sets, time the test on each, write what it said.

A script hands `run` its test, a function of X, Y, the labels, the number of resamples and a seed. The test returns a
p-value, or True or False where the tool only decides at 0.05. This module needs NumPy alone.
"""

import json
import signal
import sys
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np

WARM_UP_ROWS = 30


def timed(test, *arguments, limit):
    """One call as a record; past the limit the process ends by SIGALRM, even inside compiled code."""
    signal.alarm(limit)
    start = perf_counter()
    try:
        answer, error = test(*arguments), None
    except Exception as problem:  # noqa: BLE001
        answer, error = None, f"{type(problem).__name__}: {problem}".splitlines()[-1]
    seconds = perf_counter() - start
    signal.alarm(0)
    decides = isinstance(answer, bool | np.bool_)
    pvalue = None if answer is None or decides else float(answer)
    if pvalue is not None and not np.isfinite(pvalue):
        pvalue, error = None, f"p-value {answer}"
    reject = bool(answer) if decides else pvalue is not None and pvalue <= 0.05
    return {"seconds": seconds, "pvalue": pvalue, "reject": reject, "error": error}


def run(test, *packages):
    """Time the test on every data set of the file, until they end or the time for them is spent."""
    source, target = map(Path, sys.argv[1:])
    with np.load(source) as stored:
        data = dict(stored)
    groups, resamples, limit = data["group"], int(data["resamples"]), int(data["limit"])
    report = {"versions": {name: version(name) for name in packages}, "calls": []}
    few = np.concatenate([np.flatnonzero(groups[0] == label)[:WARM_UP_ROWS] for label in (1, 0)])
    report["warm_up"] = timed(test, data["X"][0][few], data["Y"][0][few], groups[0][few], resamples, 0, limit=limit)
    target.write_text(json.dumps(report))
    for seed, (X, Y, group) in enumerate(zip(data["X"], data["Y"], groups, strict=True)):
        call = timed(test, X, Y, group, resamples, seed, limit=limit)
        print(f"p-value {call['pvalue']}, reject {call['reject']}, {call['seconds']:.3f} s, {call['error'] or 'fine'}")
        report["calls"].append(call)
        target.write_text(json.dumps(report))
        if sum(c["seconds"] for c in report["calls"]) > data["seconds"]:
            break
