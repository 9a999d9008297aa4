"""Packages of others, each in a virtual environment of its own under ``build/leaderboard``, made on the first run.

A package that does not install or run is listed with its error, and nothing else stops for it.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent.parent / "build" / "leaderboard"


class Package(NamedTuple):
    """A script in ``jobs``, what it installs, and what it installs whatever its Python is said to be."""

    script: str
    pins: tuple
    any_python: tuple = ()

    @property
    def code(self):
        """The files that its numbers come from."""
        return [HERE / "jobs" / f"{self.script}.py", HERE / "jobs" / "job.py"]


class CannotBeHadError(Exception):
    """There is no environment for a package; the message says why."""


def last_line(text):
    """The last line of an error without addresses and paths, after what pip says of the Python it wants, if it does."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no message"]
    chosen = [line for line in lines[:-1] if "Requires-Python" in line][-1:] + lines[-1:]
    return re.sub(r"(\w+:/|(?<![\w.]))/\S+|(?<=host=)\S+", "...", "; ".join(chosen)).replace("|", "/")


def shell(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)  # noqa: S603


def environment(package):
    """The interpreter of the package's environment, which is made unless it is there."""
    home = ENVIRONMENTS / package.script
    python, made = home / "bin" / "python", home / "made.json"
    wanted = json.dumps([sys.version, package.pins, package.any_python])
    if made.exists() and made.read_text() == wanted:
        return python
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = [[sys.executable, "-m", "venv", home], [*pip, *package.pins]]
    if package.any_python:
        steps.append([*pip, "--no-deps", "--ignore-requires-python", *package.any_python])
    shutil.rmtree(home, ignore_errors=True)
    for step in steps:
        done = shell(*step)
        if done.returncode:
            raise CannotBeHadError(last_line(done.stderr or done.stdout))
    made.write_text(wanted)
    return python


def run(package, data_sets, resamples, limit):
    """The package on data sets by seed, in a process of its own: calls as records, and the versions that answered.

    A call that takes more than ``limit`` seconds ends the process; it is recorded, and those after it are not made.
    """
    python = environment(package)
    arrays = {f"{part}{seed}": values for seed, data in data_sets.items() for part, values in data.arrays().items()}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.npz"), Path(folder, "out.json")
        np.savez(source, **arrays, seeds=list(data_sets), resamples=resamples, limit=limit)
        done = shell(python, HERE / "jobs" / f"{package.script}.py", source, target)
        report = json.loads(target.read_text()) if target.exists() else {"versions": {}, "calls": []}
    calls = report["calls"]
    if done.returncode == -signal.SIGALRM:
        calls.append({"seconds": float(limit), "pvalue": None, "error": f"over {limit} s"})
    elif done.returncode:
        why = f"ended by signal {-done.returncode}" if done.returncode < 0 else last_line(done.stderr)
        calls.append({"seconds": 0.0, "pvalue": None, "error": why})
    return calls, report["versions"]
