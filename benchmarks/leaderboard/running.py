"""Running the trials: as many of each method on each problem as a bounded time allows, every batch of them on disk.

A record is a file a method: what was measured on which problem, the p-value of each trial, and the median seconds of a
call in each batch. Trial k of a problem has the same data for all methods, and the same in every run. What is on disk
is not run again, unless the method's code, the problem's data or, of our methods, our version has changed.
"""

import ast
import hashlib
import json
import signal
import warnings
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed

from benchmarks.leaderboard import packages
from benchmarks.leaderboard.packages import CannotBeHadError, Package
from benchmarks.leaderboard.registry import OURS
from condmmd import __version__
from experiments.running import structure, without_words, write

METHODS = Path(__file__).parent / "methods"
STEPS = (10, 25, 50, 100, 200, 400)


# ---- what is on disk ------------------------------------------------------------------------------------------------


def path_of(folder, method):
    name = f"{method.question} {method.name}"
    return Path(folder) / "results" / f"{'_'.join(''.join(c if c.isalnum() else ' ' for c in name).split())}.json"


def code_of(method):
    """The syntax behind a method: its file and those of other methods that it imports; of ours the function alone."""
    if isinstance(method.call, Package):
        return [without_words(ast.parse(file.read_text())) for file in method.call.code]
    function = getattr(method.call, "func", method.call)
    file = Path(function.__code__.co_filename)
    if file.parent != METHODS:
        module = ast.parse(file.read_text())
        return [node for node in module.body if getattr(node, "name", None) == function.__name__]
    waiting, found = [file], {}
    while waiting:
        file = waiting.pop()
        if file not in found:
            found[file] = ast.parse(file.read_text())
            waiting += imported(found[file])
    return [without_words(found[file]) for file in sorted(found)]


def imported(module):
    """The files of methods that a module takes something from."""
    names = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("benchmarks.leaderboard.methods"):
            names |= {node.module.rsplit(".", 1)[-1], *(alias.name for alias in node.names)}
    return [path for name in names if (path := METHODS / f"{name}.py").exists()]


def settings_of(method, resamples):
    """Changes when what a method does has changed, so that a record never mixes two of them."""
    code = "".join(map(structure, code_of(method)))
    return digest("".join([code, how_called(method), str(resamples)]).encode())


def how_called(method):
    if isinstance(method.call, Package):
        return repr(method.call)
    function = getattr(method.call, "func", method.call)
    return f"{function.__name__} {getattr(method.call, 'keywords', {})}"


@cache
def print_of(problem):
    """Changes when the data of a problem have; rounded, so that a library's last digit is no change."""
    arrays = problem.data(0).arrays()
    return digest(b"".join(np.round(np.asarray(a, dtype=float), 6).tobytes() for a in arrays.values()))


def digest(content):
    return hashlib.sha256(content).hexdigest()[:12]


def read(folder, method, resamples, *, fresh=False):
    """The record of a method, empty if there is none of these settings."""
    path = path_of(folder, method)
    header = {
        "method": method.name, "question": method.question, "resamples": resamples,
        "settings": settings_of(method, resamples), "condmmd": __version__ if method.origin == OURS else "any",
    }  # fmt: skip
    empty = {**header, "missing": None, "versions": {}, "problems": {}}
    if fresh or not path.exists():
        return empty
    record = json.loads(path.read_text())
    return record if all(record[key] == header[key] for key in header) else empty


def save(folder, method, record):
    lines = (f"  {json.dumps(name)}: {json.dumps(cell)}" for name, cell in record["problems"].items())
    head = json.dumps({k: v for k, v in record.items() if k != "problems"}, indent=1)[:-2]
    write(path_of(folder, method), f'{head},\n "problems": {{\n' + ",\n".join(lines) + "\n }\n}\n")


def cell_of(record, problem):
    """What is known of a problem; nothing, where its data were others."""
    found = print_of(problem)
    cell = record["problems"].get(problem.name)
    if cell is None or cell["data"] != found:
        cell = record["problems"][problem.name] = {"data": found, "pvalues": [], "seconds": []}
    return cell


# ---- trials ---------------------------------------------------------------------------------------------------------


