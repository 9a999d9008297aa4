"""One point of the experiments with the paper's formulas as they stand, beside ours: the ratio of the times."""

import json
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.literal import all_levels
from experiments.appendix import KERNEL
from experiments.draws import setting
from experiments.experiment import published_test
from experiments.running import write

N, RESAMPLES, REPEATS = 250, 200, 3


def measure():
    """Seconds of a trial of appendix setting 2, n = m = 250, 200 null labels, levels 0, 1 and 2; both ways."""
    seconds = {"literal": [], "ours": []}
    for repeat in range(REPEATS):
        rng = np.random.default_rng([11, repeat])
        draw = setting(n=N)(rng)
        start = perf_counter()
        K, L = KERNEL(draw.X), KERNEL(draw.Y)
        null = (rng.random((RESAMPLES, 2 * N)) < draw.e).astype(float)
        for t in (draw.t, *null):
            all_levels(K, L, t, 0.1)
        seconds["literal"].append(perf_counter() - start)
        start = perf_counter()
        published_test(draw, rng, RESAMPLES, kernel_x=KERNEL, kernel_y=KERNEL, reg=0.1)
        seconds["ours"].append(perf_counter() - start)
    return {name: float(np.median(times)) for name, times in seconds.items()}


def measured_ratio(folder, *, fresh=False):
    """The sentence about it; measured once and kept with the results."""
    path = Path(folder) / "results" / "literal.json"
    if fresh or not path.exists():
        write(path, json.dumps(measure(), indent=1) + "\n")
    found = json.loads(path.read_text())
    return (
        f"One trial of appendix setting 2 (n = m = {N}, {RESAMPLES} null labels, levels 0, 1, 2) takes "
        f"{found['literal']:.1f} s with the formulas as printed and {found['ours']:.4f} s here, "
        f"{found['literal'] / found['ours']:.0f} times less; the point's 200 trials "
        f"{found['literal'] * 200 / 60:.0f} minutes against {found['ours'] * 200:.1f} s."
    )
