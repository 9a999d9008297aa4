"""Many calls, in several processes; status 1 if anything does not hold."""

import argparse
import os
import sys
from collections import defaultdict
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a worker, set before NumPy loads

from joblib import Parallel, delayed  # noqa: E402

from tests.fuzz.calls import make_call  # noqa: E402
from tests.fuzz.checks import examine  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="number of the first call")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=int, help="run this call alone, as it is, to see where it fails")
    options = parser.parse_args()
    if options.only is not None:
        door, given, run = make_call(options.seed, options.only)
        print(door, *given, sep="\n")
        print(run())
        return 0
    start = perf_counter()
    numbers = range(options.first, options.first + options.calls)
    results = Parallel(n_jobs=options.jobs, batch_size=20)(delayed(examine)(options.seed, k) for k in numbers)
    causes = defaultdict(list)
    for _, findings in results:
        for finding in findings:
            causes[finding.signature].append(finding)
    answered = sum(ok for ok, _ in results)
    print(
        f"{len(results)} calls in {perf_counter() - start:.0f} s:",
        f"{answered} answers, {len(results) - answered} refusals",
    )
    for (kind, _, where), findings in sorted(causes.items(), key=lambda item: (item[0][0], -len(item[1]))):
        numbers = ", ".join(str(finding.number) for finding in findings[:5])
        print(f"\n{len(findings)} x {kind}, {findings[0].door}, {where} (--only {numbers})\n  {findings[0].what[:400]}")
    print(f"\n{len(causes)} kinds of findings")
    return int(bool(causes))


if __name__ == "__main__":
    sys.exit(main())
