"""The wheel in a folder, installed without extras into an environment of its own, and asked for the main things.

``python .ci/wheel.py dist``: imports, one test from Python with its summary, the command line on a CSV file with JSON,
and the refusal of what an extra is needed for. Nothing of the sources is in reach.
"""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

FROM_PYTHON = """
import numpy as np
import condmmd
rng = np.random.default_rng(0)
x = rng.normal(size=200)
group = np.repeat([1, 0], 100)
y = np.sin(x) + group + 0.3 * rng.normal(size=200)
result = condmmd.cmmd_test(x, y, group, n_resamples=99, rng=0)
assert result.pvalue == 0.01, result.pvalue
assert result.summary() and result.effect() is not None
assert condmmd.cmmd(x, y, group).level(1) > 0
print(condmmd.__version__)
"""


def run(*command: str | Path, folder: Path, status: int = 0) -> str:
    """What a command prints, or how it refuses; an error unless it ends with ``status``."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=clean, capture_output=True, text=True, check=False
    )
    if done.returncode != status:
        raise SystemExit(f"{command}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stderr if status else done.stdout


def table(path: Path) -> None:
    """Two groups whose y given x differs by 1."""
    rng = random.Random(0)  # noqa: S311 - a table, no secret
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y", "group"])
        for row in range(200):
            x, group = rng.gauss(0, 1), row % 2
            writer.writerow([x, x + group + rng.gauss(0, 0.5), "ab"[group]])


def main(archives: Path) -> int:
    """Install, ask, say what was asked."""
    wheels = sorted(archives.resolve().glob("condmmd-*.whl"))
    if len(wheels) != 1:
        raise SystemExit(f"there must be one wheel in {archives}; there are {len(wheels)}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        python, condmmd = programs / "python", programs / "condmmd"
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheels[0], folder=folder)
        version = run(python, "-c", FROM_PYTHON, folder=folder).strip()
        assert run(condmmd, "--version", folder=folder).strip() == version  # noqa: S101
        assert wheels[0].name.startswith(f"condmmd-{version}-")  # noqa: S101
        table(folder / "table.csv")
        asked = ("table.csv", "--outcome", "y", "--group", "group", "--seed", "1")
        found = json.loads(run(condmmd, "test", *asked, "--json", folder=folder))
        assert found["pvalue"] < 0.05, found  # noqa: S101
        run(condmmd, "look", "table.csv", folder=folder)
        refused = run(condmmd, "test", *asked, "--report", "report.html", folder=folder, status=2)
        assert "condmmd[report]" in refused, refused  # noqa: S101
    print(f"condmmd {version} without extras: Python, JSON and `look` work, and --report says what it needs")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
