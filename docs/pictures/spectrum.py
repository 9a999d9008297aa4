"""Eigenvalues, energies, and what each direction gives to levels 0, 1 and 2."""

import matplotlib.pyplot as plt
import numpy as np

from condmmd import CMMD, Gaussian, cmmd


def draw():
    rng = np.random.default_rng(0)
    n = 1500
    x, group = rng.normal(size=2 * n), np.repeat([1, 0], n)
    y = np.sin(x) + 0.3 * rng.normal(size=2 * n) + (0.2 * np.cos(x) + 0.1 * np.sin(5 * x)) * group
    d = cmmd(x, y, group, statistic=CMMD(kernel_x=Gaussian(0.7), kernel_y=Gaussian(1.0), reg=1e-3))
    shown = 10
    directions = np.arange(1, shown + 1)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 2.9))
    left.bar(directions, d.eigenvalues[:shown], color="#30638e")
    left.set(yscale="log", title="eigenvalues of C", xlabel="direction of X")
    middle.bar(directions, d.energies[:shown], color="#d08770")
    middle.set(title="energies of D", xlabel="direction of X")
    for level, style in ((0, "o-"), (1, "s--"), (2, "^:")):
        parts = d.eigenvalues**level * d.energies
        right.plot(directions, (parts / parts.sum())[:shown], style, color="#444444", label=f"level {level}")
    right.set(title="share of each level", xlabel="direction of X")
    right.legend(frameon=False)
    return figure
