"""Thousands of small calls and many command lines, with little memory and random kills: ``python -m tests.soak``.

With ``--scale 1`` 20,000 calls in one process, whose memory may grow by 5 MB after the first fifth; and 200 command
lines, of which every other is killed at a random moment and some have too little memory: the files that they write are
whole or not there, an error is told in words, and no process is left. Linux only: it reads /proc.
"""

import argparse
import ctypes
import gc
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

CALLS, RUNS, LEAK = 20_000, 200, 5.0
# Address space, which is more than what is in memory: libraries and threads reserve a good part of it.
TIGHT, ROOMY = 2**20 * 900, 2**30 * 6


def resident():
    """Megabytes in memory, once what is free has gone back to the system."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def call(number):
    """One small call of some function."""
    import numpy as np  # noqa: PLC0415 - in the child alone, after the limit is set

    from condmmd import CMMD, cmmd, cmmd_test, mmd_test, screen  # noqa: PLC0415

    rng = np.random.default_rng(number)
    X, t = rng.normal(size=(24, 2)), rng.permutation(np.arange(24) % 2)
    Y = X[:, :1] + rng.normal(size=(24, 2))
    plain = {"propensity": None, "residualize": False, "n_resamples": 19, "rng": 0}
    kinds = (
        lambda: cmmd_test(X, Y, t, **plain).pvalue,
        lambda: cmmd_test(X, Y, t, statistic=CMMD(level=1), **plain).to_dict(),
        lambda: cmmd(X, Y, t, statistic=CMMD(reg=0.1)).level([0, 1, 2]),
        lambda: mmd_test(X, t, n_resamples=19, rng=0).pvalue,
        lambda: screen(X, Y, t, propensity=None).pvalues,
        lambda: cmmd_test(X * np.nan, Y, t),
        lambda: cmmd_test(X, Y[:-1], t),
    )
    try:
        kinds[number % len(kinds)]()
    except ValueError:
        return


def calls(count):
    """In this process: the memory after the first fifth and at the end."""
    resource.setrlimit(resource.RLIMIT_AS, (ROOMY, ROOMY))
    warnings.simplefilter("ignore")
    for number in range(count // 5):
        call(number)
    before = resident()
    for number in range(count // 5, count):
        call(number)
    print(json.dumps({"before": before, "after": resident()}))


def members(session):
    """Processes of a session, of which it is the first."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def left_of(session, patience=15.0):
    """Processes of a session that are still there after a while."""
    end = time.monotonic() + patience
    while members(session) and time.monotonic() < end:
        time.sleep(0.1)
    return members(session)


def whole(path):
    """Whether a file is not there, or complete."""
    if not path.exists():
        return True
    text = path.read_text()
    try:
        return text.rstrip().endswith("</html>") if path.suffix == ".html" else json.loads(text) is not None
    except ValueError:
        return False


def command_line(folder, number, draw):
    """Run one, perhaps kill it: what is wrong with what it leaves."""
    output = folder / f"{number}.json", folder / f"{number}.html"
    killed, tight = number % 2 == 0, number % 5 == 4
    for path in output[: number % 3]:
        path.write_text("{}" if path.suffix == ".json" else "</html>")  # something to replace

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (TIGHT, TIGHT) if tight else (ROOMY, ROOMY))

    command = [
        sys.executable, "-m", "condmmd", "test", str(folder / "table.csv"), "--outcome", "y", "--group", "g",
        "--resamples", "199", "--json-file", str(output[0]), "--report", str(output[1]), "--overwrite", "--quiet",
        "--jobs", "2",
    ]  # fmt: skip
    child = subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=limited,  # noqa: PLW1509
    )  # fmt: skip
    with child:
        if killed:
            time.sleep(draw.uniform(0.5, 6))
            child.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        try:
            _, told = child.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return [f"{number}: not done after two minutes"]
    wrong = [f"{number}: {path.name} is not whole" for path in output if not whole(path)]
    rest = left_of(child.pid)
    wrong += [f"{number}: {len(rest)} processes are left"] * bool(rest)
    for pid in rest:
        os.kill(pid, signal.SIGKILL)
    if not killed and not tight and child.returncode != 0:
        wrong.append(f"{number}: status {child.returncode}: {told[-300:]}")
    if tight and not killed and child.returncode not in {0, 2}:
        wrong.append(f"{number}: with little memory, status {child.returncode}: {told[-300:]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the 20,000 calls and 200 command lines")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, help="make so many calls in this process, and nothing else")
    options = parser.parse_args()
    if options.calls is not None:
        calls(options.calls)
        return 0
    count, runs = max(50, round(CALLS * options.scale)), max(2, round(RUNS * options.scale))
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "tests.soak", "--calls", str(count)], capture_output=True, text=True, check=True
    )
    memory = json.loads(done.stdout)
    grown = memory["after"] - memory["before"]
    wrong = [f"{count} calls took {grown:.1f} MB more"] * (grown > LEAK)
    print(f"{count} calls: {memory['before']:.1f} MB, then {memory['after']:.1f} MB", flush=True)
    draw = random.Random(options.seed)  # noqa: S311
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [f"{draw.gauss(0, 1)},{draw.gauss(0, 1)},{k % 2}\n" for k in range(120)]
        (folder / "table.csv").write_text("y,x,g\n" + "".join(rows))
        for number in range(runs):
            wrong += command_line(folder, number, draw)
        hidden = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    print(f"{runs} command lines; {len(hidden)} temporary files left by kills in the middle of writing")
    print("\n".join(wrong) or "nothing leaked, nothing half written, nothing left running")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
