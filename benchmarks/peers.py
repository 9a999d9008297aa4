"""condmmd beside other tools that can say whether Y given X is the same in two samples: ``python -m benchmarks.peers``.

Every tool, condmmd too, runs in a virtual environment of its own under ``build/peers``, made on the first run, on the
same data sets and with the same number of resamples where it has resamples. Times are of the call alone, after one call
on a few rows; p-values and times are of the same calls. A tool that does not install or run is listed with its error.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.peer_data import Scenario, cases, data_sets

HERE = Path(__file__).parent
ROOT = HERE.parent
ENVIRONMENTS = ROOT / "build" / "peers"
PAGES = {"made-up": HERE / "peers.md", "real": HERE / "peers_real.md"}
REPEATS = 3


class Peer(NamedTuple):
    """A tool: its script in ``peer_jobs``, what it installs, and what it installs whatever its Python is said to be."""

    name: str
    script: str
    pins: tuple
    what: str
    any_python: tuple = ()


US = Peer("condmmd", "cmmd", ("numpy==2.4.6", "scipy==1.17.1", "scikit-learn==1.9.1"), "`cmmd_test`, its defaults")
PEERS = [
    US,
    Peer(
        "alibi-detect", "context_mmd",
        ("alibi-detect==0.13.0", "torch==2.13.0", "numpy==1.26.4", "scipy==1.15.3", "scikit-learn==1.7.2"),
        "`ContextMMDDrift`, X as the context, float32, on the CPU",
    ),
    Peer(
        "causal-learn", "kci",
        ("causal-learn==0.1.4.8", "numpy==2.3.5", "scipy==1.16.3", "scikit-learn==1.7.2"),
        "`CIT(..., 'kci')`, Y and the label given X; a gamma null, no resamples",
    ),
    Peer(
        "dowhy", "mechanism_change",
        ("dowhy==0.14", "causal-learn==0.1.4.8", "numpy==2.3.5", "scipy==1.15.3", "scikit-learn==1.7.2"),
        "`mechanism_change_test`, X as the parents; KCI with median widths, a gamma null, no resamples",
    ),
    Peer(
        "pywhy-stats", "kcd",
        ("numpy==1.26.4", "scipy==1.15.3", "scikit-learn==1.7.2"),
        "`conditional_ksample.kcd.condind`; says it is for Python below 3.11, installed all the same",
        any_python=("pywhy-stats==0.1",),
    ),
    Peer(
        "rkhs", "tubes",
        ("rkhs==0.0.1", "jax==0.7.1", "jaxlib==0.7.1", "numpy==2.3.5", "scipy==1.16.3"),
        "bootstrap bounds of conditional embeddings, on a grid of 100 rows of X; rejects if it does anywhere",
    ),
]  # fmt: skip


def last_line(text):
    """The last line of an error without addresses and paths, after what pip says of the Python it wants, if it does."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no message"]
    chosen = [line for line in lines[:-1] if "Requires-Python" in line][-1:] + lines[-1:]
    return re.sub(r"(\w+:/|(?<![\w.]))/\S+|(?<=host=)\S+", "...", "; ".join(chosen)).replace("|", "/")


def shell(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)  # noqa: S603


def environment(peer, *, fresh):
    """Make the tool's environment, or find it made; the interpreter, and the error if there is none."""
    home = ENVIRONMENTS / peer.name
    python, made = home / "bin" / "python", home / "made.json"
    wanted = json.dumps([sys.version, peer.pins, peer.any_python])
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = []
    if fresh or not made.exists() or made.read_text() != wanted:
        shutil.rmtree(home, ignore_errors=True)
        steps = [[sys.executable, "-m", "venv", home], [*pip, *peer.pins]]
        if peer.any_python:
            steps.append([*pip, "--no-deps", "--ignore-requires-python", *peer.any_python])
    if peer is US:
        steps.append([*pip, ROOT])  # every time: the code may have changed
    for step in steps:
        done = shell(*step)
        if done.returncode:
            return python, last_line(done.stderr or done.stdout)
    made.write_text(wanted)
    return python, None


