"""What a small problem costs before there is anything to compute: ``python -m benchmarks.small [--baseline PATH]``.

A notebook, or a loop over many small tables, feels the import and the fixed cost of a call, not the arithmetic. Each
round starts fresh interpreters: one that imports what any such package stands on (NumPy and three parts of SciPy), and
one for each checkout, which imports condmmd, makes a first test, and then calls every row a few times. Calls are held
against the paper's closed form for levels 0, 1 and 2, as often as there are label vectors (1 for `cmmd`, 1,000 for
`cmmd_test`), in the same process. With ``--baseline`` another checkout of the package, which may be older, runs in turn
with this one, so that the load of the machine hits both alike. Times are medians over all rounds; ratios are taken
within a round, and their median and quartiles are printed. About a minute with a baseline.
"""

import argparse
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

ROOT = Path(__file__).parent.parent
PLAIN = ("numpy", "scipy.linalg", "scipy.special", "scipy.spatial.distance")
IMPORT, FIRST = "import", "import and a first test, 100 + 100"
# (name, function, rows in each group, covariates, label vectors, calls in a round)
ROWS = (
    ("cmmd, 20 + 20, 1 covariate", "cmmd", 20, 1, 1, 10),
    ("cmmd_test, 20 + 20, 1 covariate", "cmmd_test", 20, 1, 1000, 3),
    ("cmmd_test, 100 + 100, 1 covariate", "cmmd_test", 100, 1, 1000, 3),
    ("cmmd_test, 100 + 100, 5 covariates", "cmmd_test", 100, 5, 1000, 3),
)


def seconds_of(function):
    start = perf_counter()
    function()
    return perf_counter() - start


def import_all(*names):
    for name in names:
        import_module(name)


def data(n, d):
    """X moved a little, and Y given X did not."""
    numpy = import_module("numpy")
    rng, group = numpy.random.default_rng(0), numpy.repeat([1, 0], n)
    X = rng.normal(size=(2 * n, d)) + 0.2 * group[:, None]
    return X, numpy.sin(X[:, 0]) + 0.5 * rng.normal(size=2 * n), group


def literal(n, d):
    """Seconds of the closed form for one label vector, with Gram matrices of such rows, in one thread: the fastest."""
    numpy, all_levels = import_module("numpy"), import_module("benchmarks.literal").all_levels
    X, y, group = data(n, d)
    K, L = (numpy.exp(-0.5 * (z[:, None] - z) ** 2) for z in (X[:, 0], y))
    with import_module("threadpoolctl").threadpool_limits(1):
        return median(seconds_of(lambda: all_levels(K, L, group, 0.1)) for _ in range(5))


def work(source):
    """One round of one checkout, in this interpreter, which has imported nothing yet."""
    sys.path.insert(0, str(source))
    found = {IMPORT: seconds_of(lambda: import_all("condmmd"))}
    condmmd = import_module("condmmd")
    if not Path(condmmd.__file__).is_relative_to(source):
        raise SystemExit(f"condmmd is imported from {condmmd.__file__}, not from {source}")
    found[FIRST] = found[IMPORT] + seconds_of(lambda: condmmd.cmmd_test(*data(100, 1), rng=0))
    plain = {}
    for name, function, n, d, labels, calls in ROWS:
        given, settings = data(n, d), {} if function == "cmmd" else {"rng": 0}
        times = [seconds_of(lambda: getattr(condmmd, function)(*given, **settings)) for _ in range(1 + calls)]  # noqa: B023
        found[name] = median(times[1:])
        plain[name] = labels * literal(n, d)
    return {"found": found, "plain": plain}


def fresh(*arguments):
    """What a fresh interpreter finds."""
    command = [sys.executable, "-m", "benchmarks.small", "--work", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def measure(sources, rounds):
    """{checkout: rounds of times}, and the rounds of what they are held against."""
    found, plain = {name: [] for name in sources}, []
    for number in range(-1, rounds):  # the first to warm up: it may compile
        imports = fresh("plain")
        order = list(sources) if number % 2 else list(sources)[::-1]
        told = {name: fresh(sources[name]) for name in order}
        if number < 0:
            continue
        for name in sources:
            found[name].append(told[name]["found"])
        plain.append({IMPORT: imports, FIRST: imports, **told["this"]["plain"]})
    return found, plain


def ratio(above, below, row):
    """Median and quartiles of the ratios within the rounds."""
    ratios = [a[row] / b[row] for a, b in zip(above, below, strict=True)]
    low, middle, high = quantiles(ratios, n=4, method="inclusive")
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baseline", type=Path, help="the root of another checkout, to run in turn with this one")
    parser.add_argument("--rounds", type=int, default=8, help="at least 2")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        plain = options.work == "plain"
        print(json.dumps(seconds_of(lambda: import_all(*PLAIN)) if plain else work(Path(options.work))))
        return
    sources = {"this": ROOT / "src"}
    if options.baseline:
        sources["baseline"] = options.baseline.resolve() / "src"
    found, plain = measure(sources, options.rounds)
    print(f"{options.rounds} rounds; plain: {', '.join(PLAIN)}, or the closed form for as many label vectors")
    print(f"{'':36} | {'this ms':>8} | {'plain ms':>8} | {'this / plain':26}", end="")
    print(f" | {'baseline ms':>11} | this / baseline" if options.baseline else "")
    for row in found["this"][0]:
        cells = [median(times[row] for times in rounds) * 1e3 for rounds in (found["this"], plain)]
        print(f"{row:36} | {cells[0]:8.2f} | {cells[1]:8.2f} | {ratio(found['this'], plain, row):26}", end="")
        if options.baseline:
            other = median(times[row] for times in found["baseline"]) * 1e3
            print(f" | {other:11.2f} | {ratio(found['this'], found['baseline'], row)}", end="")
        print()


if __name__ == "__main__":
    main()
