"""What levels 0, 1 and 2 hear of three differences: at the rim, in the middle, and fine ripples everywhere."""

import matplotlib.pyplot as plt
import numpy as np
from looks import scatter

from condmmd import CMMD, Gaussian, cmmd

CASES = {
    "far out, where rows are few": lambda x: 1.4 * np.exp(-8 * (x - 2.2) ** 2),
    "in the middle, a smooth bump": lambda x: 0.35 * np.exp(-1.5 * x**2),
    "everywhere, in fine ripples": lambda x: 0.3 * np.sin(6 * x),
}


def draw():
    rng = np.random.default_rng(0)
    n = 1500
    x, group = rng.normal(size=2 * n), np.repeat([1, 0], n)
    noise = 0.3 * rng.normal(size=2 * n)
    grid = np.linspace(-3, 3, 300)
    statistic = CMMD(kernel_x=Gaussian(0.5), kernel_y=Gaussian(1.0), reg=1e-3)
    values = []
    figure, axes = plt.subplots(2, 3, figsize=(9.5, 5), height_ratios=[1.7, 1], sharey="row")
    for top, (title, difference) in zip(axes[0], CASES.items(), strict=True):
        y = np.sin(x) + noise + difference(x) * (group == 1)
        some = rng.permutation(2 * n)[:500]
        scatter(top, x[some], y[some], group[some], 8)
        top.plot(grid, np.sin(grid) + difference(grid), color="#30638e", linewidth=1.6)
        top.plot(grid, np.sin(grid), color="#a0522d", linewidth=1.6, linestyle="--")
        top.set(title=title, xlim=(-3, 3), xlabel="x")
        values.append(cmmd(x, y, group, statistic=statistic).level([0, 1, 2]))
    heard = np.array(values) / np.max(values, axis=0)
    for bottom, shares in zip(axes[1], heard, strict=True):
        bars = bottom.bar(["level 0", "level 1", "level 2"], shares, color=["#444444", "#888888", "#bbbbbb"])
        bottom.bar_label(bars, fmt="%.2f", fontsize=9)
        bottom.set_ylim(0, 1.25)
    axes[0, 0].set_ylabel("y")
    axes[0, 0].legend(loc="lower right", frameon=False, markerscale=2)
    axes[1, 0].set_ylabel("squared CMMD,\nthe loudest of the three = 1")
    return figure
