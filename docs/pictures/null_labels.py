"""Observed labels, two null label vectors of the same known propensity, and the statistic of all of them."""

import matplotlib.pyplot as plt
import numpy as np
from looks import scatter

from condmmd import cmmd_test


def draw():
    rng = np.random.default_rng(4)
    n = 150
    x = np.concatenate([rng.normal(-0.6, 1, n), rng.normal(0.6, 1, n)])
    group = np.repeat([1, 0], n)
    y = np.sin(x) + 0.4 * rng.normal(size=2 * n) + 0.5 * (group == 1) * (x > 0)
    e = 1 / (1 + np.exp(1.2 * x))
    figure, axes = plt.subplots(1, 4, figsize=(10.5, 2.9), width_ratios=[1, 1, 1, 1.5])
    drawn = [group]
    while len(drawn) < 3:  # rejection: as many P as there are
        labels = (rng.uniform(size=2 * n) < e).astype(int)
        if labels.sum() == n:
            drawn.append(labels)
    for ax, labels, title in zip(axes, drawn, ("observed labels", "null labels", "null labels"), strict=False):
        scatter(ax, x, y, labels)
        ax.set(title=title, xticks=[], yticks=[], xlabel="x")
    axes[0].set_ylabel("y")
    axes[0].legend(frameon=False, loc="lower right", markerscale=2, fontsize=8)
    cmmd_test(x, y, group, propensity=e, rng=0).plot("null", ax=axes[3])
    return figure
