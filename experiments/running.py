"""Running the trials: any number of workers, the same numbers; every finished point is on disk."""

import ast
import hashlib
import json
import sys
import warnings
import zlib
from pathlib import Path
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed

from condmmd import CondmmdWarning, __version__


def read(folder, experiment):
    """The record of an experiment if every point of it was measured, else None."""
    path = Path(folder) / "results" / f"{experiment.name}.json"
    record = json.loads(path.read_text()) if path.exists() else {"points": {}}
    whole = all(
        f"{x:g}" in record["points"].get(variant, {}) for variant in experiment.variants for x in experiment.points
    )
    return record if whole else None


def generator(experiment, seed, position=0, trial=0):
    """The same for a trial of a point, whatever ran before and wherever it runs."""
    return np.random.default_rng([seed, zlib.crc32(experiment.name.encode()), position, trial])


def one_trial(trial, point, rng, resamples):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CondmmdWarning)  # some designs are meant to have little overlap
        return trial(point, rng, resamples)


def run_point(experiment, variant, position, *, trials, resamples, seed, jobs):
    """All trials of one point: mean, standard deviation and number for each curve."""
    point, start = experiment.points[position], perf_counter()
    work = (
        delayed(one_trial)(experiment.variants[variant], point, generator(experiment, seed, position, trial), resamples)
        for trial in range(trials)
    )
    found = Parallel(n_jobs=jobs, batch_size="auto")(work)
    curves = {}
    for name in found[0]:
        values = np.array([result[name] for result in found])
        curves[name] = {"mean": float(values.mean()), "sd": float(values.std(ddof=1)) if trials > 1 else 0.0}
        if experiment.keep_values:
            curves[name]["values"] = [float(f"{value:.6g}") for value in values]
    return {"trials": trials, "condmmd": __version__, "seconds": round(perf_counter() - start, 2), "curves": curves}


def run_experiment(experiment, folder, *, trials, resamples, seed, jobs, fresh=False, variants=None, say=print):
    """Measure every point that is not in ``folder`` yet, saving after each; return the record."""
    path = Path(folder) / "results" / f"{experiment.name}.json"
    header = {
        "experiment": experiment.name, "seed": seed, "source": experiment.source() if experiment.source else None,
    }  # fmt: skip
    record = json.loads(path.read_text()) if path.exists() else {**header, "settings": {}, "points": {}}
    if any(record[name] != header[name] for name in header):
        changed = ", ".join(name for name in header if record[name] != header[name])
        say(f"{experiment.name}: measured again, as {changed} changed")
        record = {**header, "settings": {}, "points": {}}
    for variant in variants or experiment.variants:
        settings = fingerprint(experiment, variant)
        if fresh or record["settings"].get(variant, settings) != settings:
            say(f"{experiment.name}, {variant}: measured again" + ("" if fresh else ", as its settings changed"))
            record["points"].pop(variant, None)
        record["settings"][variant] = settings
        count, labels = size(experiment, variant, trials, resamples)
        done = record["points"].setdefault(variant, {})
        for position, point in enumerate(experiment.points):
            if done.get(f"{point:g}", {}).get("trials") == count:
                continue
            if f"{point:g}" in done:
                raise SystemExit(
                    f"{path} holds {done[f'{point:g}']['trials']} trials a point, not {count}. Give another --out, or "
                    "--fresh to measure again."
                )
            found = run_point(experiment, variant, position, trials=count, resamples=labels, seed=seed, jobs=jobs)
            done[f"{point:g}"] = found
            write(path, json.dumps(record, indent=1) + "\n")
            shown = ", ".join(f"{name} {curve['mean']:.4g}" for name, curve in found["curves"].items())
            say(f"{experiment.name}, {variant}, {point:g}: {shown}  ({found['seconds']:.1f} s)")
    return record


def size(experiment, variant, trials, resamples):
    """Trials and null labels of a variant: 200 and 200 ask for what the paper has, fewer for that share of it."""
    share = experiment.share.get(variant, 1.0)
    return (
        max(1, round(experiment.trials * share * trials / 200)) if experiment.trials > 1 else 1,
        max(20, round(experiment.resamples * resamples / 200)),
    )


def fingerprint(experiment, variant):
    """Changes when the code or a constant behind a variant does, so that a record never mixes two settings."""
    here, own = Path(__file__).parent, list(functions(experiment.variants[variant]))
    files = {Path(sys.modules[f.__module__].__file__) for f in own} | {here / "draws.py", here / "experiment.py"}
    others = {f.__name__ for other in experiment.variants.values() for f in functions(other)}
    others -= {f.__name__ for f in own}
    code = "".join(structure(without_words(ast.parse(file.read_text()), others)) for file in sorted(files))
    return hashlib.sha256(code.encode()).hexdigest()[:12]


def structure(node):
    """A syntax tree as text, the same in every version of Python: what is empty is left out, as `ast.dump` does not."""
    if isinstance(node, ast.AST):
        parts = [f"{name}={structure(value)}" for name, value in ast.iter_fields(node) if value not in (None, [])]
        return f"{type(node).__name__}({', '.join(parts)})"
    return f"[{', '.join(map(structure, node))}]" if isinstance(node, list) else repr(node)


def without_words(module, others=()):
    """A module without its docstring, imports, list of experiments, what draws or tells, and the ``others``' trials."""
    return ast.Module(
        body=[
            node
            for node in module.body[1:]
            if not isinstance(node, ast.Import | ast.ImportFrom)
            and not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "EXPERIMENTS")
            and not (isinstance(node, ast.FunctionDef) and (tells(node.name) or node.name in others))
        ],
        type_ignores=[],
    )


def tells(name):
    """Whether a function of this name makes pictures or text from numbers that are there."""
    return name.startswith("draw_") or name.endswith("_page")


def functions(trial):
    """What is behind a variant, and what it is given, through `functools.partial`."""
    waiting = [trial]
    while waiting:
        one = waiting.pop()
        waiting += [part for part in getattr(one, "args", ()) if callable(part)]
        yield getattr(one, "func", one)


def write(path, text):
    """Replace a file at once: killed in between, the old one is still whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(path.suffix + ".part")
    partial.write_text(text)
    partial.replace(path)
