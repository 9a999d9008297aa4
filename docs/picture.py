"""Draws docs/picture.png, the picture of the README: ``make picture``."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from condmmd import cmmd


def sample(changed, rng):
    n = 300
    x = np.concatenate([rng.normal(-0.5, 1, n), rng.normal(0.5, 1, n)])
    group = np.repeat([1, 0], n)
    bump = 1.2 * np.exp(-8 * (x - 1) ** 2) * (group == 1) if changed else 0
    return x, np.exp(-0.5 * x**2) * np.sin(2 * x) + bump + 0.3 * rng.normal(size=2 * n), group


def main():
    figure, axes = plt.subplots(2, 2, figsize=(10, 4.6), sharex=True, sharey="row", height_ratios=[2.2, 1])
    grid = np.linspace(-2, 2, 200)
    for column, (changed, title) in enumerate(
        [(False, "X moved, Y given X is the same"), (True, "Y given X differs near x = 1")]
    ):
        x, y, group = sample(changed, np.random.default_rng(3))
        d = cmmd(x, y, group)
        top, bottom = axes[:, column]
        for label, name, marker, color in ((0, "Q", "o", "#d08770"), (1, "P", "^", "#30638e")):
            rows = group == label
            top.scatter(x[rows], y[rows], s=11, marker=marker, alpha=0.6, label=name, color=color, linewidths=0)
        top.set_title(f"{title}\nsquared CMMD at level 2: {d.level(2):.3f}", fontsize=11)
        bottom.fill_between(grid, d.witness(grid), color="#444444", alpha=0.8, linewidth=0)
        bottom.set_xlabel("x")
        top.set_xlim(-2, 2)
    axes[0, 0].set_ylabel("y")
    axes[0, 0].legend(loc="lower right", frameon=False)
    axes[1, 0].set_ylabel("witness: squared\ndistance of Y | x")
    figure.tight_layout()
    figure.savefig(Path(__file__).parent / "picture.png", dpi=110)


if __name__ == "__main__":
    main()