@contextmanager
def limited(seconds):
    """Raise after so many seconds."""

    def over(*_):
        raise TimeoutError(f"over {seconds} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def one_trial(method, problem, trial, resamples, limit):
    """A call as a record, as `packages` has it."""
    data = problem.data(trial)
    start, pvalue, error = perf_counter(), None, None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            with limited(limit):
                pvalue = float(method.call(data, resamples, np.random.default_rng([trial, 31])))
        except Exception as problem_met:  # noqa: BLE001 - one bad data set must not end a run of an hour
            error = f"{type(problem_met).__name__}: {problem_met}".splitlines()[0]
    if pvalue is not None and not np.isfinite(pvalue):
        pvalue, error = None, f"p-value {pvalue}"
    return {"seconds": perf_counter() - start, "pvalue": pvalue, "error": error}


def batch(method, problem, trials, resamples, limit, parallel):
    """Calls of the trials, and the versions that answered."""
    if isinstance(method.call, Package):
        return packages.run(method.call, {trial: problem.data(trial) for trial in trials}, resamples, limit)
    work = (delayed(one_trial)(method, problem, trial, resamples, limit) for trial in trials)
    return parallel(work), {"condmmd": __version__}


def extend(cell, calls):
    """Put calls into a cell."""
    cell["pvalues"] += [None if call["pvalue"] is None else float(f"{call['pvalue']:.4g}") for call in calls]
    cell["seconds"].append(float(f"{np.median([call['seconds'] for call in calls]):.3g}"))
    errors = [call["error"] for call in calls if call["error"]]
    if errors:
        cell["error"] = errors[-1]


def seconds_of(cell):
    """Of a call: the median of the batch that was disturbed least."""
    return min(cell["seconds"], default=None)


def is_done(cell, problem, target, options):
    """Whether a cell has its trials, or each next one is too dear, or none can be had."""
    pvalues = cell["pvalues"]
    target = min(target, problem.trials or target)
    if len(pvalues) >= target or (pvalues and all(p is None for p in pvalues)):
        return True
    return bool(pvalues) and len(pvalues) * seconds_of(cell) >= options.cell_seconds


def next_trials(cell, problem, target, guess, options):
    """The next batch: as far as the target, or the cell's seconds, reach; ``guess`` is what a call may take."""
    have = len(cell["pvalues"])
    target = min(target, problem.trials or target)
    if problem.timed and not have:
        return range(1)
    each = seconds_of(cell) or guess
    if each:
        target = min(target, have + max(1, int((options.cell_seconds - have * each) / each)))
    return range(have, target)


def guessed(record, problems):
    """What a call has taken on other problems, at most."""
    names = {problem.name for problem in problems if not problem.timed}
    return max((seconds_of(cell) or 0 for name, cell in record["problems"].items() if name in names), default=None)


def run(methods, problems, options, say=print):
    """Extend the records in rounds of more and more trials, until all have theirs or the time is up.

    A stop at any moment leaves a table of about as many trials everywhere. True if nothing is left to do.
    """
    records = {method: read(options.out, method, options.resamples, fresh=options.fresh) for method in methods}
    end = perf_counter() + 60 * options.minutes
    steps = [step for step in STEPS if step < options.trials] + [options.trials]
    with Parallel(n_jobs=options.jobs) as parallel:
        for target in steps:
            for problem in problems:
                for method in methods:
                    if perf_counter() > end:
                        say(f"the {options.minutes:g} minutes are over; the same command goes on from here")
                        return False
                    if method.applies(problem):
                        guess = guessed(records[method], problems)
                        one_step(method, problem, target, guess, records[method], options, parallel, say)
    return True


def one_step(method, problem, target, guess, record, options, parallel, say):
    cell = cell_of(record, problem)
    if isinstance(method.call, Package) and guess is not None:
        target = options.trials  # its process takes long to start: all at once
    while not (record["missing"] or is_done(cell, problem, target, options)):
        trials = next_trials(cell, problem, target, guess, options)
        try:
            calls, versions = batch(method, problem, trials, options.resamples, options.limit, parallel)
        except CannotBeHadError as reason:
            record["missing"], record["problems"] = str(reason), {}
            say(f"{method.name} could not be had: {reason}")
        else:
            extend(cell, calls)
            record["versions"] |= versions
            hits = sum(p is not None and p <= 0.05 for p in cell["pvalues"])
            say(f"{method.name}, {problem.name}: {hits} of {len(cell['pvalues'])}, {seconds_of(cell):.3g} s a call")
        save(options.out, method, record)