def run(peer, python, data, seconds, options):
    """The tool on the data sets, in a process of its own: its report, with how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.npz"), Path(folder, "out.json")
        np.savez(source, **data, seconds=seconds, resamples=options.resamples, limit=options.limit)
        done = shell(python, HERE / "peer_jobs" / f"{peer.script}.py", source, target)
        report = json.loads(target.read_text()) if target.exists() else {"versions": {}, "calls": []}
    report["over"] = done.returncode == -signal.SIGALRM
    failed = [call["error"] for call in report["calls"] if call["error"]]
    report["failed"] = len(failed)
    report["error"] = None
    if done.returncode < 0 and not report["over"]:
        report["error"] = f"ended by signal {-done.returncode}"
    elif done.returncode > 0:
        report["error"] = last_line(done.stderr)
    elif failed:
        report["error"] = last_line(failed[-1])
    report["calls"] = [call for call in report["calls"] if not call["error"]]
    return report


def speed(tools, options):
    """Seconds of the best call by (rows, covariates) and tool; a tool over the limit is not run on more rows."""
    rows = {}
    for d in options.covariates:
        slow = set()
        for n in options.sizes:
            scenario = Scenario("", null=True, covariates=d)
            data = data_sets(scenario, n, [0] * REPEATS)
            for peer, python in tools.items():
                report = {"calls": [], "over": True, "failed": 0, "error": None}
                if peer.name not in slow:
                    report = run(peer, python, data, options.repeat_seconds, options)
                if report["over"] and not report["calls"]:
                    slow.add(peer.name)
                rows.setdefault((n, d), {})[peer.name] = report
                print(f"{n} + {n}, {d} covariates, {peer.name}: {time_cell(report, options.limit)}", flush=True)
    return rows


def rates(tools, options):
    """Reports by scenario and tool."""
    rows = {}
    for scenario, data in cases(options.designs, options.rows, range(options.trials)):
        for peer, python in tools.items():
            report = run(peer, python, data, options.seconds, options)
            rows.setdefault(scenario, {})[peer.name] = report
            print(f"{scenario.label}, {peer.name}: {rate_cell(report, options.limit)}", flush=True)
    return rows


def best(report):
    return min((call["seconds"] for call in report["calls"]), default=None)


def ratio(seconds, ours):
    if not ours:
        return ""
    return f" ({seconds / ours:.0f})" if seconds > 10 * ours else f" ({seconds / ours:.1f})"


def time_cell(report, limit, ours=None):
    seconds = best(report)
    if seconds is None:
        return f"over {limit} s{ratio(limit, ours).replace('(', '(> ')}" if report["over"] else "failed"
    return f"{seconds:.3g}{ratio(seconds, ours)}"


def rate_cell(report, limit):
    calls = report["calls"]
    if not calls:
        return f"over {limit} s" if report["over"] else "failed"
    failed = f", {report['failed']} failed" if report["failed"] else ""
    return f"{np.mean([call['reject'] for call in calls]):.2f} ({len(calls)}{failed})"


def middle(tried, name):
    seconds = [call["seconds"] for row in tried.values() for call in row[name]["calls"]]
    return f"{median(seconds):.3g}" if seconds else "-"


def table(head, rows):
    return ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]] + [""]


def about_tools(tools, missing, reports):
    """What is called and in which version, and what did not install or failed."""
    versions = {name: report["versions"] for name, report in reports if report.get("versions")}
    rows = []
    for peer in tools:
        found = ", ".join(f"{package} {version}" for package, version in versions.get(peer.name, {}).items())
        rows.append([peer.name, peer.what, found])
    lines = table(["tool", "what is called", "versions"], rows)
    notes = [f"- {name} did not install here: {error}" for name, error in missing.items()]
    errors = {(name, report["error"]) for name, report in reports if report["error"]}
    notes += [f"- {name} failed in some calls: {error}" for name, error in sorted(errors)]
    return [*lines, *notes, ""] if notes else lines


def about_times(names, timed, limit):
    rows = []
    for (n, d), row in timed.items():
        ours = best(row[US.name]) if US.name in row else None
        rows.append([f"{n} + {n}", str(d), *(time_cell(row[name], limit, ours) for name in names)])
    return table(["rows", "covariates", *names], rows)


def about_rates(names, tried, limit):
    lines = []
    for null, title in ((True, "null hypothesis (type I error)"), (False, "alternative (power)")):
        chosen = [(scenario.label, row) for scenario, row in tried.items() if scenario.null == null]
        if not chosen:
            continue
        rows = [[label, *(rate_cell(row[name], limit) for name in names)] for label, row in chosen]
        lines += table([title, *names], rows)
    return lines + table(["", *names], [["median seconds of these calls", *(middle(tried, name) for name in names)]])


def page(tools, missing, timed, tried, options):
    names = [peer.name for peer in tools]
    reports = [pair for row in [*timed.values(), *tried.values()] for pair in row.items()]
    times_are = (
        f"Of one call, the best of {REPEATS} (of fewer once the calls took {options.repeat_seconds} s), "
        "and in brackets the ratio to condmmd."
    )
    rows_are = f"{options.rows} + {options.rows} rows" if options.designs == "made-up" else "The rows a group are named"
    rates_are = (
        f"{rows_are}; in brackets the number of trials, up to {options.trials} and until "
        f"they took {options.seconds} s. Under a null hypothesis 0.05 is right, and more is a fault; power is worth "
        "comparing between tools that keep to that."
    )
    times = ["## Seconds", "", times_are, "", *about_times(names, timed, options.limit)] if timed else []
    command = "python -m benchmarks.peers" + (f" --designs {options.designs}" if options.designs != "made-up" else "")
    lines = [
        f"Generated by `{command}`; do not edit.", "", "# Beside other tools", "",
        *__doc__.split("\n\n", 1)[1].strip().splitlines(), "",
        f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, {options.resamples} resamples.", "",
        *about_tools(tools, missing, reports),
        *times,
        "## Rejections at 0.05", "", rates_are, "", *about_rates(names, tried, options.limit),
    ]  # fmt: skip
    return "\n".join(lines)


def options_of(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="make the environments anew")
    parser.add_argument("--smoke", action="store_true", help="everything tiny; the page goes to build/peers")
    parser.add_argument("--only", nargs="+", help="these tools only", choices=[peer.name for peer in PEERS])
    parser.add_argument(
        "--designs", choices=PAGES, default="made-up",
        help="what the rates are of; real: the alternatives of benchmarks.designs, rates alone, on a page of their own",
    )  # fmt: skip
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="*", default=[250, 500, 1000], help="rows in each group, timed")
    parser.add_argument("--covariates", type=int, nargs="+", default=[1, 5], help="numbers of them, timed")
    parser.add_argument("--repeat-seconds", type=int, default=60, help="no further timed call once they took this long")
    parser.add_argument("--limit", type=int, default=300, help="seconds a call may take")
    parser.add_argument("--rows", type=int, default=150, help="rows in each group, rejection rates")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=30, help="for the trials of one tool in one scenario")
    options = parser.parse_args(arguments)
    if options.designs == "real":
        options.sizes = []
    if options.smoke:
        options.rows, options.trials, options.resamples, options.limit = 60, 2, 40, 60
        options.sizes = [60] if options.sizes else []
    return options


def main():
    options = options_of()
    tools, missing = {}, {}
    for peer in PEERS:
        if options.only and peer.name not in options.only:
            continue
        python, error = environment(peer, fresh=options.fresh)
        print(f"{peer.name}: {error or 'ready'}", flush=True)
        if error:
            missing[peer.name] = error
        else:
            tools[peer] = python
    timed, tried = speed(tools, options), rates(tools, options)
    target = ENVIRONMENTS / "smoke.md" if options.smoke else PAGES[options.designs]
    target.write_text(page(tools, missing, timed, tried, options))


if __name__ == "__main__":
    main()
