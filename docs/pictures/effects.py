"""Effects with their intervals, and bounds under what was not measured."""

import matplotlib.pyplot as plt
import numpy as np

from condmmd import cmmd_test


def draw():
    rng = np.random.default_rng(0)
    n = 500
    age, school = rng.uniform(20, 60, n), rng.integers(8, 17, n)
    treated = (rng.uniform(size=n) < 1 / (1 + np.exp((age - 40) / 15))).astype(int)
    wage = 5 + 0.8 * school + 0.05 * age + (1 + treated) * rng.normal(size=n) * 1.5 + 0.9 * treated
    r = cmmd_test(np.column_stack([age, school]), wage, treated, rng=0)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.2))
    rows = [row for row in r.effect().entries if row.kind in {"mean", "quantile"}]
    for k, row in enumerate(reversed(rows)):
        left.plot(row.interval, [k, k], color="#30638e", linewidth=2)
        left.plot(row.estimate, k, "o", color="#30638e")
    left.axvline(0, color="0.6", linewidth=1)
    names = [row.name.replace("of y0", "of wage") for row in reversed(rows)]
    left.set_yticks(range(len(rows)), names)
    left.set(xlabel="treated less not treated", title="effect()")
    table = r.sensitivity(tuple(np.linspace(1, 2.5, 16))).outcomes[0].table
    factors = [bounds.gamma for bounds in table]
    right.fill_between(factors, *zip(*(bounds.interval for bounds in table), strict=True), color="#d08770", alpha=0.3)
    right.fill_between(factors, [b.low for b in table], [b.high for b in table], color="#d08770", alpha=0.7)
    right.axhline(0, color="0.4", linewidth=1)
    right.set(xlabel="factor by which the odds may be off", title="sensitivity(): bounds, and 95 %")
    return figure
