"""The propensity of two samples whose covariates moved, and how much each row counts."""

import matplotlib.pyplot as plt
import numpy as np


def draw():
    grid = np.linspace(-4, 4, 300)
    figure, axes = plt.subplots(2, 2, figsize=(9.5, 4.4), sharex=True, sharey="row", height_ratios=[1.2, 1])
    for column, (shift, title) in enumerate(((1.0, "X moved by one deviation"), (3.0, "by three: hardly any overlap"))):
        p, q = (np.exp(-0.5 * (grid - sign * shift / 2) ** 2) / np.sqrt(2 * np.pi) for sign in (-1, 1))
        e = p / (p + q)
        top, bottom = axes[:, column]
        top.fill_between(grid, p, color="#30638e", alpha=0.5, label="X in P", linewidth=0)
        top.fill_between(grid, q, color="#d08770", alpha=0.5, label="X in Q", linewidth=0)
        weight = e * (1 - e) * (p + q) / 2
        share = np.trapezoid(weight, grid) / 0.25
        top.set_title(f"{title}\nrows count as {share:.0%} of as many that were randomised", fontsize=10)
        bottom.plot(grid, e, color="#444444", label="propensity e(x)")
        bottom.plot(grid, 4 * e * (1 - e), color="#444444", linestyle="--", label="weight, e (1 - e), times 4")
        bottom.set_xlabel("x")
    axes[0, 0].legend(frameon=False, loc="upper left")
    axes[1, 0].legend(frameon=False, loc="center left", fontsize=8)
    axes[0, 0].set_yticks([])
    return figure
