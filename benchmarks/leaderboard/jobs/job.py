"""What every package's script shares: read the data sets, time the test on each, write what it said.

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
    pvalue = None if answer is None else float(answer)
    if isinstance(answer, bool | np.bool_):  # it only decides: a p-value on the right side of 0.05
        pvalue = 0.0 if answer else 1.0
    if pvalue is not None and not np.isfinite(pvalue):
        pvalue, error = None, f"p-value {answer}"
    return {"seconds": seconds, "pvalue": pvalue, "error": error}


def run(test, *packages):
    """Time the test on every data set of the file."""
    source, target = map(Path, sys.argv[1:])
    with np.load(source) as stored:
        data = dict(stored)
    resamples, limit = int(data["resamples"]), int(data["limit"])
    report = {"versions": {name: version(name) for name in packages}, "calls": []}
    seeds = data["seeds"].tolist()
    X, Y, group = (data[f"{part}{seeds[0]}"] for part in ("X", "Y", "group"))
    few = np.concatenate([np.flatnonzero(group == label)[:WARM_UP_ROWS] for label in (1, 0)])
    report["warm_up"] = timed(test, X[few], Y[few], group[few], resamples, 0, limit=limit)
    target.write_text(json.dumps(report))
    for seed in seeds:
        X, Y, group = (data[f"{part}{seed}"] for part in ("X", "Y", "group"))
        report["calls"].append(timed(test, X, Y, group, resamples, seed, limit=limit))
        target.write_text(json.dumps(report))
