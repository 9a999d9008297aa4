"""Break the code on purpose and see the tests fail: all mutants, or those with some words in their name or file.

The whole source is copied, so the tree stays as it is. The tests are first run on the copy as it is: one that fails
there would notice nothing.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter

from tests.mutants import MUTANTS, ROOT, SURVIVORS

SECONDS = 120  # of one test; whoever takes longer has noticed


def copied(folder):
    """A copy of the tree."""
    for part in ("src", "tests", "benchmarks", "experiments"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def run(tree, tests, seconds=None):
    """The status of the tests in a copy: 0 if they pass, 1 if one fails or time is up."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | os.environ
    environment |= {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(  # noqa: S603
            command, cwd=tree, env=environment, capture_output=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return 1
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    if seconds is None and done.returncode:
        print(done.stdout.decode())
    return done.returncode


def survives(mutant, tree):
    """Run the mutant's test in a copy of the tree; True if it passes, which it must not."""
    _, file, right, wrong, test = mutant
    target = tree / "src" / "condmmd" / file
    text = target.read_text()
    if text.count(right) != 1:
        raise SystemExit(f"{file}: {right!r} stands there {text.count(right)} times; mend this list.")
    target.write_text(text.replace(right, wrong))
    try:
        return run(tree, [test], SECONDS) == 0
    finally:
        target.write_text(text)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("words", nargs="?", default="", help="only mutants whose name or file has this in it")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    options = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if options.words in mutant[0] or options.words in mutant[1]]
    start, alive = perf_counter(), []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        trees = SimpleQueue()
        for number in range(options.jobs):
            (Path(folder) / str(number)).mkdir()
            trees.put(copied(Path(folder) / str(number)))
        if chosen and run(Path(folder) / "0", sorted({mutant[4] for mutant in chosen})):
            raise SystemExit("a test fails without any break; mend that first.")

        def one(mutant):
            tree, began = trees.get(), perf_counter()
            try:
                return mutant, survives(mutant, tree), perf_counter() - began
            finally:
                trees.put(tree)

        for mutant, survived, seconds in pool.map(one, chosen):
            alive += [mutant] * survived
            print(f"{'SURVIVES' if survived else 'caught':<9} {seconds:4.0f} s  {mutant[0]}: {mutant[4]}", flush=True)
    print(f"{len(chosen) - len(alive)} of {len(chosen)} mutants caught in {perf_counter() - start:.0f} s")
    print(f"{len(SURVIVORS)} known survivors, which are not among them:")
    for what, file, _, _, reason in SURVIVORS:
        print(f"  {what} ({file}): {reason}")
    return len(alive) > 0


if __name__ == "__main__":
    sys.exit(main())
